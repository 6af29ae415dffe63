//! Why something can't be written, or mustn't be.

use super::patience::Unanswered;
use diskspd_host::refusal::Refusal;
use diskspd_sys::failed_call::FailedCall;
use diskspd_sys::place::{NotPut, PlaceError};
use std::io;
use std::path::{Path, PathBuf};

/// Why a command doesn't write what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// What is wrong with one output.
    #[error("{by}: {fault}")]
    Output {
        /// By which option it was named.
        by: String,
        /// What is wrong.
        #[source]
        fault: OutputFault,
    },
    /// It would destroy what somebody uses.
    #[error("{option} {refusal}")]
    InUse {
        /// The option.
        option: String,
        /// By whom, and where.
        #[source]
        refusal: Refusal,
    },
    /// There is one standard output.
    #[error("{earlier} and {by} both write to standard output: choose one, and write the other to a file")]
    BothStandardOutput {
        /// Who has it.
        earlier: String,
        /// Who wants it too.
        by: String,
    },
}

/// What is wrong with an output.
#[derive(Debug, thiserror::Error)]
pub enum OutputFault {
    /// It is a block device.
    #[error("would overwrite a block device; name a file")]
    BlockDevice,
    /// It is a target.
    #[error("would overwrite a target of the run; name another file")]
    Target,
    /// The program keeps it: whose it is.
    #[error("would write into a folder that {0} keeps; name a file in another folder")]
    Kept(&'static str),
    /// It cannot be re-created.
    #[error("would overwrite a journal of durable writes (--journal); name another file")]
    Journal,
    /// It is read: by which option.
    #[error("would overwrite the file that {0} reads; name another file")]
    Input(String),
    /// It is written already: by which option.
    #[error("is also the file of {0}; name another file")]
    Twice(String),
    /// The shell writes one of its streams there: which.
    #[error("the shell already redirects {0} to this file (> FILE); name another file")]
    Redirected(&'static str),
    /// Somebody else may have laid it there.
    #[error(
        "{} in this world-writable folder belongs to another user (number {owner}), who could redirect or \
         read what is written; name a new file, or one in a folder of your own", .step.display()
    )]
    Planted {
        /// What belongs to somebody else, on the way there.
        step: PathBuf,
        /// To whom, by number.
        owner: u32,
    },
    /// The descriptor wasn't handed down.
    #[error("{source}; open the descriptor when you start the program, as in {number}>FILE")]
    Descriptor {
        /// Its number.
        number: i32,
        /// Why.
        source: io::Error,
    },
    /// It is in use, or a device.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Its storage doesn't answer.
    #[error(transparent)]
    Unanswered(#[from] Unanswered),
    /// No pipe or terminal can be opened there.
    #[error("can't be opened: {0}")]
    NotOpened(#[source] io::Error),
    /// No file can be there.
    #[error("is a directory; name a file in it")]
    Directory,
    /// No file can be there, or not this one.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The file can't be begun.
    #[error("can't be created: {0}")]
    NotCreated(#[source] io::Error),
    /// What there is can't be written.
    #[error("can't be written: {0}")]
    NotWritten(#[source] NotWritten),
    /// The log has no memory.
    #[error(
        "can't allocate its write buffers; use fewer threads (-t), or raise the memory limit (ulimit -v)"
    )]
    NoBuffers,
    /// The log has no thread.
    #[error("{0}; {remedy}", remedy = .0.remedy())]
    NoThread(FailedCall),
}

/// Why the bytes of an output aren't where they should be.
#[derive(Debug, thiserror::Error)]
pub enum NotWritten {
    /// They can't be written, and are nowhere else.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The new file can't take its place.
    #[error(transparent)]
    NotPut(#[from] NotPut),
    /// The storage doesn't answer.
    #[error(transparent)]
    Unanswered(#[from] Unanswered),
    /// They can't be written, and are elsewhere, or nowhere.
    #[error("{why}; {}", told(.kept))]
    Elsewhere {
        /// Why they can't.
        #[source]
        why: Box<NotWritten>,
        /// Where they are instead; or why they are nowhere.
        kept: io::Result<PathBuf>,
    },
}

fn told(kept: &io::Result<PathBuf>) -> String {
    match kept {
        Ok(path) => format!("it is kept as {}", path.display()),
        Err(error) => format!("nor can it be kept elsewhere: {error}"),
    }
}

impl OutputFault {
    /// The error of the output that an option named so.
    pub fn of(self, by: impl Into<String>) -> OutputError {
        OutputError::Output { by: by.into(), fault: self }
    }

    /// The same, of an option and its file.
    pub fn of_file(self, option: &str, path: &Path) -> OutputError {
        self.of(format!("{option} {}", path.display()))
    }
}
