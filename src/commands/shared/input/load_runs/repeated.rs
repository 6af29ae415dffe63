//! The file of a repetition (`--repeat N --out r.json`) stands for the records of its runs, so `r*.json`
//! contains a run only once.

use crate::commands::shared::unread_runs::{RunsReadError, RunsReadErrorKind};
use crate::experiments::StoredAnswer;
use crate::experiments::repetition::{RepeatedRun, Repetition};
use crate::finding::Finding;
use crate::formats::{answers, json};
use crate::limits::ANSWER;
use crate::sys::files;
use crate::sys::standard_error::print_line;
use crate::units::visible;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Bytes that suffice to detect the content of a file.
const HEAD_BYTES: u64 = 200;

/// The answer of this kind in a file; `None` = the file holds something else.
///
/// # Errors
/// Fails if the file cannot be read, or the answer is damaged.
pub(crate) fn answer<A: StoredAnswer>(path: &Path) -> Result<Option<A>, RunsReadError> {
    // A look at a pipe would take its beginning away.
    if !path.is_file() {
        return Ok(None);
    }
    let fault = |error| RunsReadErrorKind::File(error).at_path(path);
    let mut beginning = Vec::new();
    files::open_input(path).map_err(fault)?.take(HEAD_BYTES).read_to_end(&mut beginning).map_err(fault)?;
    if !answers::begins_so::<A>(&String::from_utf8_lossy(&beginning)) {
        return Ok(None);
    }
    let bytes = files::read_input(path, ANSWER).map_err(fault)?;
    answers::read(&bytes).map(Some).map_err(|error| RunsReadErrorKind::from(error).at_path(path))
}

/// The records of all runs, in the folder of the repetition; `None` = some are missing or of other runs.
pub(crate) fn records(repetition: &Repetition, path: &Path) -> Option<Vec<PathBuf>> {
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

/// Replaces repetitions among these files by the records of their runs, without duplicates. Records of an
/// earlier, longer repetition of the same name are left out, and a note names them.
pub(crate) fn with_records<T>(
    files: Vec<T>,
    path: impl Fn(&T) -> &Path,
    of: impl Fn(PathBuf) -> T,
) -> Vec<T> {
    let found: Vec<Option<(Repetition, Vec<PathBuf>)>> = files
        .iter()
        .map(|file| {
            let repetition = answer::<Repetition>(path(file)).ok()??;
            let records = records(&repetition, path(file))?;
            Some((repetition, records))
        })
        .collect();
    let is_earlier = |file: &Path| {
        let repetitions =
            files.iter().zip(&found).filter_map(|(of, found)| Some((path(of), found.as_ref()?)));
        repetitions
            .filter(|(of, (repetition, _))| is_left_over(file, of, repetition))
            .map(|(of, _)| of)
            .next()
    };
    let is_kept = |file: &&T| match is_earlier(path(file)) {
        Some(of) => {
            let [file, of] = [path(file), of].map(|path| visible::line(&path.to_string_lossy()).into_owned());
            let told = format!("{file} is left out, because it is not a run of the repetition {of}");
            print_line(Finding::note(told).remedy("name it alone to read it"));
            false
        }
        None => true,
    };
    let kept: Vec<bool> = files.iter().map(|file| is_kept(&file)).collect();
    let mut known: HashMap<PathBuf, bool> = HashMap::new();
    let mut all = Vec::new();
    for ((file, found), _) in files.into_iter().zip(found).zip(kept).filter(|(_, kept)| *kept) {
        let (found, is_of_repetition) = match found {
            Some((_, records)) => (records.into_iter().map(&of).collect(), true),
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

/// Whether a file has the name of a run after the last one of a repetition, in the same folder.
fn is_left_over(file: &Path, of: &Path, repetition: &Repetition) -> bool {
    let number = || {
        let (stem, whole) = (file.file_stem()?.to_str()?, of.file_stem()?.to_str()?);
        stem.strip_prefix(whole)?.strip_prefix('-')?.parse::<usize>().ok()
    };
    let is_beside = file.parent() == of.parent() && file.extension() == of.extension();
    is_beside && number().is_some_and(|number| number > repetition.runs.len())
}
