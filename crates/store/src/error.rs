//! Reasons why a run cannot be stored or found.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder cannot be created or listed.
    #[error("{}: {error}; name another history folder with --store or DISKSPD_STORE", .folder.display())]
    Folder { folder: PathBuf, error: io::Error },
    /// A file of a run cannot be read.
    #[error("{}: {why}", .file.display())]
    File { file: PathBuf, why: String },
    /// A file cannot be written; `why` continues the description of the operation.
    #[error("{}: cannot be written: {why}", .file.display())]
    Unwritten { file: PathBuf, why: String },
    /// The index was written by a newer program.
    #[error(
        "{}: the index belongs to a newer diskspd (table version {found}, this one reads up to {known}); \
         use the newer diskspd, or another history folder with --store. The runs are untouched",
        .file.display()
    )]
    Newer { file: PathBuf, found: i64, known: i64 },
    /// The path of the index belongs to something else.
    #[error("{}: is a database of another program; name another history folder with \
             --store", .file.display())]
    Foreign { file: PathBuf },
    #[error(
        "{}: {why}; the runs are untouched: rebuild the index with diskspd history reindex",
        .file.display()
    )]
    Damaged { file: PathBuf, why: String },
    #[error("{}: {why}: remove it, and the index is rebuilt from the runs", .file.display())]
    NoFile { file: PathBuf, why: &'static str },
    #[error("{}: {why}{}", .file.display(), hint_text(why))]
    Index { file: PathBuf, why: String },
    /// The history has no run of this name.
    #[error("no run is called '{0}'; diskspd history lists them with their ids and labels")]
    Unknown(String),
    #[error("'{name}' matches several ids: {}; give more letters", ids.join(", "))]
    Ambiguous { name: String, ids: Vec<String> },
    #[error("{0} is pinned and cannot be removed; run diskspd history unpin {0} first")]
    Pinned(String),
}

fn hint_text(why: &str) -> &'static str {
    match why {
        why if why.contains("locked") => "; another program is using it: try again when that has ended",
        why if why.contains("full") => "; free some space on its disk: the kept runs are untouched",
        _ => "",
    }
}
