//! The output files of a suite.

use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::output::answer_files::AnswerFiles;
use crate::experiments::compare::AnswerForm;
use crate::experiments::suite::{SuiteReport, json};
use crate::page as html;
use crate::results::RunSummary;

/// Writes the files. `runs`: all runs, grouped by test. `command_line`: the whole command as typed.
pub(super) fn write<'a>(
    files: &AnswerFiles,
    told: &SuiteReport,
    runs: impl Iterator<Item = &'a RunSummary>,
    command_line: &str,
) -> Result<(), CommandError> {
    let tests = told.rows.iter();
    let names =
        tests.flat_map(|row| (1..=row.runs.len()).map(move |number| format!("{} {number}", row.test)));
    let named = runs.zip(names).map(|(run, name)| RunSummary { name, ..run.clone() });
    let runs: Vec<html::Run> = named.map(|known| html::Run { known, judged: None }).collect();
    files.write_each(|form, _| {
        Ok(match form {
            AnswerForm::Html => write_page(told, &runs, command_line),
            _ => json(told).into_bytes(),
        })
    })
}

fn write_page(told: &SuiteReport, runs: &[html::Run], command_line: &str) -> Vec<u8> {
    let SuiteReport { name, about, label, rows } = *told;
    let page = html::SuitePage { name, about, label, rows, command_line };
    let mut bytes = Vec::new();
    // Memory takes everything.
    let _ = html::write_suite(&page, runs, &mut bytes);
    bytes
}
