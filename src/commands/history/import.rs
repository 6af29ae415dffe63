//! Runs from files: records of this program, results of DISKSPD and fio.

use super::output;
use crate::cli::Exit;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::console::display::Display;
use crate::commands::shared::input::load_runs;
use crate::results::RunSummary;
use crate::store::{ImportOutcome, RunNotes, Store, StoreIndex, StoredForm, packed};
use crate::sys::clock;
use std::path::{Path, PathBuf};

/// Imports all runs of these files, and of the files in folders; unreadable files are reported and
/// skipped.
///
/// # Errors
/// Fails if the history cannot be opened, or output fails.
pub(crate) fn import(store: &Store, files: &[PathBuf], label: Option<&str>) -> Result<Exit, CommandError> {
    let (mut exit, mut text) = (Exit::Success, String::new());
    import_each(store, files, label, |shown, imported| match imported {
        Ok(ImportOutcome::New(id)) => text += &format!("{shown}: kept as @{id}\n"),
        Ok(ImportOutcome::Known(id)) => text += &format!("{shown}: already kept, as @{id}\n"),
        Err(not) => exit = not.report(),
    })?;
    output::to_stdout(text.as_bytes()).map(|_| exit)
}

/// Imports silently and returns the ids of the runs, including already existing ones.
///
/// # Errors
/// Fails if the history cannot be opened, or a file cannot be read.
pub(crate) fn taken_in(store: &Store, files: &[PathBuf]) -> Result<Vec<String>, CommandError> {
    let mut ids = Vec::new();
    let mut failed = None;
    if !files.is_empty() {
        import_each(store, files, None, |_, imported| match imported {
            // Copies of a run, and its reports in other forms, are that run.
            Ok(ImportOutcome::New(id) | ImportOutcome::Known(id)) if ids.contains(&id) => {}
            Ok(ImportOutcome::New(id) | ImportOutcome::Known(id)) => ids.push(id),
            Err(not) => failed = failed.take().or(Some(not)),
        })?;
    }
    failed.map_or(Ok(ids), Err)
}

fn import_each(
    store: &Store,
    files: &[PathBuf],
    label: Option<&str>,
    mut told: impl FnMut(&str, Result<ImportOutcome, CommandError>),
) -> Result<(), CommandError> {
    let mut index = store.open()?;
    let files = load_runs::files(files);
    let (display, all) = (Display::new(false), files.len());
    let mut files = files.into_iter().enumerate().peekable();
    while files.peek().is_some() {
        let began = clock::wall_millis();
        index.write_together(|index| {
            for (number, (file, there)) in files.by_ref() {
                display.count("files imported:", number, all);
                match there {
                    Ok(()) => import_file(index, &file, label, &mut told),
                    Err(why) => told(&load_runs::display_path(&file), Err(why.into())),
                }
                if began.abs_diff(clock::wall_millis()) > LONGEST_LOCK_MS {
                    break;
                }
            }
        })?;
    }
    display.clear();
    Ok(())
}

/// Other writers of the index wait for this time at most, and for the file that is being imported.
const LONGEST_LOCK_MS: u64 = 1000;

fn import_file(
    index: &mut StoreIndex,
    file: &Path,
    label: Option<&str>,
    told: &mut impl FnMut(&str, Result<ImportOutcome, CommandError>),
) {
    let shown = load_runs::display_path(file);
    let runs = match read_content(file) {
        Ok(runs) => runs,
        Err(fault) => return told(&shown, Err(fault.at_place(&shown))),
    };
    for (source, bytes) in runs {
        let about = RunNotes {
            label: label.map(str::to_owned),
            saved_at: jiff::Timestamp::now().as_second(),
            imported_from: Some(file.to_string_lossy().into_owned()),
            ..RunNotes::default()
        };
        told(&shown, index.import(source, &bytes, about).map_err(CommandError::from));
    }
}

/// Returns the runs in a file in their stored form.
fn read_content(file: &Path) -> Result<Vec<(StoredForm, Vec<u8>)>, CommandError> {
    let bytes = packed::unpack_file(file).map_err(|error| format!("cannot be read: {error}"))?;
    let Some(format) = load_runs::format_of(file, &bytes) else {
        return Ok(vec![(StoredForm::Record, bytes)]);
    };
    let kept = StoredForm::of_word(format.word).ok_or_else(|| format!("{} cannot be kept", format.name))?;
    let name = file.to_string_lossy();
    let runs = (format.read)(&bytes, &name)?;
    if runs.len() == 1 {
        return Ok(vec![(kept, bytes)]);
    }
    let parts = (format.parts)(&bytes);
    // Each part must be understandable without the others.
    let same = |(part, run): (&Vec<u8>, &RunSummary)| {
        let alone = (format.read)(part, &run.name).ok();
        alone.is_some_and(|alone| alone == std::slice::from_ref(run))
    };
    match parts.len() == runs.len() && parts.iter().zip(&runs).all(same) {
        true => Ok(parts.into_iter().map(|part| (kept, part)).collect()),
        false => Err(CommandError::failed([
            "holds several results that cannot be distinguished; write each to a separate file",
        ])),
    }
}
