//! Where a difference begins to mean something. docs/reference/verdicts.md explains each of them.

/// Maximum ratio of device to counted I/O that is a deficit. It allows for known differences (I/Os in
/// flight at the edges, time of counter readings).
pub(super) const MIN_EQUAL_RATIO: f64 = 0.9;
/// Maximum ratio at which the figure is mostly not the device's.
pub(super) const LOW_RATIO: f64 = 0.5;
pub(super) const MAX_EQUAL_RATIO: f64 = 1.1;
/// Minimum ratio at which more than half of the device's work was not counted.
pub(super) const HIGH_RATIO: f64 = 2.0;
/// Minimum number of counted I/Os per device I/O that indicates merging; single merges of neighbours are
/// random.
pub(super) const MERGED: f64 = 1.25;
/// Minimum ratio at which the device did at most half of the counted I/Os.
pub(super) const HIGH_MERGE_RATIO: f64 = 2.0;
/// Blocks from this size on, bytes, are used to measure throughput, which merging doesn't falsify.
pub(super) const LARGE_BLOCK: u64 = 64 << 10;
/// Share of the device's bytes from which on others matter.
pub(super) const MIN_FOREIGN_SHARE: f64 = 0.1;
/// Share of the device's bytes from which on the device was mostly others'.
pub(super) const HIGH_FOREIGN_SHARE: f64 = 0.5;
/// Tolerated background I/O of a device in bytes: probing, logs, single pages.
pub(super) const BACKGROUND: u64 = 1 << 20;
/// The same for writes below a file system, bytes: a commit of a journal or tree comes every 5 to 30 s and
/// is some MiB.
pub(super) const COMMIT: u64 = 4 << 20;
/// Assumed minimum I/O size of other programs in bytes, if their number counts against a run.
pub(super) const SMALL_IO_BYTES: u64 = 4096;
/// I/Os of others in flight, on average, from which on they matter.
pub(super) const BACKGROUND_IN_FLIGHT: f64 = 0.5;
