//! Reasons why ranks cannot communicate.

use diskspd_sys::mpi::MpiError;

#[derive(Debug, thiserror::Error)]
pub enum GroupError {
    #[error("there is no rank {0}")]
    NoRank(usize),
    #[error("{0}")]
    Relay(String),
    #[error(transparent)]
    Mpi(#[from] MpiError),
}
