//! Log of a worker's I/Os.

use diskspd_output::OutputError;
use diskspd_worker::telemetry::io_log::{IoLog, LineRing};
use std::ops::Range;

/// Does the work of these threads, with a ring for each of them if there is a log, and else without any.
pub(crate) fn logged<T>(
    log: Option<&IoLog>,
    threads: Range<u32>,
    patient: bool,
    work: impl FnOnce(&[LineRing]) -> T,
) -> Result<T, OutputError> {
    match log {
        Some(log) => log.record(threads, patient, work),
        None => Ok(work(&[])),
    }
}
