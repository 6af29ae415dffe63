//! Time where there is no Linux, by what the standard library knows of it.

use super::Nanos;
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

/// What [`monotonic`] counts from.
static FIRST: OnceLock<Instant> = OnceLock::new();

/// Time since this was first called.
pub fn monotonic() -> Nanos {
    FIRST.get_or_init(Instant::now).elapsed().as_nanos() as Nanos
}

/// Wall-clock time now: seconds since 1970-01-01 00:00 UTC, 0 before that, and nanoseconds of the second.
pub fn wall() -> (i64, i64) {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    (since.as_secs() as i64, since.subsec_nanos().into())
}

/// Sleeps until [`monotonic`] is `time`.
pub fn sleep_until(time: Nanos) {
    std::thread::sleep(Duration::from_nanos(time.saturating_sub(monotonic())));
}
