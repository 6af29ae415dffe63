//! Thresholds from which a difference counts. docs/reference/verdicts.md explains each.

/// Maximum ratio of device to counted I/O that is a deficit. It allows for known differences (I/Os in
/// flight at the edges, time of counter readings).
pub(super) const MIN_EQUAL_RATIO: f64 = 0.9;
/// Maximum ratio at which most of the figure does not come from the device.
pub(super) const LOW_RATIO: f64 = 0.5;
pub(super) const MAX_EQUAL_RATIO: f64 = 1.1;
/// Minimum ratio at which more than half of the device's work was not counted.
pub(super) const HIGH_RATIO: f64 = 2.0;
/// Minimum number of counted I/Os per device I/O that indicates merging; single merges of neighbours are
/// random.
pub(super) const MERGED: f64 = 1.25;
/// Minimum ratio at which the device did at most half of the counted I/Os.
pub(super) const HIGH_MERGE_RATIO: f64 = 2.0;
/// Minimum block size in bytes of throughput tests, whose figures are not distorted by merging.
pub(super) const LARGE_BLOCK: u64 = 64 << 10;
/// Minimum relevant share of other programs in the device's bytes.
pub(super) const MIN_FOREIGN_SHARE: f64 = 0.1;
/// Minimum share of other programs that makes up most of the device's bytes.
pub(super) const HIGH_FOREIGN_SHARE: f64 = 0.5;
/// Tolerated background I/O of a device in bytes: probing, logs, single pages.
pub(super) const BACKGROUND: u64 = 1 << 20;
/// Maximum size of unrelated writes below a file system in bytes. The commits of a journal or tree every 5 to
/// 30 s take some MiB.
pub(super) const COMMIT: u64 = 4 << 20;
/// Assumed minimum I/O size in bytes of other programs, for a count to the disadvantage of the run.
pub(super) const SMALL_IO_BYTES: u64 = 4096;
/// Minimum relevant mean number of other programs' I/Os in flight.
pub(super) const BACKGROUND_IN_FLIGHT: f64 = 0.5;
