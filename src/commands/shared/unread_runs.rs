//! Reasons why a file or folder contains no readable runs.

use crate::formats::error::ResultError;
use crate::formats::json::RecordError;
use crate::units::visible;
use std::io;
use std::path::PathBuf;

/// File or folder from which no runs could be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", visible::line(&.path.to_string_lossy()))]
pub(crate) struct RunsReadError {
    pub path: PathBuf,
    #[source]
    pub fault: RunsReadErrorKind,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum RunsReadErrorKind {
    #[error(
        "cannot be read: {0}; name a record (written by --out FILE.json), result XML (printed by -Rxml), a \
         text report or fio's JSON"
    )]
    File(#[source] io::Error),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Results(#[from] ResultError),
    #[error("cannot be read: {0}")]
    Folder(#[source] io::Error),
    #[error(
        "this folder holds no records or results{}",
        if *has_folders { "; its subfolders are not read: name them" } else { "" }
    )]
    EmptyFolder { has_folders: bool },
}

impl RunsReadErrorKind {
    pub(crate) fn at_path(self, path: impl Into<PathBuf>) -> RunsReadError {
        RunsReadError { path: path.into(), fault: self }
    }
}
