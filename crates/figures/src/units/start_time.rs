//! Start time of a run, in DISKSPD's format.

/// Formats seconds since 1970 as `2025/03/14 09:26:53 UTC`, with the year unpadded; `None` = beyond the
/// calendar.
pub fn date_and_time(seconds: i64) -> Option<String> {
    let time = jiff::tz::Offset::UTC.to_datetime(jiff::Timestamp::from_second(seconds).ok()?);
    let (year, month, day) = (time.year(), time.month(), time.day());
    Some(format!(
        "{year}/{month:02}/{day:02} {:02}:{:02}:{:02} UTC",
        time.hour(),
        time.minute(),
        time.second()
    ))
}

/// Parses `2025/03/14 13:15:40 UTC` to seconds since 1970; `None` = another form.
pub fn seconds_since_1970(written: &str) -> Option<i64> {
    let (date, time) = written.trim().strip_suffix(" UTC")?.split_once(' ')?;
    let parts = |text: &str, separator| -> Option<[i16; 3]> {
        let parts: Option<Vec<i16>> = text.split(separator).map(|part| part.parse().ok()).collect();
        parts?.try_into().ok()
    };
    let ([year, month, day], [hour, minute, second]) = (parts(date, '/')?, parts(time, ':')?);
    let small = |part: i16| i8::try_from(part).ok();
    let time = jiff::civil::DateTime::new(
        year,
        small(month)?,
        small(day)?,
        small(hour)?,
        small(minute)?,
        small(second)?,
        0,
    );
    Some(jiff::tz::Offset::UTC.to_timestamp(time.ok()?).ok()?.as_second())
}

/// Returns the distinguishing part of a time between `first` and `last`: `2025/03/14`, within a year
/// `03/14`, within a day `09:26`, within ten minutes `09:26:53`.
pub fn day_or_time(seconds: i64, first_s: i64, last_s: i64) -> Option<String> {
    let [whole, first, last] = [seconds, first_s, last_s].map(date_and_time);
    let (whole, first, last) = (whole?, first?, last?);
    let (day, time) = whole.split_once(' ')?;
    let same = |end: char| first.split(end).next() == last.split(end).next();
    // Of ten minutes several lie in the same one.
    let digits = if (last_s - first_s).abs() < 600 { 8 } else { 5 };
    Some(match (same(' '), same('/')) {
        (true, _) => time.get(..digits)?.to_owned(),
        (_, true) => day.split_once('/')?.1.to_owned(),
        _ => day.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_one_day_show_time_only() {
        let at = 1_741_944_413;
        assert_eq!(date_and_time(at).as_deref(), Some("2025/03/14 09:26:53 UTC"));
        assert_eq!(seconds_since_1970("2025/03/14 09:26:53 UTC"), Some(at));
        assert_eq!(day_or_time(at, at - 60, at + 3600).as_deref(), Some("09:26"));
        assert_eq!(day_or_time(at, at, at + 599).as_deref(), Some("09:26:53"));
        assert_eq!(day_or_time(at, at, at + 600).as_deref(), Some("09:26"));
        assert_eq!(day_or_time(at, at - 86_400, at).as_deref(), Some("03/14"));
        assert_eq!(day_or_time(at, at - 86_400 * 365, at).as_deref(), Some("2025/03/14"));
    }
}
