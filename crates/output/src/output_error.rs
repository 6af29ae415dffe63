//! Why something can't be written, or mustn't be.

use super::patience::TimeoutError;
use diskspd_host::refusal::WriteRefusedError;
use diskspd_sys::atomic_file::{PlaceError, PutError};
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
    /// It is read: by which option.
    #[error("would overwrite the file that {0} reads; name another file")]
    Input(String),
    /// It is written already: by which option.
    #[error("is also the file of {0}; name another file")]
    Twice(String),
    #[error("the shell already redirects {0} to this file (> FILE); name another file")]
    Redirected(&'static str),
    #[error(
        "{} in this world-writable folder belongs to another user (number {owner}), who could redirect or \
         read the output; name a new file, or one in your own folder", .step.display()
    )]
    Planted { step: PathBuf, owner: u32 },
    /// The descriptor wasn't handed down.
    #[error("{source}; open the descriptor when you start the program, as in {number}>FILE")]
    Descriptor { number: i32, source: io::Error },
    /// It is in use, or a device.
    #[error(transparent)]
    Refused(#[from] WriteRefusedError),
    #[error(transparent)]
    Unanswered(#[from] TimeoutError),
    /// No pipe or terminal can be opened there.
    #[error("cannot be opened: {0}")]
    NotOpened(#[source] io::Error),
    /// No file can be there.
    #[error("is a directory; name a file in it")]
    Directory,
    /// No file can be there, or not this one.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The file can't be begun.
    #[error("cannot be created: {0}")]
    NotCreated(#[source] io::Error),
    #[error("cannot be written: {0}")]
    NotWritten(#[source] WriteError),
    /// The log has no memory.
    #[error(
        "cannot allocate its write buffers; use fewer threads (-t), or raise the memory limit (ulimit -v)"
    )]
    NoBuffers,
    /// The log has no thread.
    #[error("{0}; {remedy}", remedy = .0.remedy())]
    NoThread(FailedCall),
}

/// Why the bytes of an output aren't where they should be.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// They can't be written, and are nowhere else.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The new file can't take its place.
    #[error(transparent)]
    NotPut(#[from] PutError),
    #[error(transparent)]
    Unanswered(#[from] TimeoutError),
    /// They can't be written, and are elsewhere, or nowhere.
    #[error("{why}; {}", kept_text(.kept))]
    Elsewhere {
        #[source]
        why: Box<WriteError>,
        /// Where they are instead; or why they are nowhere.
        kept: io::Result<PathBuf>,
    },
}

fn kept_text(kept: &io::Result<PathBuf>) -> String {
    match kept {
        Ok(path) => format!("it is kept as {}", path.display()),
        Err(error) => format!("nor can it be kept elsewhere: {error}"),
    }
}

impl OutputErrorKind {
    /// The error of the output that an option named so.
    pub fn named_by(self, by: impl Into<String>) -> OutputError {
        OutputError::Output { by: by.into(), fault: self }
    }

    /// The same, of an option and its file.
    pub fn of_file(self, option: &str, path: &Path) -> OutputError {
        self.named_by(format!("{option} {}", path.display()))
    }
}
