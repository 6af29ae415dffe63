//! Reasons why an output cannot or must not be written.

use super::io_timeout::TimeoutError;
use diskspd_host::refusal::WriteRefusedError;
use diskspd_sys::atomic_file::{FileTargetError, PutError, kept_text};
use diskspd_sys::failed_call::FailedCall;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    #[error("{by}: {fault}")]
    Output {
        by: String,
        #[source]
        fault: OutputErrorKind,
    },
    #[error("{option} {refusal}")]
    InUse {
        option: String,
        #[source]
        refusal: WriteRefusedError,
    },
    #[error("{earlier} and {by} both write to standard output: choose one, and write the other to a file")]
    BothStandardOutput { earlier: String, by: String },
}

#[derive(Debug, thiserror::Error)]
pub enum OutputErrorKind {
    #[error("would overwrite a block device; name a file")]
    BlockDevice,
    #[error("would overwrite a target of the run; name another file")]
    Target,
    #[error("would write into a folder that {0} keeps; name a file in another folder")]
    Kept(&'static str),
    #[error("would overwrite a journal of durable writes (--journal); name another file")]
    Journal,
    /// Option that reads it.
    #[error("would overwrite the file that {0} reads; name another file")]
    Input(String),
    /// Other option with this file.
    #[error("is also the file of {0}; name another file")]
    Twice(String),
    #[error("the shell already redirects {0} to this file (> FILE); name another file")]
    Redirected(&'static str),
    #[error(
        "{} in this world-writable folder belongs to another user (number {owner}), who could redirect or \
         read the output; name a new file, or one in your own folder", .step.display()
    )]
    Planted { step: PathBuf, owner: u32 },
    #[error("{source}; open the descriptor when you start the program, as in {number}>FILE")]
    Descriptor { number: i32, source: io::Error },
    #[error(transparent)]
    Refused(#[from] WriteRefusedError),
    #[error(transparent)]
    Unanswered(#[from] TimeoutError),
    #[error("cannot be opened: {0}")]
    NotOpened(#[source] io::Error),
    #[error("is a directory; name a file in it")]
    Directory,
    /// The file cannot be created there.
    #[error(transparent)]
    Place(#[from] FileTargetError),
    #[error("cannot be created: {0}")]
    NotCreated(#[source] io::Error),
    #[error("cannot be written: {0}")]
    NotWritten(#[source] WriteError),
    /// There is no memory for the log.
    #[error(
        "cannot allocate its write buffers; use fewer threads (-t), or raise the memory limit (ulimit -v)"
    )]
    NoBuffers,
    /// The thread of the log could not be started.
    #[error("{0}; {remedy}", remedy = .0.remedy())]
    NoThread(FailedCall),
}

#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Writing failed, and the data is lost.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The new file cannot be placed.
    #[error(transparent)]
    NotPut(#[from] PutError),
    #[error(transparent)]
    Unanswered(#[from] TimeoutError),
    /// Writing failed; the data may be in another file.
    #[error("{why}; {}", kept_text(.kept))]
    Elsewhere {
        #[source]
        why: Box<WriteError>,
        /// Path of the other file, or the reason why it does not exist.
        kept: io::Result<PathBuf>,
    },
}

impl OutputErrorKind {
    /// Adds the option that names the output.
    pub fn named_by(self, by: impl Into<String>) -> OutputError {
        OutputError::Output { by: by.into(), fault: self }
    }

    pub fn of_file(self, option: &str, path: &Path) -> OutputError {
        self.named_by(format!("{option} {}", path.display()))
    }
}
