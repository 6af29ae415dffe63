//! Suites and baselines of the store: the requirements of a suite's runs, and the reference runs of later
//! ones. Both refer to runs without containing them, and missing runs are reported.
//!
//! ```text
//! suites/<label>.json     the tests of a run of a suite, whose runs have that label
//! baselines/<name>.json   the runs of a baseline, each with its test
//! ```

use super::files::write_whole;
use super::notes::NotesKind;
use super::{Store, StoreError};
use diskspd_base::limits;
use diskspd_base::message_error::MessageError;
use diskspd_sys::files as sys_files;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SuiteNotes {
    pub suite: String,
    pub about: String,
    pub tests: Vec<TestNotes>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TestNotes {
    pub name: String,
    pub about: String,
    pub command: String,
    /// Name of the deciding figure; `None` = the default.
    pub metric: Option<String>,
    pub same: Option<f64>,
    pub worse: f64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Baseline {
    /// Time of the setting in seconds since 1970-01-01 00:00 UTC.
    pub set_at: i64,
    pub asked: SuiteNotes,
    pub runs: Vec<BaselineRun>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BaselineRun {
    pub id: String,
    pub test: String,
}

impl SuiteNotes {
    /// Reads the content of a file.
    ///
    /// # Errors
    /// Fails if the content is of another kind, or damaged.
    pub fn parse(bytes: &[u8]) -> Result<SuiteNotes, MessageError> {
        SUITES.parse(bytes)
    }
}

impl Baseline {
    /// Reads the content of a file.
    ///
    /// # Errors
    /// Fails if the content is of another kind, or damaged.
    pub fn parse(bytes: &[u8]) -> Result<Baseline, MessageError> {
        BASELINES.parse(bytes)
    }
}

const SUITES: NotesKind = NotesKind { folder: "suites", format: "diskspd-suite-notes" };
const BASELINES: NotesKind = NotesKind { folder: "baselines", format: "diskspd-baseline" };

impl Store {
    /// Stores the suite notes of the runs with this label.
    pub fn keep_suite(&self, label: &str, notes: &SuiteNotes) -> Result<(), StoreError> {
        self.put_notes(&SUITES, label, notes)
    }

    /// Returns the suite notes of the runs with this label; `None` = they do not belong to a suite.
    pub fn suite(&self, label: &str) -> Result<Option<SuiteNotes>, StoreError> {
        self.get(&SUITES, label)
    }

    /// Returns the labels of all suite runs, in no particular order.
    pub fn suites(&self) -> Result<Vec<String>, StoreError> {
        self.list_names(&SUITES)
    }

    /// Sets a baseline; replaces an earlier one with that name.
    pub fn set_baseline(&self, name: &str, baseline: &Baseline) -> Result<(), StoreError> {
        self.put_notes(&BASELINES, name, baseline)
    }

    /// Returns a baseline; `None` if the name is unknown.
    pub fn baseline(&self, name: &str) -> Result<Option<Baseline>, StoreError> {
        self.get(&BASELINES, name)
    }

    pub fn baselines(&self) -> Result<Vec<String>, StoreError> {
        let mut names = self.list_names(&BASELINES)?;
        names.sort();
        Ok(names)
    }

    /// Removes a baseline, but not its runs. Returns whether it existed.
    pub fn remove_baseline(&self, name: &str) -> Result<bool, StoreError> {
        let file = self.notes_file(&BASELINES, name);
        match fs::remove_file(&file) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(StoreError::File { file, why: format!("cannot be removed: {error}") }),
        }
    }

    fn notes_file(&self, kind: &NotesKind, name: &str) -> PathBuf {
        self.folder().join(kind.folder).join(format!("{name}.json"))
    }

    fn put_notes<T: Serialize>(&self, kind: &NotesKind, name: &str, notes: T) -> Result<(), StoreError> {
        let folder = self.folder().join(kind.folder);
        let failed = |error| StoreError::Folder { folder: folder.clone(), error };
        self.make_folder(&folder).map_err(failed)?;
        let file = self.notes_file(kind, name);
        let bytes = serde_json::to_vec_pretty(&kind.stored(notes));
        let bytes =
            bytes.map_err(|error| StoreError::Unwritten { file: file.clone(), why: error.to_string() })?;
        write_whole(&file, &bytes).map(drop)
    }

    fn get<T: DeserializeOwned>(&self, kind: &NotesKind, name: &str) -> Result<Option<T>, StoreError> {
        let file = self.notes_file(kind, name);
        let wrong = |why: String| StoreError::File { file: file.clone(), why };
        let bytes = match sys_files::read_input(&file, limits::NOTES) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| wrong(format!("cannot be read: {error}")))?,
        };
        kind.parse(&bytes).map(Some).map_err(|fault| wrong(fault.into()))
    }

    fn list_names(&self, kind: &NotesKind) -> Result<Vec<String>, StoreError> {
        let folder = self.folder().join(kind.folder);
        let failed = |error| StoreError::Folder { folder: folder.clone(), error };
        let listed = match fs::read_dir(&folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            listed => listed.map_err(failed)?,
        };
        let name = |entry: fs::DirEntry| Some(entry.file_name().to_str()?.strip_suffix(".json")?.to_owned());
        Ok(listed.flatten().filter_map(name).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn baseline() -> Baseline {
        let test = TestNotes { name: "log".into(), metric: Some("p99".into()), ..TestNotes::default() };
        let asked = SuiteNotes { suite: "nightly".into(), about: String::new(), tests: vec![test] };
        let runs = vec![BaselineRun { id: "abcd".into(), test: "log".into() }];
        Baseline { set_at: 7, asked, runs }
    }

    #[test]
    fn baseline_is_set_listed_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::in_folder(folder.path());
        assert!(store.baselines().unwrap().is_empty() && store.baseline("a").unwrap().is_none());
        store.set_baseline("a", &baseline()).unwrap();
        assert_eq!(store.baseline("a").unwrap(), Some(baseline()));
        assert_eq!(store.baselines().unwrap(), ["a"]);
        assert!(store.remove_baseline("a").unwrap() && !store.remove_baseline("a").unwrap());
    }

    #[test]
    fn unknown_or_damaged_store_file_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::in_folder(folder.path());
        store.set_baseline("a", &baseline()).unwrap();
        let file = folder.path().join("baselines/a.json");
        for (content, why) in
            [("{", "is damaged"), (r#"{"format":{"name":"x","version":1}}"#, "not a file of this kind")]
        {
            fs::write(&file, content).unwrap();
            let error = store.baseline("a").unwrap_err().to_string();
            assert!(error.contains(why) && error.contains("a.json"), "{error}");
        }
    }
}
