//! Why ranks can't speak with each other.

use diskspd_sys::mpi::MpiError;

/// Why a message can't be sent, or why none will come any more.
#[derive(Debug, thiserror::Error)]
pub enum GroupError {
    /// There is no such rank.
    #[error("there is no rank {0}")]
    NoRank(usize),
    /// What MPI says.
    #[error(transparent)]
    Mpi(#[from] MpiError),
}
