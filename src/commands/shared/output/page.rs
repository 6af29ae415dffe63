//! `diskspd report FILE .. --html PAGE`: the page of saved runs.

use crate::checks::JudgedRecord;
use crate::cli::Exit;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::input::load_runs::{self, RunFile};
use crate::commands::shared::output::OutFile;
use crate::formats::known;
use crate::page as html;
use crate::report_formats::HTML;
use crate::run::{HangGuard, NamedOutput, OutputPolicy};
use std::path::{Path, PathBuf};

/// Writes a page of runs.
///
/// # Errors
/// Lists all unreadable runs, without writing a page, because a page that lacks a run would mislead. Fails
/// too if the page cannot be written.
pub(crate) fn write(page: &Path, given: &[PathBuf]) -> Result<Exit, CommandError> {
    let (mut files, mut wrong) = (Vec::new(), Vec::new());
    for (file, there) in load_runs::files(given) {
        there.map_or_else(|why| wrong.push(why.to_string()), |()| files.push(file));
    }
    let read = files.iter().map(|file| NamedOutput { by: "report".into(), path: file.clone() });
    let permitted = OutputPolicy::default().which_reads(read).permit("--html", page)?;
    let out = OutFile::open(permitted, page, &HTML, &HangGuard::default())?;
    let mut saved = Vec::new();
    for file in &files {
        match load_runs::run_file(file) {
            Ok(held) => saved.push((name(file), held)),
            Err(why) => wrong.push(why.to_string()),
        }
    }
    if !wrong.is_empty() {
        return Err(CommandError::failed(wrong));
    }
    let judged: Vec<Option<JudgedRecord>> = saved.iter().map(|(_, held)| judge_record(held)).collect();
    let runs = saved.iter().zip(&judged).flat_map(|((name, held), judged)| {
        let known = match (held, judged) {
            (RunFile::Results(runs), _) => runs.clone(),
            (RunFile::Record(_), judged) => judged.iter().map(|judged| known::run(judged, name)).collect(),
        };
        known.into_iter().map(|known| html::Run { known, judged: judged.as_ref() })
    });
    let runs: Vec<html::Run> = runs.collect();
    out.save_page(&|sink| html::write_runs(&runs, sink))?;
    Ok(Exit::Success)
}

/// Evaluates the checks of a record; result XML has no data for them.
fn judge_record(held: &RunFile) -> Option<JudgedRecord<'_>> {
    match held {
        RunFile::Record(record) => Some(JudgedRecord::new(record)),
        RunFile::Results(_) => None,
    }
}

fn name(file: &Path) -> String {
    let unpacked = file.with_extension("");
    let file = if file.extension().is_some_and(|extension| extension == "gz") { &unpacked } else { file };
    file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
}
