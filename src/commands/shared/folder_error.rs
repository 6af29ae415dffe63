//! Reasons why runs cannot be kept in a separate folder (`--dir`).

use crate::json_reader::JsonError;
use crate::run::OutputError;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
#[error("--dir {}: {fault}", .path.display())]
pub(crate) struct FolderError {
    pub path: PathBuf,
    #[source]
    pub fault: FolderErrorKind,
}

/// Problem with a folder or its content; `kind` is a sweep or a comparison.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FolderErrorKind {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("another {kind} is using this folder; wait for it, or name another folder")]
    InUse { kind: &'static str },
    #[error("it holds files that do not belong to a {kind}; name a new or an empty folder")]
    OtherFiles { kind: &'static str },
    #[error("it holds another {kind}: {command}; repeat that command if it is yours, or name another folder")]
    Another { kind: &'static str, command: String },
    #[error("{file} is damaged: {source}; name another folder")]
    Damaged { file: &'static str, source: Box<JsonError> },
    #[error("{file} is damaged: {source}; {remedy}")]
    DamagedRun { file: String, source: Box<JsonError>, remedy: &'static str },
    /// A run in the folder cannot be read.
    #[error("{file}: {source}")]
    UnreadableRun { file: String, source: io::Error },
    #[error("it holds no comparison of two kernels; name another folder")]
    NoBoots,
    /// The runs come from an earlier version.
    #[error(
        "its boots are in a fixed order, of an earlier version of this program; name a new folder, or \
         compare the files in its folder records (diskspd compare 0001.json,.. 0004.json,..)"
    )]
    FixedOrder,
    #[error(
        "its runs are of version {found} of this program, this is {}: measure both kernels with one version, \
         or name another folder", env!("CARGO_PKG_VERSION")
    )]
    OtherVersion { found: String },
    #[error("its runs are from another machine ({found}, this is {here}); name another folder")]
    OtherMachine { found: String, here: String },
}

impl FolderErrorKind {
    pub(crate) fn at_path(self, path: impl Into<PathBuf>) -> FolderError {
        FolderError { path: path.into(), fault: self }
    }
}
