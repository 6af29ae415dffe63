//! A worker's report of an I/O.

use diskspd_base::engines::Direction;

/// Successful I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IoCompletion {
    /// Index of the target in the worker's list.
    pub target: usize,
    pub direction: Direction,
    pub bytes: u64,
    pub short: bool,
    /// Time from submission to reap in ns; arbitrary if neither latency nor IOPS deviation is measured.
    pub latency: u64,
    /// Reap time since the start of the measurement in ns.
    pub since_start: u64,
}
