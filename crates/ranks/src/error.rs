//! Why ranks can't speak with each other.

use diskspd_sys::mpi::MpiError;

/// Why a message can't be sent, or why none will come any more.
#[derive(Debug, thiserror::Error)]
pub enum GroupError {
    #[error("there is no rank {0}")]
    NoRank(usize),
    #[error("{0}")]
    Relay(String),
    #[error(transparent)]
    Mpi(#[from] MpiError),
}
