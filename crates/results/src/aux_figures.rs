//! Figures of operations other than reads and writes.

use crate::DirectionResults;
use diskspd_base::operation::{AuxRow, Operation};
use diskspd_figures::stats::Histogram;
use diskspd_figures::units::Millis;
use diskspd_figures::units::table::Cell;
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::collections::BTreeMap;

/// Completions of an operation. Times in ms; `None` without completions.
#[derive(Debug, Clone, PartialEq)]
pub struct AuxFigures {
    pub(super) row: &'static AuxRow,
    pub count: u64,
    /// Bytes of the target that they concerned, over and over again ones as well; `None` = it concerns none.
    pub bytes: Option<u64>,
    /// Rate per second.
    pub per_s: f64,
    pub mean: Option<Millis>,
    pub median: Option<Millis>,
    /// 99th percentile.
    pub p99: Option<Millis>,
    /// 99.9th percentile.
    pub p999: Option<Millis>,
    pub max: Option<Millis>,
    /// The smallest percentile that is a lower bound, because the last bin has no end; `None` without
    /// I/Os in that bin.
    pub open_end: Option<Millis>,
}

impl AuxFigures {
    pub(super) fn new(row: &'static AuxRow, account: &DirectionResults, seconds: f64) -> AuxFigures {
        let times = account.latency.as_deref().map(times_ms).unwrap_or_default();
        AuxFigures::from_summary(row, account.ios, account.bytes, seconds, times)
    }

    /// Creates the figures of an operation counted externally over `seconds`, greater than 0, with the
    /// result of [`times`](AuxFigures::times).
    pub fn from_summary(
        row: &'static AuxRow,
        count: u64,
        bytes: u64,
        seconds: f64,
        [mean, median, p99, p999, max]: [Option<Millis>; 5],
    ) -> AuxFigures {
        let bytes = row.share.is_some().then_some(bytes);
        AuxFigures {
            row,
            count,
            bytes,
            per_s: count as f64 / seconds,
            mean,
            median,
            p99,
            p999,
            max,
            open_end: None,
        }
    }

    pub fn with_open_end(self, open_end: Option<Millis>) -> AuxFigures {
        AuxFigures { open_end, ..self }
    }

    /// The cell of a percentile in a table.
    pub fn percentile_cell(&self, percentile: Option<Millis>) -> Cell {
        match percentile.filter(|time| self.open_end.is_some_and(|from| *time >= from)) {
            Some(bound) => Cell::AtLeast(bound),
            None => Cell::time(percentile),
        }
    }

    pub fn plural(&self) -> &'static str {
        self.row.plural
    }

    /// Mean, median, 99th and 99.9th percentile and the longest time, ms.
    pub fn times(&self) -> [Option<Millis>; 5] {
        [self.mean, self.median, self.p99, self.p999, self.max]
    }
}

impl Serialize for AuxFigures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(self.row.stored, &self.count)?;
        if let Some(bytes) = self.bytes {
            map.serialize_entry("bytes", &bytes)?;
        }
        map.serialize_entry("per_s", &self.per_s)?;
        for (name, ms) in ["mean", "median", "p99", "p999", "max"].into_iter().zip(self.times()) {
            map.serialize_entry(name, &ms)?;
        }
        if let Some(open_end) = self.open_end {
            map.serialize_entry("open_end", &open_end)?;
        }
        map.end()
    }
}

#[derive(serde::Deserialize)]
pub(super) struct StoredFigures {
    #[serde(flatten)]
    pub(super) number: OperationCount,
    pub(super) bytes: Option<u64>,
    pub(super) per_s: f64,
    pub(super) mean: Option<Millis>,
    pub(super) median: Option<Millis>,
    pub(super) p99: Option<Millis>,
    pub(super) p999: Option<Millis>,
    pub(super) max: Option<Millis>,
    pub(super) open_end: Option<Millis>,
}

impl<'de> Deserialize<'de> for AuxFigures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AuxFigures, D::Error> {
        let StoredFigures { number, bytes, per_s, mean, median, p99, p999, max, open_end } =
            StoredFigures::deserialize(deserializer)?;
        let OperationCount { row, count } = number;
        Ok(AuxFigures { row, count, bytes, per_s, mean, median, p99, p999, max, open_end })
    }
}

/// Number of operations with their name.
pub(super) struct OperationCount {
    pub(super) row: &'static AuxRow,
    pub(super) count: u64,
}

impl<'de> Deserialize<'de> for OperationCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OperationCount, D::Error> {
        let found: BTreeMap<String, IgnoredOr<u64>> = BTreeMap::deserialize(deserializer)?;
        let mut named = Operation::aux_operations().filter_map(|(_, row)| match found.get(row.stored) {
            Some(IgnoredOr::Known(count)) => Some(OperationCount { row, count: *count }),
            _ => None,
        });
        named.next().ok_or_else(|| D::Error::custom("figures of no known operation"))
    }
}

#[derive(serde::Deserialize)]
#[serde(untagged)]
pub(super) enum IgnoredOr<T> {
    Known(T),
    Other(serde::de::IgnoredAny),
}

/// Returns mean, median, 99th and 99.9th percentile and maximum of times in ns; `None` if empty.
pub(super) fn times_ms(times: &Histogram) -> [Option<Millis>; 5] {
    let at = |share| times.percentile(share).map(Millis::of_ns);
    let longest = times.moments().max().map(Millis::of_ns);
    [times.moments().mean().map(Millis::of_mean_ns), at(0.5), at(0.99), at(0.999), longest]
}
