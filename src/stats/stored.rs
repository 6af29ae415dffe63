//! How moments, histograms and series are stored: sparse, sums as decimal strings, checked when read.
//!
//! Sums exceed what other JSON readers keep exactly (2^53), hence the strings. Nothing that is read decides by itself how
//! much memory is taken: lists are as long as the text that holds them.

use super::histogram::{BUCKETS, bounds, index};
use super::{Histogram, Moments, Series};
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

/// `null` = empty.
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
        let between = |value: u128, low: u128, high: u128| {
            let n = u128::from(count);
            (low.saturating_mul(n)..=high.saturating_mul(n)).contains(&value)
        };
        let (low, high) = (u128::from(min), u128::from(max));
        if count == 0 || min > max || !between(sum, low, high) || !between(squares, low * low, high * high) {
            return Err(D::Error::custom(format!(
                "count {count}, minimum {min}, maximum {max}, sum {sum} and sum of squares {squares} contradict each other"
            )));
        }
        Ok(Moments { count, min, max, sum, squares })
    }
}

#[derive(Serialize, Deserialize)]
struct StoredHistogram {
    moments: Moments,
    /// (bucket, count), ascending, without empty ones.
    buckets: Vec<(usize, u64)>,
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        StoredHistogram { moments: self.moments, buckets: self.filled().collect() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let StoredHistogram { moments, buckets } = StoredHistogram::deserialize(deserializer)?;
        check(&moments, &buckets).map_err(D::Error::custom)?;
        // A record with thousands of histograms is read to be reported: no room for what may yet be recorded.
        let mut counts = vec![0; buckets.last().map_or(0, |(bucket, _)| bucket + 1)];
        for (bucket, count) in buckets {
            counts[bucket] = count;
        }
        Ok(Histogram { counts, moments })
    }
}

/// Whether the buckets can be what the moments were taken of.
fn check(moments: &Moments, buckets: &[(usize, u64)]) -> Result<(), String> {
    let (mut count, mut low, mut high) = (0u64, 0u128, 0u128);
    let mut previous = None;
    for &(bucket, n) in buckets {
        if bucket >= BUCKETS {
            return Err(format!("there is no histogram bucket {bucket}, the last one is {}", BUCKETS - 1));
        }
        if n == 0 || previous.is_some_and(|p| p >= bucket) {
            return Err(format!("histogram bucket {bucket} is empty or out of order"));
        }
        previous = Some(bucket);
        let (first, last) = bounds(bucket);
        count = count.checked_add(n).ok_or("the histogram's counts are too large")?;
        low = low.saturating_add(u128::from(first).saturating_mul(u128::from(n)));
        high = high.saturating_add(u128::from(last).saturating_mul(u128::from(n)));
    }
    if count != moments.count {
        return Err(format!("the histogram's buckets hold {count} latencies, not {}", moments.count));
    }
    let ends = buckets.first().zip(buckets.last()).map(|(first, last)| (first.0, last.0));
    if ends != moments.min().zip(moments.max()).map(|(min, max)| (index(min), index(max))) {
        return Err("the histogram's first and last bucket are not those of its minimum and maximum".into());
    }
    if !(low..=high).contains(&moments.sum) {
        return Err(format!("the histogram's buckets can't add up to {} ns", moments.sum));
    }
    Ok(())
}

#[derive(Serialize, Deserialize)]
struct StoredSeries<Intervals> {
    /// ns
    width: u64,
    allocated: u64,
    last: u64,
    /// All that count.
    intervals: Intervals,
}

/// One interval after the other, unpacked where it is written.
struct Valid<'a>(&'a Series);

impl Serialize for Valid<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.valid())
    }
}

impl Serialize for Series {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Series { width, allocated, last, .. } = *self;
        StoredSeries { width, allocated, last, intervals: Valid(self) }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Series {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let StoredSeries { width, allocated, last, intervals } =
            StoredSeries::<Vec<Moments>>::deserialize(deserializer)?;
        let valid = last.min(allocated);
        if valid != intervals.len() as u64 {
            return Err(D::Error::custom(format!(
                "the series should hold {valid} intervals, but lists {}",
                intervals.len()
            )));
        }
        if width == 0 && valid > 0 {
            return Err(D::Error::custom("the series' intervals have no width"));
        }
        Ok(Series::pack((width, allocated, last), intervals))
    }
}

/// `u128` as a string of decimal digits.
mod decimal {
    use super::{Deserializer, Error, Serializer};
    use serde::de::Visitor;
    use std::fmt;

    pub fn serialize<S: Serializer>(value: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        // Nearly all fit into 64 bits, and those divide faster.
        match u64::try_from(*value) {
            Ok(value) => serializer.serialize_str(&value.to_string()),
            Err(_) => serializer.collect_str(value),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
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
