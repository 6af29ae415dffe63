//! The files that a comparison goes to: tried out before anything is read or run, because eight runs of each
//! side take hours.

use super::super::not_done::NotDone;
use crate::cli::AnswerOut;
use crate::lab::compare::{AnswerForm, RunComparison, Side};
use crate::report::answers::{self, ToldComparison};
use crate::report::html;
use crate::run::{Named, Outlet, OutputDoor, Patience};
use std::path::PathBuf;

/// Where a comparison goes beside standard output.
pub struct ComparisonFiles(Vec<(AnswerForm, Outlet)>);

impl ComparisonFiles {
    /// Looks at all of them; nothing is changed. `read`: the files of both sides. `door`: what is run, if
    /// both sides are.
    ///
    /// # Errors
    /// One can't be written, is named twice, or is read or measured.
    pub fn open(out: &[AnswerOut], read: &[PathBuf], door: OutputDoor) -> Result<ComparisonFiles, NotDone> {
        let read = read.iter().map(|path| Named { by: "compare".into(), path: path.clone() });
        let mut door = door.which_reads(read);
        let mut permitted = Vec::new();
        for out in out {
            permitted.push((out.form, door.permit(out.option, &out.path)?));
        }
        let patience = Patience::default();
        let mut files = Vec::new();
        for (form, permitted) in permitted {
            files.push((form, permitted.open(&patience)?));
        }
        Ok(ComparisonFiles(files))
    }

    /// Whether one of them is standard output.
    pub fn take_standard_output(out: &[AnswerOut]) -> bool {
        out.iter().any(|out| out.path.as_os_str() == "-")
    }

    /// Writes them. `is_noise`: both sides ask for the same. `command_line`: the whole of it, as it can be
    /// typed.
    ///
    /// # Errors
    /// One can't be written.
    pub fn write(
        &self,
        told: &ToldComparison,
        sides: [&Side; 2],
        command_line: &str,
        is_noise: bool,
    ) -> Result<(), NotDone> {
        for (form, outlet) in &self.0 {
            let bytes = match form {
                AnswerForm::Json => json(told.comparison).map_err(|why| format!("{}: {why}", outlet.by()))?,
                AnswerForm::Html => page(told.comparison, sides, command_line, is_noise),
                AnswerForm::Junit => answers::junit(told),
                AnswerForm::Github => answers::github(told),
                AnswerForm::Summary => answers::summary(told),
                AnswerForm::Metrics => answers::metrics(told),
                AnswerForm::Bencher => answers::bencher(told),
            };
            outlet.put(bytes)?;
        }
        Ok(())
    }
}

fn json(comparison: &RunComparison) -> Result<Vec<u8>, serde_json::Error> {
    Ok(format!("{}\n", serde_json::to_string_pretty(comparison)?).into_bytes())
}

fn page(comparison: &RunComparison, sides: [&Side; 2], command_line: &str, is_noise: bool) -> Vec<u8> {
    let page = html::ComparisonPage { comparison, sides, command_line, is_noise };
    let mut bytes = Vec::new();
    // Memory takes everything.
    let _ = html::write_comparison(&page, &mut bytes);
    bytes
}
