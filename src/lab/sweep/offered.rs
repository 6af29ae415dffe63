//! A command line with an offered rate.

use std::ffi::OsString;

/// The same command line with so many I/Os per second offered in all. `streams`: pairs of a thread and a
/// target, each of which gets its part; the whole is rounded to what can be shared out.
pub fn offered(arguments: &[OsString], rate: u64, streams: u64) -> Vec<OsString> {
    let each = (rate + streams / 2) / streams.max(1);
    let mut line = vec![OsString::from(format!("-g{}i", each.max(1)))];
    line.extend_from_slice(arguments);
    line
}
