//! The history: runs that are kept.
//!
//! ```text
//! runs/<id>.json.gz     a record, compressed; never changed                     authoritative
//! runs/<id>.xml.gz      a result of DISKSPD that was imported
//! runs/<id>.about.json  label, tags, pinned                                     authoritative
//! index.sqlite          headline figures of all of them                         follows
//! ```
//!
//! A run is kept when its record has its name and the folder is on the disk. After that, the index always
//! finds it. docs/reference/history.md describes files and tables, docs/design/store.md has the reasons.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod about;
mod baseline;
pub mod database;
mod entry;
mod error;
mod files;
mod find;
mod id;
mod keep;
mod machines;
mod notes;
pub mod packed;
mod trend;
mod work;

pub use about::RunNotes;
pub use baseline::{Baseline, BaselineRun, SuiteNotes, TestNotes};
pub use database::{IndexMessages, StoreIndex};
pub use entry::StoreEntry;
pub use error::StoreError;
pub use files::{StoredForm, StoredRun};
pub use keep::{ImportOutcome, SavedRun};
pub use machines::{Fingerprints, MachineNames};
pub use trend::{History, TrendPoint};
pub use work::{SpanWork, WORK};

use diskspd_sys::atomic_file::FileTarget;
use std::path::{Path, PathBuf};

const INDEX: &str = "index.sqlite";

/// Folder with runs, unchanged until the first operation.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// Creates the store of this folder, which may be missing.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Store {
        Store { folder: folder.into() }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn is_there(&self) -> bool {
        self.runs_folder().is_dir()
    }

    /// Creates the folder and tests whether it accepts a file, so that an error is not found only after an
    /// hour.
    pub fn try_out(&self) -> Result<(), StoreError> {
        let folder = self.runs_folder();
        let failed = |error| StoreError::Folder { folder: folder.clone(), error };
        self.make_with_those_above(&folder).map_err(failed)?;
        let tried = FileTarget::open(&folder.join(id::random())).map_err(|error| error.to_string());
        tried.map(drop).map_err(|why| failed(std::io::Error::other(why)))
    }

    fn runs_folder(&self) -> PathBuf {
        self.folder.join("runs")
    }

    fn index_file(&self) -> PathBuf {
        self.folder.join(INDEX)
    }
}
