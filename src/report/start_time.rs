//! When a run began, as DISKSPD prints it.

/// `2025/03/14 09:26:53 UTC`, year unpadded, of seconds since 1970; `None` if no calendar reaches that far.
pub(in crate::report) fn date_and_time(seconds: i64) -> Option<String> {
    let time = jiff::tz::Offset::UTC.to_datetime(jiff::Timestamp::from_second(seconds).ok()?);
    let (year, month, day) = (time.year(), time.month(), time.day());
    Some(format!(
        "{year}/{month:02}/{day:02} {:02}:{:02}:{:02} UTC",
        time.hour(),
        time.minute(),
        time.second()
    ))
}
