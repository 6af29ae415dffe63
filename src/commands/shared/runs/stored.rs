//! The history: its location, and its runs named in place of a file.

use crate::commands::shared::command_error::CommandError;
use crate::finding::Finding;
use crate::store::{Store, StoreEntry, StoreIndex};
use crate::sys::standard_error::print_line;
use std::env;
use std::path::{Path, PathBuf};

/// Returns the history of `--store`, otherwise of the environment, otherwise the user's.
///
/// # Errors
/// Fails if its location is not defined.
pub(crate) fn store(given: Option<&Path>) -> Result<Store, CommandError> {
    let named = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = given
        .map(Path::to_owned)
        .or_else(|| named("DISKSPD_STORE"))
        // As in its specification: relative paths are ignored.
        .or_else(|| Some(named("XDG_DATA_HOME").filter(|path| path.is_absolute())?.join("diskspd")))
        .or_else(|| Some(named("LOCALAPPDATA").filter(|_| cfg!(windows))?.join("diskspd")))
        .or_else(|| Some(named("HOME")?.join(".local/share/diskspd")));
    let nowhere = "the history has no folder, because HOME is not set: name one with --store or \
        DISKSPD_STORE";
    folder.map(Store::in_folder).ok_or_else(|| nowhere.to_owned().into())
}

/// Opens the history, and reports its unreadable parts.
///
/// # Errors
/// Fails if no run was ever kept there, or the index is unusable.
pub(crate) fn open(store: &Store) -> Result<StoreIndex, CommandError> {
    if !store.is_there() {
        return Err(format!(
            "no runs in {}: use --save to keep a run, diskspd history import to add files, or --store to \
             name another history",
            store.folder().display()
        )
        .into());
    }
    let index = store.open_to_look()?;
    tell_troubles(&index);
    Ok(index)
}

pub(crate) fn tell_troubles(index: &StoreIndex) {
    index.troubles.iter().for_each(|trouble| print_line(Finding::warning(trouble)));
}

/// Returns the runs of a name without its `@`, oldest first.
///
/// # Errors
/// Fails if no run matches.
pub(crate) fn find_named(name: &str, given: Option<&Path>) -> Result<(Store, Vec<StoreEntry>), CommandError> {
    let store = store(given)?;
    let entries = open(&store)?.find_named(name)?;
    Ok((store, entries))
}

/// Returns the run name after the `@` of a path; a file of such a name is written `./@name`.
pub(crate) fn name_of(path: &Path) -> Option<&str> {
    path.to_str()?.strip_prefix('@')
}

/// The file that is meant: itself, or of `@name` the latest run.
pub(crate) fn file(path: &Path, given: Option<&Path>) -> Result<PathBuf, CommandError> {
    let Some(name) = name_of(path) else { return Ok(path.to_owned()) };
    let (store, entries) = find_named(name, given)?;
    let latest = entries.last().ok_or_else(|| format!("no run is called '{name}'"))?;
    Ok(store.file(&latest.id, latest.source))
}
