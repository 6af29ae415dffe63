//! Files with answers from many runs: repetitions, sweeps and comparisons.

use super::repetition;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::input::load_runs::repeated;
use crate::commands::shared::output::answer_forms::AnswerForms;
use crate::experiments::compare::{self, RunComparison, Side};
use crate::experiments::sweep::SweepResult;
use crate::page as html;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Answer of a file, with the files of its runs.
pub(crate) struct LoadedAnswer {
    pub answer: Box<dyn AnswerForms>,
    pub records: Vec<PathBuf>,
}

/// The answer in a file; `None` = the file holds something else.
pub(crate) fn read(path: &Path) -> Result<Option<LoadedAnswer>, CommandError> {
    if let Some(made) = repetition::read(path)? {
        let records = made.repetition.runs.iter().filter_map(|run| run.file.as_ref());
        let records = records.map(|name| path.with_file_name(name)).collect();
        return Ok(Some(LoadedAnswer { answer: Box::new(made), records }));
    }
    let answer: Box<dyn AnswerForms> = match repeated::answer::<SweepResult>(path)? {
        Some(sweep) => Box::new(sweep),
        None => match repeated::answer::<RunComparison>(path)? {
            Some(comparison) => Box::new(comparison),
            None => return Ok(None),
        },
    };
    Ok(Some(LoadedAnswer { answer, records: Vec::new() }))
}

impl AnswerForms for SweepResult {
    fn text(&self, room: usize) -> String {
        SweepResult::text(self, room)
    }

    fn json(&self) -> io::Result<String> {
        Ok(SweepResult::json(self))
    }

    fn csv(&self) -> String {
        SweepResult::csv(self)
    }

    fn page(&self, sink: &mut dyn Write) -> io::Result<()> {
        html::write_sweep(&html::SweepPage { sweep: self, run: None }, sink)
    }
}

impl AnswerForms for RunComparison {
    fn text(&self, room: usize) -> String {
        compare::text(self, room)
    }

    fn json(&self) -> io::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    fn csv(&self) -> String {
        compare::csv(self)
    }

    fn page(&self, sink: &mut dyn Write) -> io::Result<()> {
        let sides = self.sides.each_ref().map(|side| Side { name: side.name.clone(), runs: Vec::new() });
        let sides = [&sides[0], &sides[1]];
        let page = html::ComparisonPage {
            comparison: self,
            sides,
            command_line: "",
            is_noise: false,
            sentence: None,
        };
        html::write_comparison(&page, sink)
    }
}
