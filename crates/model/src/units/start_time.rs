//! When a run began, as DISKSPD prints it.

/// `2025/03/14 09:26:53 UTC`, year unpadded, of seconds since 1970; `None` if no calendar reaches that far.
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

/// What tells a time from others between `first` and `last`: `2025/03/14`, of a single year `03/14`, of a
/// single day `09:26`.
pub fn day_or_time(seconds: i64, first: i64, last: i64) -> Option<String> {
    let [whole, first, last] = [seconds, first, last].map(date_and_time);
    let (whole, first, last) = (whole?, first?, last?);
    let (day, time) = whole.split_once(' ')?;
    let same = |end: char| first.split(end).next() == last.split(end).next();
    Some(match (same(' '), same('/')) {
        (true, _) => time.get(..5)?.to_owned(),
        (_, true) => day.split_once('/')?.1.to_owned(),
        _ => day.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_single_day_the_time_is_told() {
        let at = 1_741_944_413;
        assert_eq!(date_and_time(at).as_deref(), Some("2025/03/14 09:26:53 UTC"));
        assert_eq!(day_or_time(at, at - 60, at + 3600).as_deref(), Some("09:26"));
        assert_eq!(day_or_time(at, at - 86_400, at).as_deref(), Some("03/14"));
        assert_eq!(day_or_time(at, at - 86_400 * 365, at).as_deref(), Some("2025/03/14"));
    }
}
