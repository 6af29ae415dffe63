//! Runs from files and folders: records, and the results of other programs (`record::formats`).

pub(crate) mod repeated;

use super::{fio_logs, patterns};
use crate::checks::JudgedRecord;
use crate::commands::shared::unread_runs::{RunsReadError, RunsReadErrorKind};
use crate::finding::Finding;
use crate::formats::decode;
use crate::formats::fio;
use crate::formats::json::{self, RecordError};
use crate::formats::known;
use crate::formats::table as formats;
use crate::formats::table::InputFormat;
use crate::limits::{EmptyInput, RECORD};
use crate::results::{Record, RunSummary};
use crate::store::packed;
use crate::sys::files;
use crate::sys::inode;
use crate::sys::standard_error::print_line;
use crate::units::visible;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes of one read.
const BUFFER: usize = 1 << 18;

/// Length of a file's beginning that identifies it, in bytes, because tools may write other text before
/// the results.
const HEAD_BYTES: u64 = 64 << 10;

/// File with one or several runs.
pub(crate) enum RunFile {
    Record(Box<Record>),
    /// Runs in results of DISKSPD or fio.
    Results(Vec<RunSummary>),
}

pub(crate) fn display_path(path: &Path) -> String {
    visible::line(&path.to_string_lossy()).into_owned()
}

/// Returns the selected files. A folder is replaced by its sorted records and results, see [`of_folder`].
/// Skipped files are reported.
///
/// # Errors
/// Returns an error for each folder that cannot be read, or is empty.
pub(crate) fn files(given: &[PathBuf]) -> Vec<(PathBuf, Result<(), RunsReadError>)> {
    let mut files = Vec::new();
    for path in given {
        if !path.is_dir() {
            files.extend(fitting(path).into_iter().map(|file| (file, Ok(()))));
            continue;
        }
        match of_folder(path) {
            Ok(found) if found.is_empty() => {
                let has_folders =
                    list_files(path).is_ok_and(|found| found.iter().any(|entry| entry.is_dir()));
                files.push((path.clone(), Err(RunsReadErrorKind::EmptyFolder { has_folders }.at_path(path))));
            }
            Ok(found) => {
                tell_skipped(path);
                files.extend(found.into_iter().map(|file| (file, Ok(()))));
            }
            Err(why) => files.push((path.clone(), Err(RunsReadErrorKind::Folder(why).at_path(path)))),
        }
    }
    repeated::with_records(files, |(file, _)| file.as_path(), |record| (record, Ok(())))
}

/// Returns a path, or the files that match a pattern. Missing files and empty matches are reported when
/// read.
pub(crate) fn fitting(path: &Path) -> Vec<PathBuf> {
    let found = patterns::matching(path).filter(|_| !path.exists()).and_then(Result::ok);
    let here = |file: PathBuf| file.strip_prefix(".").map(Path::to_owned).unwrap_or(file);
    match found.filter(|found| !found.is_empty()) {
        Some(found) => found.into_iter().map(here).collect(),
        None => vec![path.to_owned()],
    }
}

/// Extensions of files that are always read, in any case, with errors reported. Other files are only read
/// if they hold results.
const ENDINGS: [&[u8]; 4] = [b".json", b".json.gz", b".xml", b".xml.gz"];
const NOTES: &[u8] = b".about.json";

const MAX_NAMED: usize = 5;

/// Returns the sorted records and results in a folder (`*.json`, `*.xml`, and results detected by content,
/// also compressed). For a sweep's folder, the records of all its runs.
pub(crate) fn of_folder(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let files = list_files(&records_of_sweep(folder).unwrap_or_else(|| folder.to_owned()))?;
    Ok(files.into_iter().filter(|path| holds_runs(path)).collect())
}

fn records_of_sweep(folder: &Path) -> Option<PathBuf> {
    let records = folder.join("records");
    (folder.join("sweep.json").is_file() && records.is_dir()).then_some(records)
}

fn list_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    found.sort();
    Ok(found)
}

fn name_of(path: &Path) -> Vec<u8> {
    path.as_os_str().as_encoded_bytes().to_ascii_lowercase()
}

fn holds_runs(path: &Path) -> bool {
    let name = name_of(path);
    // A link of a received folder may lead anywhere.
    if name.ends_with(NOTES) || !files::has_data(path) {
        return false;
    }
    ENDINGS.iter().any(|ending| name.ends_with(ending)) || is_result_inside(path)
}

fn is_result_inside(path: &Path) -> bool {
    let read = |mut source: Box<dyn Read>| {
        let mut beginning = Vec::new();
        source.by_ref().take(HEAD_BYTES).read_to_end(&mut beginning).map(|_| beginning)
    };
    let Ok(beginning) = files::open_input(path).and_then(|file| read(Box::new(file))) else { return false };
    let beginning = match packed::is_packed(&beginning) {
        // A truncated part is ignored.
        true => {
            files::open_input(path).and_then(|file| read(Box::new(packed::reader(file)))).unwrap_or_default()
        }
        false => beginning,
    };
    formats::of_beginning(&beginning).is_some()
}

fn tell_skipped(folder: &Path) {
    if records_of_sweep(folder).is_some() {
        return;
    }
    let Ok(files) = list_files(folder) else { return };
    let skipped = files.into_iter().filter(|path| !holds_runs(path) && !name_of(path).ends_with(NOTES));
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = skipped.partition(|path| path.is_dir());
    for (paths, noun, nouns, why) in
        [(files, "entry", "entries", " without runs"), (folders, "folder", "folders", "")]
    {
        let names: Vec<String> = paths
            .iter()
            .filter_map(|path| Some(display_path(Path::new(path.file_name()?))))
            // They belong to the results beside them.
            .filter(|name| !fio::is_any_log(name))
            .collect();
        let entries = match names.len() {
            0 => continue,
            1 => format!("1 {noun}"),
            several => format!("{several} {nouns}"),
        };
        let more = match names.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names = names.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        print_line(Finding::note(format!("{}: skipped {entries}{why}: {names}{more}", display_path(folder))));
    }
}

/// Returns the summaries of the runs in a file. Only the index of a record is read.
///
/// # Errors
/// Fails if it cannot be read, or contains no run.
pub(crate) fn known_runs(path: &Path) -> Result<Vec<RunSummary>, RunsReadError> {
    if let Some(run) = from_index(path) {
        return Ok(vec![run]);
    }
    Ok(match run_file(path)? {
        RunFile::Record(record) => vec![known::run(&JudgedRecord::new(&record), &display_path(path))],
        RunFile::Results(runs) => runs,
    })
}

/// Returns the index of a record; `None` if it is missing, old or invalid, which reading the whole record
/// reports.
fn from_index(path: &Path) -> Option<RunSummary> {
    // Opening a pipe to look at it would take its beginning away.
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut file = files::open_input(path).ok()?;
    let index = json::read_index(&mut file).ok()??;
    index.0.findings.as_ref()?;
    // A truncated file does not contain the whole measurement.
    let mut end = Vec::new();
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(16))).ok()?;
    file.read_to_end(&mut end).ok()?;
    end.trim_ascii_end().ends_with(b"}").then(|| known::of_index(index, &display_path(path)))
}

/// Returns the content of a file or a pipe.
///
/// # Errors
/// Fails if it cannot be read, or contains no run.
pub(crate) fn run_file(path: &Path) -> Result<RunFile, RunsReadError> {
    open_runs(open(path), path).map_err(|fault| fault.at_path(path))
}

fn open_runs(opened: io::Result<OpenedInput>, path: &Path) -> Result<RunFile, RunsReadErrorKind> {
    let (bytes, format) = match opened.map_err(RunsReadErrorKind::File)? {
        OpenedInput::Record(source) => {
            let record = json::read_from(BufReader::with_capacity(BUFFER, source))?;
            return Ok(RunFile::Record(Box::new(record)));
        }
        OpenedInput::Results(file, format) => {
            (format.limit.read(file).map_err(RunsReadErrorKind::File)?, Some(format))
        }
        OpenedInput::Text(bytes) => {
            let format = format_of(path, &bytes);
            (bytes, format)
        }
    };
    EmptyInput::check(&bytes).map_err(RecordError::from)?;
    let Some(format) = format else {
        return Ok(RunFile::Record(Box::new(json::read(&decode::in_utf8(&bytes))?)));
    };
    let mut runs = (format.read)(&bytes, &display_path(path))?;
    fio_logs::add(&mut runs, path);
    Ok(RunFile::Results(runs))
}

/// Returns the record from a file or a pipe.
///
/// # Errors
/// Fails if it cannot be read, or is not a record.
pub(crate) fn record(path: &Path) -> Result<Record, RunsReadError> {
    Ok(owned_record(path)?.0)
}

/// As [`record`], with the owner of the file.
pub(crate) fn owned_record(path: &Path) -> Result<(Record, u32), RunsReadError> {
    let file = files::open_input(path).map_err(|error| RunsReadErrorKind::File(error).at_path(path))?;
    let found = file.metadata().map_err(|error| RunsReadErrorKind::File(error).at_path(path))?;
    match open_runs(read_opened(file, path), path).map_err(|fault| fault.at_path(path))? {
        RunFile::Record(record) => Ok((*record, inode::owner(&found))),
        RunFile::Results(_) => Err(RunsReadErrorKind::from(RecordError::Results).at_path(path)),
    }
}

/// File, or the content of a compressed file.
trait Source: Read + Seek {}

impl<S: Read + Seek> Source for S {}

enum OpenedInput {
    Record(Box<dyn Source>),
    Results(Box<dyn Source>, &'static InputFormat),
    /// Text in another encoding, or a short text.
    Text(Vec<u8>),
}

fn open(path: &Path) -> io::Result<OpenedInput> {
    read_opened(files::open_input(path)?, path)
}

fn read_opened(mut file: File, path: &Path) -> io::Result<OpenedInput> {
    let mut source: Box<dyn Source> = match file.metadata()?.is_file() {
        false => Box::new(packed::spool(file)?),
        true => {
            let mut magic = Vec::new();
            (&mut file).take(2).read_to_end(&mut magic)?;
            file.rewind()?;
            match packed::is_packed(&magic) {
                true => Box::new(packed::UnpackedFile::new(file)),
                false => Box::new(file),
            }
        }
    };
    let mut beginning = Vec::new();
    (&mut source).take(HEAD_BYTES).read_to_end(&mut beginning)?;
    if let Err(found) = EmptyInput::check(&beginning)
        && continues_empty(&mut source, found)?
    {
        return Ok(OpenedInput::Text(beginning));
    }
    source.rewind()?;
    Ok(match format_of(path, &beginning) {
        Some(format) => OpenedInput::Results(source, format),
        None if decode::is_marked(&beginning) => {
            OpenedInput::Text(decode::in_utf8(&RECORD.read(source)?).into_owned())
        }
        None => OpenedInput::Record(source),
    })
}

/// Whether the rest of a source is as empty as its beginning.
fn continues_empty(source: &mut impl Read, found: EmptyInput) -> io::Result<bool> {
    let mut part = Vec::new();
    let mut length = HEAD_BYTES;
    while source.by_ref().take(HEAD_BYTES).read_to_end(&mut part)? > 0 {
        length += part.len() as u64;
        RECORD.check(usize::try_from(length).unwrap_or(usize::MAX)).map_err(io::Error::other)?;
        if EmptyInput::check(&part) != Err(found) {
            return Ok(false);
        }
        part.clear();
    }
    Ok(true)
}

/// Returns the format of a file by its beginning or name; `None` = presumably a record.
pub(crate) fn format_of(path: &Path, beginning: &[u8]) -> Option<&'static InputFormat> {
    formats::of_beginning(beginning).or_else(|| {
        // The name identifies it, so its errors are reported.
        let word = match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "xml" => "xml",
            "txt" => "text",
            _ => return None,
        };
        let text = beginning.iter().find(|byte| !byte.is_ascii_whitespace() && **byte != 0);
        formats::of_word(word).filter(|_| text != Some(&b'{'))
    })
}
