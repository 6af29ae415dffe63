//! Times in the form shown to users.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Formats a time in this machine's time zone.
pub(super) fn time(seconds: i64) -> String {
    let zoned = Timestamp::from_second(seconds).map(|time| time.to_zoned(TimeZone::system()));
    zoned.map(|time| time.strftime("%Y-%m-%d %H:%M:%S").to_string()).unwrap_or_else(|_| "-".into())
}
