//! Figures of operations other than reads and writes.

use crate::{DirectionResults, Quantiles};
use diskspd_base::operation::{AuxRow, Operation};
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
    pub per_s: f64,
    pub times: Quantiles,
    /// The smallest percentile that is a lower bound, because the last bin has no end; `None` without
    /// I/Os in that bin.
    pub open_end: Option<Millis>,
}

impl AuxFigures {
    pub(super) fn new(row: &'static AuxRow, account: &DirectionResults, seconds: f64) -> AuxFigures {
        let times = account.latency.as_deref().map(Quantiles::from_times).unwrap_or_default();
        AuxFigures::from_summary(row, account.ios, account.bytes, seconds, times)
    }

    /// Creates the figures of an operation counted externally over `seconds`, greater than 0.
    pub fn from_summary(
        row: &'static AuxRow,
        count: u64,
        bytes: u64,
        seconds: f64,
        times: Quantiles,
    ) -> AuxFigures {
        let bytes = row.share.is_some().then_some(bytes);
        // Records do not store the 95th percentile of these operations.
        let times = Quantiles { p95: None, ..times };
        AuxFigures { row, count, bytes, per_s: count as f64 / seconds, times, open_end: None }
    }

    pub fn with_open_end(self, open_end: Option<Millis>) -> AuxFigures {
        AuxFigures { open_end, ..self }
    }

    /// Returns the table cell of a percentile.
    pub fn percentile_cell(&self, percentile: Option<Millis>) -> Cell {
        match percentile.filter(|time| self.open_end.is_some_and(|from| *time >= from)) {
            Some(bound) => Cell::AtLeast(bound),
            None => Cell::time(percentile),
        }
    }

    pub fn plural(&self) -> &'static str {
        self.row.plural
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
        let Quantiles { mean, p50, p99, p999, max, .. } = self.times;
        let times = [("mean", mean), ("median", p50), ("p99", p99), ("p999", p999), ("max", max)];
        times.iter().try_for_each(|(name, ms)| map.serialize_entry(name, ms))?;
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
    #[serde(flatten)]
    pub(super) times: Quantiles,
    pub(super) open_end: Option<Millis>,
}

impl<'de> Deserialize<'de> for AuxFigures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AuxFigures, D::Error> {
        let StoredFigures { number, bytes, per_s, times, open_end } =
            StoredFigures::deserialize(deserializer)?;
        let OperationCount { row, count } = number;
        Ok(AuxFigures { row, count, bytes, per_s, times, open_end })
    }
}

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
