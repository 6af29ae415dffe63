//! Reasons for a lack of MPI, and its errors.

use diskspd_base::limits::MESSAGE;
use diskspd_figures::units::amount;
use std::ffi::c_int;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MpiError {
    /// This process has more rights than its user, and a library that the user names would get them.
    #[error("this process has more rights than its user")]
    Privileged,
    #[error("{0}")]
    Loader(String),
    #[error("it is not an MPI library: it has no MPI_Get_library_version")]
    NotMpi,
    /// The library has another ABI than its name states.
    #[error("by its name it is {wanted}, but it reports '{found}'")]
    OtherMpi { wanted: &'static str, found: String },
    #[error("{call}: {why}")]
    Call { call: &'static str, why: String },
    /// The library does not support calls by one of several threads.
    #[error("this MPI has no support for threads (MPI_THREAD_FUNNELED)")]
    NoThreads,
    #[error("invalid rank or number of ranks {0}")]
    NoNumber(c_int),
    #[error("a message from the unknown rank {0}")]
    NoSender(c_int),
    #[error("there is no rank {0}")]
    NoRank(usize),
    /// MPI does not know the length of a message.
    #[error("a message of {0} bytes")]
    NoLength(c_int),
    /// The message exceeds the maximum length.
    #[error("a message of more than {}, the limit", amount(MESSAGE.bytes))]
    LongMessage,
}

impl MpiError {
    /// Whether the library was not loaded, so that another library can be tried in this process.
    pub fn is_before_start(&self) -> bool {
        matches!(self, MpiError::Loader(_) | MpiError::NotMpi | MpiError::OtherMpi { .. })
    }
}

impl From<libloading::Error> for MpiError {
    fn from(error: libloading::Error) -> MpiError {
        MpiError::Loader(error.to_string())
    }
}
