//! Why something can't be kept or found.

use std::io;
use std::path::PathBuf;

/// Why something can't be kept or found.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder can't be made or listed.
    #[error("{}: {error}; name another store with --store or DISKSPD_STORE", .folder.display())]
    Folder {
        /// Which one.
        folder: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file of a run can't be read.
    #[error("{}: {why}", .file.display())]
    File {
        /// Which one.
        file: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A file can't be written. Reads on behind what was to be done.
    #[error("{}: can't be written: {why}", .file.display())]
    Unwritten {
        /// Which one.
        file: PathBuf,
        /// What the system says, and where the content is instead.
        why: String,
    },
    /// The index is of a program that knows more.
    #[error(
        "{}: the index was made by a newer diskspd (version {found} of its tables; this one knows \
        versions up to {known}); \
         use that one, or another store with --store. The runs in it are not touched",
        .file.display()
    )]
    Newer {
        /// The index.
        file: PathBuf,
        /// Its version.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// Something else is where the index should be.
    #[error("{}: is a database of another program; name another store with --store", .file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
    },
    /// The index is damaged, and wasn't made anew.
    #[error(
        "{}: {why}; the runs are not touched, and diskspd history reindex makes the index anew from them",
        .file.display()
    )]
    Damaged {
        /// The index.
        file: PathBuf,
        /// How that shows.
        why: String,
    },
    /// Something that is no file is where the index should be.
    #[error("{}: {why}: remove it, and the index is made from the runs", .file.display())]
    NoFile {
        /// Where.
        file: PathBuf,
        /// What it is.
        why: &'static str,
    },
    /// The index doesn't do what is asked.
    #[error("{}: {why}{}", .file.display(), hint(why))]
    Index {
        /// The index.
        file: PathBuf,
        /// What SQLite says.
        why: String,
    },
    /// No run has that name.
    #[error("no run is called '{0}'; diskspd history lists them with their ids and labels")]
    Unknown(String),
    /// Several runs begin so.
    #[error("'{name}' is the beginning of several ids: {}; give more letters", ids.join(", "))]
    Ambiguous {
        /// What was given.
        name: String,
        /// Some that it may mean.
        ids: Vec<String>,
    },
    /// It is to stay.
    #[error("{0} is pinned, and stays; diskspd history unpin {0} first")]
    Pinned(String),
}

fn hint(why: &str) -> &'static str {
    match why {
        why if why.contains("locked") => "; another program has it in use: try again when that has ended",
        why if why.contains("full") => "; make room on its disk: the runs that are kept are not touched",
        _ => "",
    }
}
