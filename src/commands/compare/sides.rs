//! Runs for comparisons from any named source: files, lists with commas, folders, runs of the history.

use crate::commands::experiments::suite;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::input::load_runs::{self, RunFile, display_path, repeated};
use crate::commands::shared::input::patterns;
use crate::commands::shared::runs::{side_run, stored};
use crate::experiments::compare::{Side, SideRun};
use crate::finding::Finding;
use crate::path;
use crate::results::{RunIndex, RunSummary};
use crate::store::StoreEntry;
use crate::sys::standard_error::print_line;
use crate::units::visible;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

pub(crate) const INTERRUPTED: &str =
    "the comparison was interrupted without a result; use --save to keep the runs";

/// The runs of a side, at least one.
///
/// # Errors
/// Fails if a run cannot be read, or there are no runs.
pub(crate) fn side(named: &OsStr, store: Option<&Path>) -> Result<Side, CommandError> {
    let name = named.to_string_lossy().into_owned();
    let mut runs = Vec::new();
    for file in find_files(named, store)? {
        runs.extend(read_file(&file.file, &file.name)?);
    }
    match runs.is_empty() {
        true => Err(format!("{name}: it holds no run").into()),
        false => Ok(Side { runs: with_tests(each_once(runs, &name), store)?, name }),
    }
}

fn with_tests(runs: Vec<SideRun>, store: Option<&Path>) -> Result<Vec<SideRun>, CommandError> {
    let id = |run: &SideRun| run.known.name.strip_prefix('@').map(str::to_owned);
    if runs.iter().all(|run| id(run).is_none()) {
        return Ok(runs);
    }
    let store = stored::store(store)?;
    if !store.is_there() {
        return Ok(runs);
    }
    let index = store.open_to_look()?;
    let with_test = |run: SideRun| {
        let entry = id(&run).and_then(|id| index.find_named(&id).ok()?.into_iter().next());
        let test = entry.and_then(|entry| suite::kept::test_of(&entry.about.tags));
        SideRun { test, ..run }
    };
    Ok(runs.into_iter().map(with_test).collect())
}

/// Removes duplicates of a run, such as copies or other formats, because they would look like agreeing
/// runs. The record is kept, because it has the most information. Omissions are reported.
pub(crate) fn each_once(runs: Vec<SideRun>, side: &str) -> Vec<SideRun> {
    let all = runs.len();
    let mut once: Vec<SideRun> = Vec::new();
    let mut index = RunIndex::default();
    let mut left_out: Option<[String; 2]> = None;
    for run in runs {
        let found = index.find(&run.known, |place| once.get(place).map(|known| &known.known));
        index.add(&run.known, found.unwrap_or(once.len()));
        let Some(known) = found.and_then(|place| once.get_mut(place)) else {
            once.push(run);
            continue;
        };
        let is_better = known.known.identity.is_none() && run.known.identity.is_some();
        let copy = if is_better { std::mem::replace(known, run) } else { run };
        left_out.get_or_insert_with(|| [copy.known.name, known.known.name.clone()]);
    }
    if let Some([copy, of]) = left_out {
        let count = all - once.len();
        let rest = if count > 1 { format!("; and so are {} more", count - 1) } else { String::new() };
        let told = format!("{side}: '{copy}' is left out, because it is the same run as '{of}'{rest}");
        print_line(Finding::note(visible::line(&told).into_owned()));
    }
    once
}

/// Reports runs that belong to both sides and cannot show a change.
pub(crate) fn warn_shared_runs([first, other]: [&Side; 2]) -> bool {
    let index = RunIndex::from_runs(first.runs.iter().map(|run| &run.known));
    let at = |place: usize| first.runs.get(place).map(|run| &run.known);
    let both = |run: &&SideRun| index.find(&run.known, at).is_some();
    let common: Vec<&SideRun> = other.runs.iter().filter(both).collect();
    let Some(one) = common.first() else { return false };
    let told = match common.len() {
        1 => format!("a run is on both sides ('{}')", one.known.name),
        count => format!("{count} runs are on both sides ('{}' among them)", one.known.name),
    };
    let told = format!("{told}: compared with itself a run shows no change");
    print_line(
        Finding::warning(visible::line(&told).into_owned()).remedy("name other runs for one of the sides"),
    );
    true
}

/// Returns the files of these sides.
pub(crate) fn read_files(sides: &[OsString], store: Option<&Path>) -> Result<Vec<PathBuf>, CommandError> {
    let mut all = Vec::new();
    for named in sides {
        all.extend(find_files(named, store)?.into_iter().map(|named| named.file));
    }
    Ok(all)
}

struct LabeledFile {
    file: PathBuf,
    name: String,
}

fn plain_file(file: PathBuf) -> LabeledFile {
    LabeledFile { name: display_path(&file), file }
}

fn find_files(named: &OsStr, store: Option<&Path>) -> Result<Vec<LabeledFile>, CommandError> {
    let whole = Path::new(named);
    let with_records =
        |files: Vec<LabeledFile>| repeated::with_records(files, |named| named.file.as_path(), plain_file);
    // A comma may be a part of a name.
    if whole.exists() {
        return of_one(whole, store).map(with_records);
    }
    let parts = named.as_encoded_bytes().split(|byte| *byte == b',').filter(|part| !part.is_empty());
    let mut all = Vec::new();
    for part in parts {
        all.extend(of_one(&path::path(part), store)?);
    }
    Ok(with_records(all))
}

fn of_one(path: &Path, store: Option<&Path>) -> Result<Vec<LabeledFile>, CommandError> {
    if let Some(name) = stored::name_of(path) {
        let (store, entries) = stored::find_named(name, store)?;
        let file = |entry: &StoreEntry| LabeledFile {
            file: store.file(&entry.id, entry.source),
            name: format!("@{}", entry.id),
        };
        return Ok(entries.iter().map(file).collect());
    }
    if path.is_dir() {
        let found = load_runs::of_folder(path);
        let found = found.map_err(|error| format!("{}: cannot be listed: {error}", display_path(path)))?;
        return Ok(found.into_iter().map(plain_file).collect());
    }
    match path.exists() {
        true => Ok(vec![plain_file(path.to_owned())]),
        false => matching_files(path),
    }
}

fn matching_files(path: &Path) -> Result<Vec<LabeledFile>, CommandError> {
    let given = display_path(path);
    let Some(listed) = patterns::matching(path) else {
        return Err(format!("{given}: no such file; for a run of the history write @label or @id").into());
    };
    let folder = patterns::folder(path);
    let found = listed.map_err(|error| format!("{}: cannot be listed: {error}", display_path(folder)))?;
    match found.is_empty() {
        true => Err(format!("{given}: no file matches").into()),
        false => Ok(found.into_iter().map(plain_file).collect()),
    }
}

/// The runs in a file, which people call `called`.
///
/// # Errors
/// Fails if it cannot be read, or does not contain a run.
pub(crate) fn read_file(file: &Path, called: &str) -> Result<Vec<SideRun>, CommandError> {
    let results = match load_runs::run_file(file)? {
        RunFile::Record(record) => return Ok(vec![side_run::of_record(&record, called)]),
        RunFile::Results(results) => results,
    };
    // A file of the history is known by its id.
    let name = |known: RunSummary| {
        let behind = known.name.strip_prefix(&display_path(file)).unwrap_or_default();
        RunSummary { name: format!("{called}{behind}"), ..known }
    };
    Ok(results.into_iter().map(|known| side_run::of_known(name(known))).collect())
}
