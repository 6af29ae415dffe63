//! The content of the output files of a comparison.

use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::output::answer_files::AnswerFiles;
use crate::experiments::compare::{AnswerForm, RunComparison, Side};
use crate::page as html;
use crate::report::answers::{self, ComparisonReport};

pub(crate) struct AboutPage<'a> {
    /// Whole command line, quoted for a shell.
    pub command_line: &'a str,
    /// Whether both sides have the same request.
    pub is_noise: bool,
    /// Answer in a sentence.
    pub sentence: Option<&'a str>,
}

impl AnswerFiles {
    /// Writes the files of a comparison. `about`: further content of the page.
    pub(crate) fn write(
        &self,
        told: &ComparisonReport,
        sides: [&Side; 2],
        about: &AboutPage,
    ) -> Result<(), CommandError> {
        self.write_each(|form, outlet| {
            Ok(match form {
                AnswerForm::Json => {
                    write_json(told.comparison, sides).map_err(|why| format!("{}: {why}", outlet.by()))?
                }
                AnswerForm::Html => write_page(told.comparison, sides, about),
                AnswerForm::Junit => answers::junit(told),
                AnswerForm::Github => answers::github(told),
                AnswerForm::Summary => answers::summary(told),
                AnswerForm::Metrics => answers::metrics(told),
                AnswerForm::Bencher => answers::bencher(told),
            })
        })
    }
}

fn write_json(comparison: &RunComparison, sides: [&Side; 2]) -> Result<Vec<u8>, serde_json::Error> {
    let runs = sides.into_iter().flat_map(|side| &side.runs).map(|run| &run.known);
    let comparison = RunComparison { work: html::common_work(runs), ..comparison.clone() };
    Ok(format!("{}\n", serde_json::to_string_pretty(&comparison)?).into_bytes())
}

fn write_page(comparison: &RunComparison, sides: [&Side; 2], about: &AboutPage) -> Vec<u8> {
    let AboutPage { command_line, is_noise, sentence } = *about;
    let page = html::ComparisonPage { comparison, sides, command_line, is_noise, sentence };
    let mut bytes = Vec::new();
    // Memory takes everything.
    let _ = html::write_comparison(&page, &mut bytes);
    bytes
}
