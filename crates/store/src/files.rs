//! The files of a store: crash-safe writing, and reading.

use super::notes::NotesKind;
use super::packed::{self, UnpackedFile};
use super::{RunNotes, Store, StoreError, id};
use diskspd_base::fnv::Fnv;
use diskspd_base::limits;
use diskspd_base::message_error::MessageError;
use diskspd_checks::JudgedRecord;
use diskspd_formats::{index, json, known, table};
use diskspd_machine::fingerprint::Fingerprint;
use diskspd_results::{Origin, RecordFormat, RunSummary};
use diskspd_sys::atomic_file::{FileTarget, NewFile, create_elsewhere};
use diskspd_sys::fault_points::{self, FileStep};
use diskspd_sys::folder::{self, OpenFolder};
use diskspd_sys::{clock, locks};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufRead, BufReader, Seek};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredForm {
    Record,
    ResultXml,
    ResultText,
    Fio,
}

impl StoredForm {
    /// Returns the origin without the version of the format, which only the file contains.
    pub(super) fn origin(self) -> Origin {
        match self {
            StoredForm::Record => Origin::Record { version: RecordFormat::VERSION },
            StoredForm::ResultXml => Origin::ResultXml { version: None },
            StoredForm::ResultText => Origin::ResultText,
            StoredForm::Fio => Origin::Fio { version: None },
        }
    }

    /// Returns the end of the file name.
    pub fn ending(self) -> &'static str {
        match self {
            StoredForm::Record => "json.gz",
            StoredForm::ResultXml => "xml.gz",
            StoredForm::ResultText => "txt.gz",
            StoredForm::Fio => "fio.json.gz",
        }
    }

    /// Returns the word in the index; for results of other programs, the name of their format.
    pub fn word(self) -> &'static str {
        match self {
            StoredForm::Record => "json",
            StoredForm::ResultXml => "xml",
            StoredForm::ResultText => "text",
            StoredForm::Fio => "fio",
        }
    }

    pub fn of_word(word: &str) -> Option<StoredForm> {
        StoredForm::ALL.into_iter().find(|kept| kept.word() == word)
    }

    pub(super) fn of_ending(ending: &str) -> Option<StoredForm> {
        StoredForm::ALL.into_iter().find(|kept| kept.ending() == ending)
    }

    pub const ALL: [StoredForm; 4] =
        [StoredForm::Record, StoredForm::ResultXml, StoredForm::ResultText, StoredForm::Fio];
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRun {
    pub id: String,
    pub file: PathBuf,
}

const NOTES_FILE: &str = "about.json";

const NOTES: NotesKind = NotesKind { folder: "runs", format: "diskspd-about" };

impl Store {
    /// Keeps a run's file under a new id. On return it is durable; the index follows.
    ///
    /// # Errors
    /// Fails if it cannot be written, with the location of the rescued content.
    pub fn keep(
        &self,
        source: StoredForm,
        content: &[u8],
        about: &RunNotes,
    ) -> Result<StoredRun, StoreError> {
        let packed = packed::pack(content);
        let kept = self.place_it(source, &packed, about);
        kept.map_err(|error| match error {
            StoreError::Unwritten { file, why } => {
                let why = match keep_elsewhere(source, &packed) {
                    Ok(path) => format!("{why}; the run is kept as {}", path.display()),
                    Err(other) => format!("{why}; nor can the run be kept elsewhere: {other}"),
                };
                StoreError::Unwritten { file, why }
            }
            error => error,
        })
    }

    fn place_it(&self, source: StoredForm, packed: &[u8], about: &RunNotes) -> Result<StoredRun, StoreError> {
        let folder = self.runs_folder();
        let unwritten =
            |error: io::Error| StoreError::Unwritten { file: folder.clone(), why: error.to_string() };
        self.make_folder(&folder).map_err(unwritten)?;
        loop {
            let id = id::random();
            if self.has_run(&id, source)? {
                continue;
            }
            let file = self.file(&id, source);
            // First: with its record the run is there, and has to be complete. As long as it's open it is
            // nobody's to clean up.
            let about = self.write_about(&id, about)?;
            if let Err(error) = write_whole(&file, packed) {
                let _ = self.open_runs().map(|runs| runs.remove(&name_of(&id, NOTES_FILE)));
                return Err(error);
            }
            drop(about);
            return Ok(StoredRun { id, file });
        }
    }

    /// Creates a folder of the store. On return its name is durable, including new parent folders.
    pub(super) fn make_folder(&self, folder: &Path) -> io::Result<()> {
        fault_points::check_step(FileStep::MakeFolder)?;
        self.make_with_those_above(folder)?;
        // Also where they are there: whoever made them may have been killed before they were on the disk.
        sync_all(BTreeSet::from([parent_folder(folder), parent_folder(&self.folder)]))
    }

    /// Creates a folder of the store. New parent folders of the store itself are durable too.
    pub(super) fn make_with_those_above(&self, folder: &Path) -> io::Result<()> {
        let all = self.folder.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty());
        let holders = all.filter(|path| !path.exists()).map(parent_folder).collect();
        folder::refuse_foreign_link(folder)?;
        folder::make_all(folder)?;
        sync_all(holders)
    }

    pub fn file(&self, id: &str, source: StoredForm) -> PathBuf {
        self.runs_folder().join(name_of(id, source.ending()))
    }

    fn about_file(&self, id: &str) -> PathBuf {
        self.runs_folder().join(name_of(id, NOTES_FILE))
    }

    /// Opens the folder of the runs, for direct access to its files.
    pub(super) fn open_runs(&self) -> Result<OpenFolder, StoreError> {
        let failed = |error| StoreError::Folder { folder: self.runs_folder(), error };
        folder::refuse_foreign_link(&self.runs_folder()).map_err(failed)?;
        OpenFolder::open(&self.runs_folder()).map_err(failed)
    }

    pub(super) fn has_run(&self, id: &str, source: StoredForm) -> Result<bool, StoreError> {
        let failed = |error| StoreError::Folder { folder: self.runs_folder(), error };
        Ok(self.open_runs()?.stamp(&name_of(id, source.ending())).map_err(failed)?.is_some())
    }

    /// Returns the notes about a run; empty = there is no file.
    pub fn read_notes(&self, id: &str) -> Result<RunNotes, StoreError> {
        let file = self.about_file(id);
        let wrong = |why: String| StoreError::File { file: file.clone(), why };
        let read = || {
            limits::NOTES.read(self.open_runs().map_err(io::Error::other)?.file(&name_of(id, NOTES_FILE))?)
        };
        match read() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(RunNotes::default()),
            Err(error) => Err(wrong(format!("cannot be read: {error}"))),
            Ok(bytes) => NOTES
                .parse(&bytes)
                .map_err(|fault| wrong(format!("{fault}; remove it (only label and tags are lost)"))),
        }
    }

    /// Returns the stamp of a run's notes, which differs after every change; 0 = no notes.
    pub(super) fn notes_stamp(runs: &OpenFolder, id: &str) -> io::Result<i64> {
        Ok(runs.stamp(&name_of(id, NOTES_FILE))?.unwrap_or(0))
    }

    pub(super) fn write_about(&self, id: &str, about: &RunNotes) -> Result<NewFile, StoreError> {
        let file = self.about_file(id);
        let bytes = serde_json::to_vec(&NOTES.stored(about));
        let bytes =
            bytes.map_err(|error| StoreError::Unwritten { file: file.clone(), why: error.to_string() })?;
        write_whole(&file, &bytes)
    }

    pub(super) fn remove_files(&self, id: &str) -> Result<(), StoreError> {
        let runs = self.open_runs()?;
        // The run first: without it the other is nothing.
        for ending in StoredForm::ALL.map(StoredForm::ending).into_iter().chain([NOTES_FILE]) {
            let name = name_of(id, ending);
            match runs.remove(&name) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    let file = self.runs_folder().join(name);
                    return Err(StoreError::File { file, why: format!("cannot be removed: {error}") });
                }
                _ => {}
            }
        }
        runs.sync().map_err(|error| StoreError::Folder { folder: self.runs_folder(), error })
    }

    /// Returns the existing runs by id, and removes leftovers of programs that were killed before keeping
    /// a run.
    pub(super) fn listed(&self) -> Result<BTreeSet<(String, &'static str)>, StoreError> {
        let failed = |error| StoreError::Folder { folder: self.runs_folder(), error };
        let folder = self.open_runs()?;
        let (mut found, mut notes, mut drafts) = (BTreeSet::new(), Vec::new(), Vec::new());
        for name in folder.names().map_err(failed)? {
            let Some(name) = name.to_str() else { continue };
            let Some((id, ending)) = name.split_once('.') else { continue };
            if !id::is_whole(id) {
                continue;
            }
            if ending == NOTES_FILE {
                notes.push(id.to_owned());
            } else if let Some(source) = StoredForm::of_ending(ending) {
                found.insert((id.to_owned(), source.ending()));
            } else if is_draft(ending) {
                drafts.push(name.to_owned());
            }
        }
        drafts.iter().for_each(|name| remove_draft(&folder, name));
        let is_run = |id: &String| StoredForm::ALL.iter().any(|s| found.contains(&(id.clone(), s.ending())));
        notes.iter().filter(|id| !is_run(id)).for_each(|id| clean_up(&folder, id));
        Ok(found)
    }

    /// Returns the summary of a kept run.
    ///
    /// # Errors
    /// Fails if its file cannot be read; [`io::ErrorKind::NotFound`] becomes `Ok(None)`.
    pub fn read_known(&self, id: &str, source: StoredForm) -> Result<Option<RunSummary>, StoreError> {
        let file = self.file(id, source);
        let wrong = |why: String| StoreError::File { file: file.clone(), why };
        let runs = self.open_runs()?;
        let open = || match runs.file(&name_of(id, source.ending())) {
            Ok(open) => Ok(Some(open)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(wrong(format!("cannot be read: {error}"))),
        };
        let Some(opened) = open()? else { return Ok(None) };
        if source == StoredForm::Record {
            match json::read_index(packed::reader(BufReader::new(opened))) {
                Ok(Some(index)) => return Ok(Some(known::of_index(index, id))),
                // An older record, or its index isn't of today's form.
                Ok(None) | Err(json::RecordError::Field { .. }) => {}
                Err(error) => return Err(wrong(error.to_string())),
            }
        }
        let Some(opened) = open()? else { return Ok(None) };
        let known = match source {
            StoredForm::Record => known_record(BufReader::new(UnpackedFile::new(opened)), id),
            _ => {
                let content = packed::unpack(BufReader::new(opened));
                known_of(source, &content.map_err(|error| wrong(error.to_string()))?, id)
            }
        };
        known.map(Some).map_err(|why| wrong(why.to_string()))
    }

    /// Returns the parts of a run's fingerprint; `None` = its file lacks them.
    pub(super) fn fingerprint(&self, id: &str) -> Option<Fingerprint> {
        let opened = self.open_runs().ok()?.file(&name_of(id, StoredForm::Record.ending())).ok()?;
        let record = json::read_from(BufReader::new(UnpackedFile::new(opened))).ok()?;
        record.host().system.fingerprint.clone()
    }
}

/// Time in s during which an unlocked file counts as in use; a writer finishes within milliseconds.
const DRAFT_LIFE_S: i64 = 10;

fn name_of(id: &str, ending: &str) -> String {
    if id::is_whole(id) { format!("{id}.{ending}") } else { String::new() }
}

fn parent_folder(path: &Path) -> PathBuf {
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    above.unwrap_or(Path::new(".")).to_owned()
}

/// Waits until the names in the folders are durable.
fn sync_all(folders: BTreeSet<PathBuf>) -> io::Result<()> {
    for folder in folders {
        match OpenFolder::open(&folder) {
            // Files can be created in it, but it cannot be opened: there is no way to wait for the disk.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
            opened => opened?.sync()?,
        }
    }
    Ok(())
}

/// Removes notes of a run that was never kept, unless a running process is about to keep it or has just
/// kept it.
fn clean_up(folder: &OpenFolder, id: &str) {
    let about = name_of(id, NOTES_FILE);
    let Ok(file) = folder.file(&about) else { return };
    // What can't be looked at may be there.
    let may_be_there = |source: &StoredForm| !matches!(folder.stamp(&name_of(id, source.ending())), Ok(None));
    let is_run = || StoredForm::ALL.iter().any(may_be_there);
    if locks::hold(&file).unwrap_or(false) && !is_run() {
        // Another time, if not now.
        let _ = folder.remove(&about);
    }
}

fn is_draft(ending: &str) -> bool {
    let is_random = |part: &str| part.len() == 16 && part.bytes().all(|digit| digit.is_ascii_hexdigit());
    ending.split('.').any(is_random)
}

/// Removes a file whose program was killed before the file took its place. It must be unlocked, and too
/// old to be locked soon.
fn remove_draft(folder: &OpenFolder, name: &str) {
    let Ok(file) = folder.file(name) else { return };
    let changed = file.metadata().and_then(|found| found.modified()).ok();
    let changed_s = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map(|time| time.as_secs());
    let is_old = changed_s.is_some_and(|at| clock::wall_seconds() > at as i64 + DRAFT_LIFE_S);
    if is_old && locks::hold(&file).unwrap_or(false) {
        // Another time, if not now.
        let _ = folder.remove(name);
    }
}

fn known_record(content: impl BufRead + Seek, name: &str) -> Result<RunSummary, MessageError> {
    let record = json::read_from(content).map_err(|error| error.to_string())?;
    let index = index::Index::from_record(&JudgedRecord::new(&record));
    Ok(known::of_index(index, name))
}

pub(super) fn known_of(source: StoredForm, bytes: &[u8], name: &str) -> Result<RunSummary, MessageError> {
    match source {
        StoredForm::Record => known_record(io::Cursor::new(bytes), name),
        StoredForm::ResultXml | StoredForm::ResultText | StoredForm::Fio => {
            let format = table::of_word(source.word()).ok_or("has an unknown format")?;
            let mut runs = (format.read)(bytes, name).map_err(|error| error.to_string())?;
            match (runs.pop(), runs.len()) {
                (Some(run), 0) => Ok(RunSummary { identity: Some(of_content(bytes)), ..run }),
                (_, more) => Err(format!("holds {} results, and should hold one", more + 1).into()),
            }
        }
    }
}

fn of_content(content: &[u8]) -> String {
    let mut hash = Fnv::default();
    hash.add(content);
    hash.to_string()
}

/// Writes a file durably, which exists completely or not at all. It is locked while it is open.
pub(super) fn write_whole(file: &Path, bytes: &[u8]) -> Result<NewFile, StoreError> {
    let unwritten = |why: String| StoreError::Unwritten { file: file.to_owned(), why };
    let place = FileTarget::open(file).map_err(|error| unwritten(error.to_string()))?;
    let written = place.begin().and_then(|mut new| {
        // Without locks no one locks for a clean-up either.
        let _ = locks::hold(new.file());
        fault_points::write_all(new.file(), bytes)?;
        fault_points::sync_all(new.file())?;
        Ok(new)
    });
    let mut new = written.map_err(|error| unwritten(error.to_string()))?;
    new.put().map_err(|not| unwritten(not.to_string()))?;
    // A name is on the disk when its folder is.
    let folder = OpenFolder::open(file.parent().unwrap_or(Path::new(".")));
    folder.and_then(|folder| folder.sync()).map_err(|error| unwritten(error.to_string()))?;
    Ok(new)
}

fn keep_elsewhere(source: StoredForm, bytes: &[u8]) -> io::Result<PathBuf> {
    let (mut file, path) = create_elsewhere(format!("run.{}", source.ending()).as_ref())?;
    let written = fault_points::write_all(&mut file, bytes);
    let _ = fault_points::sync_all(&file);
    if written.is_err() {
        let _ = fs::remove_file(&path);
    }
    written.map(|()| path)
}
