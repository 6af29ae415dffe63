//! A command line with an offered rate.

use std::ffi::OsString;

/// The same command line with so many I/Os per second offered in all. They come as those of many users who
/// know nothing of each other, whether or not those before them are done: a service meets such a load, and
/// response times count what it does to them. Evenly spaced ones would queue less.
pub fn offered(arguments: &[OsString], rate: u64) -> Vec<OsString> {
    let mut line = vec![OsString::from(format!("--rate-total={rate},poisson"))];
    line.extend_from_slice(arguments);
    line
}
