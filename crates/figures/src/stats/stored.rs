//! Stored form of moments, histograms and series: packed, sums as decimal strings, checked during reading.
//!
//! Sums exceed the exact range of other JSON readers (2^53), so they are strings. Memory use is bounded by
//! the length of the text; no stored number determines it.

use super::error::StoredError;
use super::histogram::{BUCKETS, bounds, index, pack};
use super::packed::pop;
use super::{Histogram, Moments, Series, base64::Packed};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
struct StoredMoments {
    count: u64,
    min: u64,
    max: u64,
    #[serde(with = "decimal")]
    sum: u128,
    #[serde(with = "decimal")]
    squares: u128,
}

/// Empty moments are `null`.
impl Serialize for Moments {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Moments { count, min, max, sum, squares } = *self;
        (count > 0).then_some(StoredMoments { count, min, max, sum, squares }).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Moments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Some(stored) = Option::<StoredMoments>::deserialize(deserializer)? else {
            return Ok(Moments::default());
        };
        let StoredMoments { count, min, max, sum, squares } = stored;
        let moments = Moments { count, min, max, sum, squares };
        check_moments(&moments).map_err(D::Error::custom)?;
        Ok(moments)
    }
}

fn check_moments(moments: &Moments) -> Result<(), StoredError> {
    let Moments { count, min, max, sum, squares } = *moments;
    let between = |value: u128, low: u128, high: u128| {
        let n = u128::from(count);
        (low.saturating_mul(n)..=high.saturating_mul(n)).contains(&value)
    };
    let (low, high) = (u128::from(min), u128::from(max));
    if count == 0 || min > max || !between(sum, low, high) || !between(squares, low * low, high * high) {
        return Err(StoredError::Moments(count, min, max, sum, squares));
    }
    Ok(())
}

#[derive(Serialize)]
struct StoredHistogram<'a> {
    moments: Moments,
    /// Non-empty buckets in ascending order: the distance from the end of the previous one, and the count.
    packed: Packed<'a>,
}

#[derive(Deserialize)]
struct ParsedHistogram {
    moments: Moments,
    packed: Option<Packed<'static>>,
    /// Version 1: (bucket, count).
    buckets: Option<Vec<(usize, u64)>>,
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        StoredHistogram { moments: self.moments, packed: Packed(self.pack_cells().into()) }
            .serialize(serializer)
    }
}

fn unpack_buckets(packed: &[u8]) -> Result<Vec<(usize, u64)>, StoredError> {
    let (mut rest, mut buckets, mut next) = (packed.iter(), Vec::new(), 0u64);
    while !rest.as_slice().is_empty() {
        let pair = pop(&mut rest).zip(pop(&mut rest));
        let (distance, count) = pair.ok_or(StoredError::CutHistogram)?;
        let bucket = next.saturating_add(distance);
        buckets.push((usize::try_from(bucket).unwrap_or(usize::MAX), count));
        next = bucket.saturating_add(1);
    }
    Ok(buckets)
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ParsedHistogram { moments, packed, buckets } = ParsedHistogram::deserialize(deserializer)?;
        let buckets = match (packed, buckets) {
            (Some(packed), _) => unpack_buckets(&packed.0).map_err(D::Error::custom)?,
            (None, Some(buckets)) => buckets,
            (None, None) => return Err(D::Error::missing_field("packed")),
        };
        check_buckets(&moments, &buckets).map_err(D::Error::custom)?;
        Ok(Histogram::of_stored(moments, pack(buckets.into_iter())))
    }
}

fn check_buckets(moments: &Moments, buckets: &[(usize, u64)]) -> Result<(), StoredError> {
    let (mut count, mut low, mut high) = (0u64, 0u128, 0u128);
    let mut previous = None;
    for &(bucket, n) in buckets {
        if bucket >= BUCKETS {
            return Err(StoredError::NoBucket { bucket });
        }
        if n == 0 || previous.is_some_and(|p| p >= bucket) {
            return Err(StoredError::Bucket(bucket));
        }
        previous = Some(bucket);
        let (first, last) = bounds(bucket);
        count = count.checked_add(n).ok_or(StoredError::LargeCounts)?;
        low = low.saturating_add(u128::from(first).saturating_mul(u128::from(n)));
        high = high.saturating_add(u128::from(last).saturating_mul(u128::from(n)));
    }
    if count != moments.count {
        return Err(StoredError::Count { found: count, expected: moments.count });
    }
    let ends = buckets.first().zip(buckets.last()).map(|(first, last)| (first.0, last.0));
    if ends != moments.min().zip(moments.max()).map(|(min, max)| (index(min), index(max))) {
        return Err(StoredError::Ends);
    }
    if !(low..=high).contains(&moments.sum) {
        return Err(StoredError::Sum(moments.sum));
    }
    Ok(())
}

#[derive(Serialize)]
struct StoredSeries<'a> {
    /// In ns.
    width: u64,
    allocated: u64,
    last: u64,
    packed: Packed<'a>,
}

#[derive(Deserialize)]
struct ParsedSeries {
    width: u64,
    allocated: u64,
    last: u64,
    packed: Option<Packed<'static>>,
    /// Version 1: all counted intervals.
    intervals: Option<Vec<Moments>>,
}

impl Serialize for Series {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Series { width, allocated, last, .. } = *self;
        StoredSeries { width, allocated, last, packed: Packed(self.pack_cells()) }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Series {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ParsedSeries { width, allocated, last, packed, intervals } =
            ParsedSeries::deserialize(deserializer)?;
        let valid = last.min(allocated);
        if width == 0 && valid > 0 {
            return Err(D::Error::custom("the series' intervals have no width"));
        }
        if let Some(Packed(packed)) = packed {
            let shape = (width, allocated, last);
            return Series::unpack(shape, packed.into_owned(), check_moments).map_err(D::Error::custom);
        }
        let Some(intervals) = intervals else { return Err(D::Error::missing_field("packed")) };
        if valid != intervals.len() as u64 {
            return Err(D::Error::custom(format!(
                "the series should hold {valid} intervals, but lists {}",
                intervals.len()
            )));
        }
        Ok(Series::pack((width, allocated, last), intervals))
    }
}

/// `u128` as a string of decimal digits.
mod decimal {
    use super::{Deserializer, Error, Serializer};
    use serde::de::Visitor;
    use std::fmt;

    pub(super) fn serialize<S: Serializer>(value: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        // Nearly all fit into 64 bits, and those divide faster.
        match u64::try_from(*value) {
            Ok(value) => serializer.serialize_str(&value.to_string()),
            Err(_) => serializer.collect_str(value),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        deserializer.deserialize_str(Digits)
    }

    struct Digits;

    impl Visitor<'_> for Digits {
        type Value = u128;

        fn expecting(&self, text: &mut fmt::Formatter) -> fmt::Result {
            text.write_str("a whole number of decimal digits in a string")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<u128, E> {
            text.parse().map_err(|_| E::custom(format!("\"{text}\" is not a whole number of decimal digits")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::packed::push;
    use super::*;

    fn packed_numbers(numbers: &[u64]) -> Packed<'static> {
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| push(&mut bytes, *number));
        Packed(bytes.into())
    }

    fn parse_series(numbers: &[u64]) -> Result<Series, String> {
        let stored =
            StoredSeries { width: 1_000_000, allocated: 3, last: 9, packed: packed_numbers(numbers) };
        serde_json::from_str(&serde_json::to_string(&stored).unwrap()).map_err(|error| error.to_string())
    }

    fn parse_histogram(numbers: &[u64]) -> Result<Histogram, String> {
        let mut moments = Moments::default();
        [5, 7].into_iter().for_each(|latency| moments.record(latency));
        let stored = StoredHistogram { moments, packed: packed_numbers(numbers) };
        serde_json::from_str(&serde_json::to_string(&stored).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn damaged_series_is_refused_with_reason() {
        // Distance and form, count, minimum; then the range, sum and squares.
        let counts: Vec<u64> =
            parse_series(&[1 << 2, 2, 100]).unwrap().valid().map(|one| one.count()).collect();
        assert_eq!(counts, [0, 2, 0]);
        let table: [(&[u64], &str); 5] = [
            (&[3 << 2, 2, 100], "no interval 3"),
            (&[u64::MAX << 2, 2, 100], "no interval"),
            (&[0, 2], "ends within an interval"),
            (&[0, 0, 100], "count 0"),
            (&[1, 2, 100, 50, 1000, 1], "contradict each other"),
        ];
        for (numbers, complaint) in table {
            let error = parse_series(numbers).unwrap_err();
            assert!(error.contains(complaint), "{error:?} should contain {complaint:?}");
        }
    }

    #[test]
    fn damaged_histogram_is_refused_with_reason() {
        let mut whole = Histogram::new();
        [5, 7].into_iter().for_each(|latency| whole.record(latency));
        assert_eq!(parse_histogram(&[5, 1, 1, 1]), Ok(whole));
        let table: [(&[u64], &str); 5] = [
            (&[5, 1, 1], "ends within a bucket"),
            (&[5, 1, u64::MAX, 1], "there is no histogram bucket"),
            (&[5, 1, 1, 2], "hold 3 latencies, not 2"),
            (&[5, 0, 1, 2], "empty or out of order"),
            (&[5, 1, 2, 1], "not the buckets of its minimum and maximum"),
        ];
        for (numbers, complaint) in table {
            let error = parse_histogram(numbers).unwrap_err();
            assert!(error.contains(complaint), "{error:?} should contain {complaint:?}");
        }
    }
}
