//! Why runs can't be kept in a folder of their own (`--dir`).

use crate::run::OutputError;
use std::io;
use std::path::PathBuf;

/// Why a folder can't be used.
#[derive(Debug, thiserror::Error)]
#[error("--dir {}: {fault}", .path.display())]
pub struct FolderError {
    /// Which one.
    pub path: PathBuf,
    /// Why.
    #[source]
    pub fault: FolderFault,
}

/// What is wrong with a folder, or with what it holds. `kind`: a sweep or a comparison.
#[derive(Debug, thiserror::Error)]
pub enum FolderFault {
    /// It can't be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// What is kept can't be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// What is kept can't be expressed.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// Somebody works with it.
    #[error("another {kind} is using this folder; wait for it, or name another folder")]
    InUse {
        /// What works with it.
        kind: &'static str,
    },
    /// It isn't empty and holds none.
    #[error("it holds files that don't belong to a {kind}; name a new or an empty folder")]
    OtherFiles {
        /// What was to be begun.
        kind: &'static str,
    },
    /// It holds another one.
    #[error("it holds another {kind}: {command}; repeat that command if it is yours, or name another folder")]
    Another {
        /// What it holds.
        kind: &'static str,
        /// How that was begun.
        command: String,
    },
    /// What it is can't be read.
    #[error("{file} is damaged: {source}; name another folder")]
    Damaged {
        /// The file that says it.
        file: &'static str,
        /// Why it can't be read.
        source: serde_json::Error,
    },
    /// A run in it is damaged.
    #[error("{file} is damaged: {source}; {remedy}")]
    DamagedRun {
        /// Its file.
        file: String,
        /// Why it can't be understood.
        source: serde_json::Error,
        /// What to do.
        remedy: &'static str,
    },
    /// A run in it can't be read.
    #[error("{file}: {source}")]
    UnreadableRun {
        /// Its file.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// Something else is kept there.
    #[error("it holds no comparison of two kernels; name another folder")]
    NoBoots,
    /// Another version made its runs.
    #[error(
        "its runs are of version {found} of this program, this is {}: measure both kernels with one version, \
         or name another folder", env!("CARGO_PKG_VERSION")
    )]
    OtherVersion {
        /// Which.
        found: String,
    },
    /// Another machine made its runs.
    #[error("its runs are from another machine ({found}; this is {here}); name another folder")]
    OtherMachine {
        /// Which.
        found: String,
        /// What this one is called.
        here: String,
    },
}

impl FolderFault {
    /// The error of this folder.
    pub fn of(self, path: impl Into<PathBuf>) -> FolderError {
        FolderError { path: path.into(), fault: self }
    }
}
