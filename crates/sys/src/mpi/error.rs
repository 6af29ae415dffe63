//! Why there is no MPI, and what it can't do.

use diskspd_model::limits::MESSAGE;
use diskspd_model::units::amount;
use std::ffi::c_int;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotJoined {
    /// This process may do more than its user: a library that the user names would too.
    #[error("this process has more rights than its user")]
    Privileged,
    /// The library isn't there, or not what it should be: another one may be.
    #[error(transparent)]
    NotLoaded(#[from] NotLoaded),
    /// It is there, and can't begin: no other one can be tried in this process.
    #[error(transparent)]
    NotBegun(#[from] MpiError),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotLoaded {
    #[error("{0}")]
    ByLoader(String),
    #[error("it is not an MPI library: it has no MPI_Get_library_version")]
    NoMpi,
    /// It is none of the ABI that its name says.
    #[error("by its name it is {wanted}, but it reports '{found}'")]
    OtherMpi { wanted: &'static str, found: String },
}

impl From<libloading::Error> for NotLoaded {
    fn from(error: libloading::Error) -> NotLoaded {
        NotLoaded::ByLoader(error.to_string())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MpiError {
    #[error("{call}: {why}")]
    Call { call: &'static str, why: String },
    /// It can't be called by one thread among several.
    #[error("this MPI has no support for threads (MPI_THREAD_FUNNELED)")]
    NoThreads,
    /// No such number of a rank, or of ranks.
    #[error("a rank or size of {0}")]
    NoNumber(c_int),
    /// A message of no rank that there is.
    #[error("a message of rank {0}")]
    NoSender(c_int),
    #[error("there is no rank {0}")]
    NoRank(usize),
    /// MPI doesn't know how long a message is.
    #[error("a message of {0} bytes")]
    NoLength(c_int),
    /// No message of this program is as long.
    #[error("a message of more than {}, the limit", amount(MESSAGE.bytes))]
    LongMessage,
}
