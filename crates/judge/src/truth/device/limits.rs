//! Where a difference begins to mean something. docs/reference/verdicts.md explains each of them.

/// Below this share of what was counted the device did less: it is what remains when all that is known to
/// differ (in flight at the edges, the time that reading the counters takes) is allowed for.
pub const LESS: f64 = 0.9;
/// Below this share of what was counted, the figure is no longer mostly the device's.
pub const MUCH_LESS: f64 = 0.5;
pub const MORE: f64 = 1.1;
/// From this multiple on, more than half of the device's work is not what was counted.
pub const MUCH_MORE: f64 = 2.0;
/// From so many counted I/Os per I/O of the device on, they were merged; single merges of neighbours are
/// chance.
pub const MERGED: f64 = 1.25;
/// From so many on, the device did at most half as many as were counted.
pub const MUCH_MERGED: f64 = 2.0;
/// Blocks from this size on, bytes, are used to measure throughput, which merging doesn't falsify.
pub const LARGE_BLOCK: u64 = 64 << 10;
/// Share of the device's bytes from which on others matter.
pub const OTHERS: f64 = 0.1;
/// Share of the device's bytes from which on the device was mostly others'.
pub const MOSTLY_OTHERS: f64 = 0.5;
/// What a device may read or write beside the run without being noticed, bytes: probing, logs, the odd page.
pub const BACKGROUND: u64 = 1 << 20;
/// The same for writes below a file system, bytes: a commit of a journal or tree comes every 5 to 30 s and
/// is some MiB.
pub const COMMIT: u64 = 4 << 20;
/// The size that I/Os of others are taken to have at least where their number is held against a run, bytes.
pub const SMALL: u64 = 4096;
/// I/Os of others in flight, on average, from which on they matter.
pub const BACKGROUND_IN_FLIGHT: f64 = 0.5;
