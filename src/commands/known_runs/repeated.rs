//! The file of a repetition (`--repeat N --out r.json`) stands for the records of its runs, so `r*.json`
//! contains a run only once.

use super::super::unread_runs::{UnreadFault, UnreadRuns};
use crate::lab::repetition::{RepeatedRun, Repetition};
use crate::limits::REPETITION;
use crate::record::{json, repetition};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Bytes that show whether a file holds a repetition.
const BEGINNING: u64 = 200;

/// The repetition in a file; `None` = the file holds something else.
///
/// # Errors
/// The file can't be read, or the repetition is damaged.
pub fn repetition(path: &Path) -> Result<Option<Repetition>, UnreadRuns> {
    // A look at a pipe would take its beginning away.
    if !path.is_file() {
        return Ok(None);
    }
    let fault = |error| UnreadFault::File(error).at_path(path);
    let mut beginning = Vec::new();
    File::open(path).map_err(fault)?.take(BEGINNING).read_to_end(&mut beginning).map_err(fault)?;
    if !repetition::begins_so(&String::from_utf8_lossy(&beginning)) {
        return Ok(None);
    }
    let bytes = REPETITION.read_file(path).map_err(fault)?;
    repetition::read(&bytes).map(Some).map_err(|error| UnreadFault::from(error).at_path(path))
}

/// The records of all runs, in the folder of the repetition; `None` = some are missing or of other runs.
pub fn records(repetition: &Repetition, path: &Path) -> Option<Vec<PathBuf>> {
    let record = |run: &RepeatedRun| {
        let name = Path::new(run.file.as_ref()?);
        let is_name = name.file_name() == Some(OsStr::new(name));
        let file = path.with_file_name(name);
        let index = File::open(&file).ok().filter(|_| is_name && file.is_file())?;
        let index = json::read_index(&mut { index }).ok()??;
        (index.0.identity == run.identity).then_some(file)
    };
    repetition.runs.iter().map(record).collect()
}

/// Replaces repetitions among these files by the records of their runs, without duplicates.
pub fn with_records<T>(files: Vec<T>, path: impl Fn(&T) -> &Path, of: impl Fn(PathBuf) -> T) -> Vec<T> {
    let records = |file: &T| {
        let path = path(file);
        records(&repetition(path).ok()??, path)
    };
    let mut known: HashMap<PathBuf, bool> = HashMap::new();
    let mut all = Vec::new();
    for file in files {
        let (found, is_of_repetition) = match records(&file) {
            Some(records) => (records.into_iter().map(&of).collect(), true),
            None => (vec![file], false),
        };
        for file in found {
            let place = fs::canonicalize(path(&file)).unwrap_or_else(|_| path(&file).to_owned());
            // A file that was named twice stays, and its readers report it.
            match known.insert(place, is_of_repetition) {
                Some(before) if before || is_of_repetition => {}
                _ => all.push(file),
            }
        }
    }
    all
}
