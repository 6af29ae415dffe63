//! Figures of other operations than reads and writes: how many there were, how much of the target they
//! concerned, and how long they took.

use super::summarize::rows as by_thread;
use super::{AddUp, DirectionResults, Host, SpanResults};
use crate::operation::{Operation, OtherRow};
use crate::profile::RawText;
use crate::stats::Histogram;
use crate::units::Millis;
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::collections::BTreeMap;

/// The tables of a time span, of the operations that were asked for, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OtherTables(pub Vec<OtherTable>);

/// An operation by thread and target.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct OtherTable {
    /// What it is called.
    #[serde(skip)]
    pub row: &'static OtherRow,
    /// Which one.
    #[serde(skip)]
    pub op: Operation,
    /// Threads ascending, targets in the thread's order; only those that were to do it.
    pub rows: Vec<ThreadOther>,
    /// All rows, merged.
    pub total: OtherFigures,
}

/// What one thread did of it on one target.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ThreadOther {
    /// Thread number.
    pub thread: u32,
    /// The target, as the user gave it.
    pub path: RawText,
    /// What it did.
    pub figures: OtherFigures,
}

/// What has completed of an operation. Times in ms; `None` = nothing has.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherFigures {
    /// What it is called.
    row: &'static OtherRow,
    /// How many.
    pub count: u64,
    /// Bytes of the target that they concerned, over and over again ones as well; `None` = it concerns none.
    pub bytes: Option<u64>,
    /// How many per second.
    pub per_s: f64,
    /// Mean time.
    pub mean: Option<Millis>,
    /// Median.
    pub median: Option<Millis>,
    /// 99th percentile.
    pub p99: Option<Millis>,
    /// 99.9th percentile.
    pub p999: Option<Millis>,
    /// Longest.
    pub max: Option<Millis>,
}

impl OtherTables {
    /// Of a time span that was measured for so many seconds, greater than 0.
    pub(super) fn new(host: &Host, results: &SpanResults, seconds: f64) -> OtherTables {
        let table = |(op, row): (Operation, &'static OtherRow)| {
            let mut all = DirectionResults::default();
            let mut rows = Vec::new();
            for (thread, target) in by_thread(&results.threads) {
                let Some(account) = target.others.of(op) else { continue };
                all.add(account);
                let figures = OtherFigures::new(row, account, seconds);
                rows.push(ThreadOther { thread, path: host.path(target.target).clone(), figures });
            }
            let total = OtherFigures::new(row, &all, seconds);
            (!rows.is_empty()).then_some(OtherTable { row, op, rows, total })
        };
        OtherTables(Operation::others().filter_map(table).collect())
    }

    /// That of an operation; `None` = it was not asked for.
    pub fn of(&self, op: Operation) -> Option<&OtherTable> {
        self.0.iter().find(|table| table.op == op)
    }
}

impl OtherFigures {
    fn new(row: &'static OtherRow, account: &DirectionResults, seconds: f64) -> OtherFigures {
        let times = account.latency.as_ref().map(times_ms).unwrap_or_default();
        OtherFigures::known(row, account.ios, account.bytes, seconds, times)
    }

    /// Of an operation that somebody else counted in so many seconds, greater than 0, with what
    /// [`times`](OtherFigures::times) gives.
    pub fn known(
        row: &'static OtherRow,
        count: u64,
        bytes: u64,
        seconds: f64,
        [mean, median, p99, p999, max]: [Option<Millis>; 5],
    ) -> OtherFigures {
        let bytes = row.share.is_some().then_some(bytes);
        OtherFigures { row, count, bytes, per_s: count as f64 / seconds, mean, median, p99, p999, max }
    }

    /// What several are called.
    pub fn plural(&self) -> &'static str {
        self.row.plural
    }

    /// Mean, median, 99th and 99.9th percentile and the longest time, ms.
    pub fn times(&self) -> [Option<Millis>; 5] {
        [self.mean, self.median, self.p99, self.p999, self.max]
    }
}

/// Each under its name.
impl Serialize for OtherTables {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (op, row) in Operation::others() {
            match self.of(op) {
                // Summaries have always said so when nothing was flushed.
                None if op != Operation::Flush => {}
                table => map.serialize_entry(row.stored, &table)?,
            }
        }
        map.end()
    }
}

impl Serialize for OtherFigures {
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
        map.end()
    }
}

/// As they are stored, their number apart.
#[derive(serde::Deserialize)]
struct StoredFigures {
    #[serde(flatten)]
    number: NamedCount,
    bytes: Option<u64>,
    per_s: f64,
    mean: Option<Millis>,
    median: Option<Millis>,
    p99: Option<Millis>,
    p999: Option<Millis>,
    max: Option<Millis>,
}

impl<'de> Deserialize<'de> for OtherFigures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OtherFigures, D::Error> {
        let StoredFigures { number, bytes, per_s, mean, median, p99, p999, max } =
            StoredFigures::deserialize(deserializer)?;
        let NamedCount { row, count } = number;
        Ok(OtherFigures { row, count, bytes, per_s, mean, median, p99, p999, max })
    }
}

/// How many there were, under the name of their operation.
struct NamedCount {
    row: &'static OtherRow,
    count: u64,
}

impl<'de> Deserialize<'de> for NamedCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NamedCount, D::Error> {
        let found: BTreeMap<String, IgnoredOr<u64>> = BTreeMap::deserialize(deserializer)?;
        let mut named = Operation::others().filter_map(|(_, row)| match found.get(row.stored) {
            Some(IgnoredOr::Known(count)) => Some(NamedCount { row, count: *count }),
            _ => None,
        });
        named.next().ok_or_else(|| D::Error::custom("figures of no known operation"))
    }
}

/// A field, or one that is somebody else's.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum IgnoredOr<T> {
    Known(T),
    Other(serde::de::IgnoredAny),
}

impl<'de> Deserialize<'de> for OtherTables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OtherTables, D::Error> {
        #[derive(serde::Deserialize)]
        struct StoredTable {
            rows: Vec<ThreadOther>,
            total: OtherFigures,
        }
        let mut found: BTreeMap<String, IgnoredOr<StoredTable>> = BTreeMap::deserialize(deserializer)?;
        let table = |(op, row): (Operation, &'static OtherRow)| match found.remove(row.stored) {
            Some(IgnoredOr::Known(StoredTable { rows, total })) => Some(OtherTable { row, op, rows, total }),
            _ => None,
        };
        Ok(OtherTables(Operation::others().filter_map(table).collect()))
    }
}

/// Mean, median, 99th and 99.9th percentile and the longest of times in ns; `None` = there are none.
fn times_ms(times: &Histogram) -> [Option<Millis>; 5] {
    let at = |share| times.percentile(share).map(Millis::of_ns);
    let longest = times.moments().max().map(Millis::of_ns);
    [times.moments().mean().map(Millis::of_mean_ns), at(0.5), at(0.99), at(0.999), longest]
}
