//! The output files of an answer, tested before any run, because the runs of an answer take hours.

use crate::cli::AnswerOutput;
use crate::commands::shared::command_error::CommandError;
use crate::experiments::compare::{AnswerForm, RunComparison, Side};
use crate::page as html;
use crate::report::answers::{self, ComparisonReport};
use crate::run::{HangGuard, NamedOutput, Outlet, OutputError, OutputPolicy};
use std::path::PathBuf;

pub(crate) struct AnswerFiles(Vec<(AnswerForm, Outlet)>);

pub(crate) struct AboutPage<'a> {
    /// The whole command line, as it can be typed.
    pub command_line: &'a str,
    /// Both sides ask for the same.
    pub is_noise: bool,
    /// Returns the answer in a sentence.
    pub sentence: Option<&'a str>,
}

impl AnswerFiles {
    /// Checks all output files without changes. `read`: the input files of both sides. `door`: the runs,
    /// if both sides are run.
    ///
    /// # Errors
    /// Fails if a file cannot be written, is named twice, or is an input or target.
    pub(crate) fn open(
        out: &[AnswerOutput],
        read: &[PathBuf],
        door: OutputPolicy,
    ) -> Result<AnswerFiles, CommandError> {
        let read = read.iter().map(|path| NamedOutput { by: "compare".into(), path: path.clone() });
        let mut door = door.which_reads(read);
        let permitted = out.iter().map(|out| Ok((out.form, door.permit(out.option, &out.path)?)));
        let permitted = permitted.collect::<Result<Vec<_>, OutputError>>()?;
        let patience = HangGuard::default();
        let opened = permitted.into_iter().map(|(form, permitted)| Ok((form, permitted.open(&patience)?)));
        Ok(AnswerFiles(opened.collect::<Result<_, OutputError>>()?))
    }

    pub(crate) fn take_standard_output(out: &[AnswerOutput]) -> bool {
        out.iter().any(|out| out.path.as_os_str() == "-")
    }

    /// Writes the files of a comparison. `about`: further content of the page.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
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

    /// Writes each file with the bytes of its form.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub(crate) fn write_each(
        &self,
        bytes: impl Fn(AnswerForm, &Outlet) -> Result<Vec<u8>, CommandError>,
    ) -> Result<(), CommandError> {
        self.0.iter().try_for_each(|(form, outlet)| Ok(outlet.put(bytes(*form, outlet)?)?))
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
