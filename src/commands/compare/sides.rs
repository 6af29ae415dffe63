//! Runs for comparisons, of whatever was named: files, several with commas, folders, runs of the history.

use super::super::known_runs::{self, RunFile, shown};
use super::super::not_done::NotDone;
use super::super::{patterns, side_run, stored};
use crate::lab::compare::{Side, SideRun};
use crate::path;
use crate::results::RunSummary;
use crate::store::StoreEntry;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What is told when Ctrl-C has ended a comparison.
pub const INTERRUPTED: &str =
    "the comparison was interrupted, and nothing is compared; use --save to keep the runs";

/// The runs of a side, at least one.
///
/// # Errors
/// Something can't be read, or there is nothing.
pub fn side(named: &OsStr, store: Option<&Path>) -> Result<Side, NotDone> {
    let name = named.to_string_lossy().into_owned();
    let mut runs = Vec::new();
    for file in files(named, store)? {
        runs.extend(read_file(&file.file, &file.name)?);
    }
    match runs.is_empty() {
        true => Err(format!("{name}: it holds no run").into()),
        false => Ok(Side { name, runs }),
    }
}

/// The files that are read for these sides.
///
/// # Errors
/// As of [`side`]: something isn't there.
pub fn read_files(sides: &[OsString], store: Option<&Path>) -> Result<Vec<PathBuf>, NotDone> {
    let mut all = Vec::new();
    for named in sides {
        all.extend(files(named, store)?.into_iter().map(|named| named.file));
    }
    Ok(all)
}

/// What is read, and what people call it.
struct NamedFile {
    file: PathBuf,
    name: String,
}

fn plain(file: PathBuf) -> NamedFile {
    NamedFile { name: shown(&file), file }
}

fn files(named: &OsStr, store: Option<&Path>) -> Result<Vec<NamedFile>, NotDone> {
    let whole = Path::new(named);
    // A comma may be a part of a name.
    if whole.exists() {
        return of_one(whole, store);
    }
    let parts = named.as_encoded_bytes().split(|byte| *byte == b',').filter(|part| !part.is_empty());
    let mut all = Vec::new();
    for part in parts {
        all.extend(of_one(&path::path(part), store)?);
    }
    Ok(all)
}

fn of_one(path: &Path, store: Option<&Path>) -> Result<Vec<NamedFile>, NotDone> {
    if let Some(name) = stored::name_of(path) {
        let (store, entries) = stored::named(name, store)?;
        let file = |entry: &StoreEntry| NamedFile {
            file: store.file(&entry.id, entry.source),
            name: format!("@{}", entry.id),
        };
        return Ok(entries.iter().map(file).collect());
    }
    if path.is_dir() {
        let found = known_runs::of_folder(path);
        let found = found.map_err(|error| format!("{}: can't be listed: {error}", shown(path)))?;
        return Ok(found.into_iter().map(plain).collect());
    }
    match path.exists() {
        true => Ok(vec![plain(path.to_owned())]),
        false => matching(path),
    }
}

/// A pattern that the shell left as it is.
fn matching(path: &Path) -> Result<Vec<NamedFile>, NotDone> {
    let given = shown(path);
    let Some(listed) = patterns::matching(path) else {
        return Err(format!("{given}: no such file; for a run of the history write @label or @id").into());
    };
    let folder = patterns::folder(path);
    let found = listed.map_err(|error| format!("{}: can't be listed: {error}", shown(folder)))?;
    match found.is_empty() {
        true => Err(format!("{given}: no file has such a name").into()),
        false => Ok(found.into_iter().map(plain).collect()),
    }
}

/// The runs in a file, which people call `called`.
///
/// # Errors
/// It can't be read, or holds no run.
pub fn read_file(file: &Path, called: &str) -> Result<Vec<SideRun>, NotDone> {
    let results = match known_runs::run_file(file)? {
        RunFile::Record(record) => return Ok(vec![side_run::of_record(&record, called)]),
        RunFile::Results(results) => results,
    };
    // A file of the history is known by its id.
    let name = |known: RunSummary| {
        let behind = known.name.strip_prefix(&shown(file)).unwrap_or_default();
        RunSummary { name: format!("{called}{behind}"), ..known }
    };
    Ok(results.into_iter().map(|known| side_run::of_known(name(known))).collect())
}
