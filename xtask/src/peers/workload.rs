//! The common workload of all tools.

use std::path::PathBuf;

pub struct Workload {
    /// File or block device.
    pub(super) target: PathBuf,
    /// Bytes of the target.
    pub(super) size: u64,
    /// Size of an I/O in bytes.
    pub(super) block: u64,
    /// I/Os in flight.
    pub(super) depth: u32,
    pub(super) seconds: u32,
    /// Percentage of writes.
    pub(super) writes: u32,
    pub(super) sequential: bool,
    pub(super) buffered: bool,
    pub(super) latency: bool,
    pub(super) ours: Vec<String>,
}
