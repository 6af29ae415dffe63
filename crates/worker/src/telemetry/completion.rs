//! A worker's report of an I/O.

use diskspd_base::engines::Direction;

/// An I/O that ended well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IoCompletion {
    /// Index of the target in the worker's list.
    pub target: usize,
    pub direction: Direction,
    /// Bytes transferred.
    pub bytes: u64,
    pub short: bool,
    /// From hand-over to reap, ns; anything when neither latency nor IOPS deviation is measured.
    pub latency: u64,
    /// Reap time since the start of measuring in ns.
    pub since_start: u64,
}
