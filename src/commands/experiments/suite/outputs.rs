//! The output files of a suite, tested before the first run.

use super::source::PlannedSuite;
use crate::cli::SuiteRequest;
use crate::commands::shared::command_error::CommandError;
use crate::experiments::compare::AnswerForm;
use crate::experiments::suite::{SuiteReport, json};
use crate::page as html;
use crate::results::RunSummary;
use crate::run::{HangGuard, Outlet, OutputPolicy};

pub(super) struct SuiteFiles(Vec<(AnswerForm, Outlet)>);

impl SuiteFiles {
    /// Checks all output files without changes.
    ///
    /// # Errors
    /// Fails if a file cannot be written, is named twice, or is a target.
    pub(super) fn open(request: &SuiteRequest, planned: &PlannedSuite) -> Result<SuiteFiles, CommandError> {
        let tests = planned.tests.iter();
        let mut door = tests.fold(OutputPolicy::default(), |door, planned| planned.run.door(door));
        let mut permitted = Vec::new();
        for out in &request.out {
            permitted.push((out.form, door.permit(out.option, &out.path)?));
        }
        let patience = HangGuard::default();
        let mut files = Vec::new();
        for (form, permitted) in permitted {
            files.push((form, permitted.open(&patience)?));
        }
        Ok(SuiteFiles(files))
    }

    /// Writes the files. `runs`: all runs, grouped by test. `command_line`: the whole command as typed.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub(super) fn write<'a>(
        &self,
        told: &SuiteReport,
        runs: impl Iterator<Item = &'a RunSummary>,
        command_line: &str,
    ) -> Result<(), CommandError> {
        let tests = told.rows.iter();
        let names =
            tests.flat_map(|row| (1..=row.runs.len()).map(move |number| format!("{} {number}", row.test)));
        let named = runs.zip(names).map(|(run, name)| RunSummary { name, ..run.clone() });
        let runs: Vec<html::Run> = named.map(|known| html::Run { known, judged: None }).collect();
        for (form, outlet) in &self.0 {
            let bytes = match form {
                AnswerForm::Html => write_page(told, &runs, command_line),
                _ => json(told).into_bytes(),
            };
            outlet.put(bytes)?;
        }
        Ok(())
    }
}

fn write_page(told: &SuiteReport, runs: &[html::Run], command_line: &str) -> Vec<u8> {
    let SuiteReport { name, about, label, rows } = *told;
    let page = html::SuitePage { name, about, label, rows, command_line };
    let mut bytes = Vec::new();
    // Memory takes everything.
    let _ = html::write_suite(&page, runs, &mut bytes);
    bytes
}
