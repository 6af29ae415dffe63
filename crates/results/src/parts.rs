//! Results by part of a mix and by size (`--mix`, `--bs-split`).

use super::part_results::PartResults;
use super::{Accumulate, DirectionResults, Host, Quantiles, SpanResults, TargetResults};
use diskspd_figures::stats::Histogram;
use diskspd_figures::units::Millis;
use diskspd_profile::{RawText, TargetId};
use serde::{Deserialize, Serialize};

impl Accumulate for DirectionResults {
    fn add(&mut self, other: &DirectionResults) {
        self.bytes.add(&other.bytes);
        self.ios.add(&other.ios);
        self.short.add(&other.short);
        self.nowait_misses.add(&other.nowait_misses);
        self.latency.add(&other.latency);
        self.paced.add(&other.paced);
        match (&mut self.series, &other.series) {
            (Some(series), Some(other)) => series.merge(other),
            (series @ None, other) => series.clone_from(other),
            (Some(_), None) => {}
        }
    }
}

impl TargetResults {
    pub fn add_portion(&mut self, other: TargetResults) {
        self.read.add(&other.read);
        self.write.add(&other.write);
        self.not_submitted.add(&other.not_submitted);
        debug_assert!(other.integrity.is_none(), "only the first portion holds them");
        self.others.add(&other.others);
        self.unfinished.extend(other.unfinished);
        self.unfinished.sort_unstable_by(|a, b| b.cmp(a));
        self.unfinished.truncate(1024);
    }

    pub fn as_part(&self, part: u32, block_size: u32) -> PartResults {
        let without_course = |of: &DirectionResults| DirectionResults { series: None, ..of.clone() };
        let (read, write) = (without_course(&self.read), without_course(&self.write));
        PartResults { part, block_size, read, write }
    }
}

/// Figures by part and size, over all threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartTable {
    /// Rows by target, part and size, for targets with several parts.
    pub rows: Vec<PartRow>,
}

/// Part and I/O size of the work on a target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartRow {
    /// Path of the target as entered by the user.
    pub path: RawText,
    /// Number of the part in the mix, from 1.
    pub part: u32,
    /// Size of an I/O in bytes.
    pub block_size: u32,
    pub figures: PartFigures,
}

/// Figures of a part. Times in ms; `None` = not measured, or no I/Os.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartFigures {
    pub ios: u64,
    pub writes: u64,
    /// Bytes transferred.
    pub bytes: u64,
    /// Share of the target's I/Os in percent; `None` without I/Os.
    pub share: Option<f64>,
    pub iops: f64,
    pub mean: Option<Millis>,
    pub median: Option<Millis>,
    pub p99: Option<Millis>,
    pub p999: Option<Millis>,
}

impl PartTable {
    /// Returns `None` if no target has parts.
    pub(super) fn new(host: &Host, results: &SpanResults, seconds: f64) -> Option<PartTable> {
        let mut found: Vec<(TargetId, PartResults)> = Vec::new();
        for target in results.threads.iter().flat_map(|thread| &thread.targets) {
            for part in &target.parts {
                let same = |known: &&mut (TargetId, PartResults)| {
                    known.0 == target.target
                        && (known.1.part, known.1.block_size) == (part.part, part.block_size)
                };
                match found.iter_mut().find(same) {
                    None => found.push((target.target, part.clone())),
                    Some((_, known)) => {
                        known.read.add(&part.read);
                        known.write.add(&part.write);
                    }
                }
            }
        }
        let all = |id: TargetId| {
            let of = found.iter().filter(|(target, _)| *target == id);
            of.map(|(_, part)| part.read.ios + part.write.ios).fold(0, u64::saturating_add)
        };
        let row = |(id, part): &(TargetId, PartResults)| PartRow {
            path: host.path(*id).clone(),
            part: part.part + 1,
            block_size: part.block_size,
            figures: PartFigures::new(part, all(*id), seconds),
        };
        (!found.is_empty()).then(|| PartTable { rows: found.iter().map(row).collect() })
    }
}

impl PartFigures {
    fn new(part: &PartResults, all: u64, seconds: f64) -> PartFigures {
        let mut times = Histogram::default();
        part.read.latency.iter().chain(&part.write.latency).for_each(|latency| times.add(latency));
        let ios = part.read.ios + part.write.ios;
        let Quantiles { mean, p50: median, p99, p999, .. } = Quantiles::from_times(&times);
        PartFigures {
            ios,
            writes: part.write.ios,
            bytes: part.read.bytes + part.write.bytes,
            share: (all > 0).then(|| 100.0 * ios as f64 / all as f64),
            iops: ios as f64 / seconds,
            mean,
            median,
            p99,
            p999,
        }
    }
}
