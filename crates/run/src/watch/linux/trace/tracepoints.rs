//! Kernel tracepoints of a device's requests.

/// Tracepoints of a request's issue to its driver, and of its completion.
pub(super) const ISSUE: &str = "block/block_rq_issue";
pub(super) const COMPLETE: &str = "block/block_rq_complete";
pub(super) const TRACEPOINTS: [&str; 2] = [ISSUE, COMPLETE];
/// Filter for reads, writes, and flushes of the device (`FF`). Discards move no data of the program.
pub(super) const MOVES_DATA: &str = "(rwbs ~ \"*R*\" || rwbs ~ \"*W*\" || rwbs ~ \"FF*\")";
