//! Figures by interval (`-D`): of a whole time span, and of one thread on one target.

use super::summary::IopsSeries;
use super::{DirectionResults, SpanResults};
use crate::stats::{Interval, Intervals, Moments, Series};
use serde::{Deserialize, Serialize};

/// What happened in one interval. Rates are over its full width, also where the span ended within it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IntervalFigures {
    /// Its end, ms since measuring began.
    pub end_ms: u64,
    /// Its beginning, ms since 1970-01-01 00:00 UTC; `None` = unknown.
    pub started_at: Option<i64>,
    /// Reads.
    pub read: IntervalDirection,
    /// Writes.
    pub write: IntervalDirection,
    /// Both.
    pub total: IntervalDirection,
    /// Of reads and writes together (`-L`); `None` = not measured, no I/O, or no room to keep them.
    pub percentiles: Option<IntervalPercentiles>,
}

/// One direction in one interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct IntervalDirection {
    /// I/Os completed.
    pub ios: u64,
    /// I/Os per second.
    pub iops: f64,
    /// 2^20 bytes per second; `None` = not kept by interval.
    pub mib_per_s: Option<f64>,
    /// Latencies; `None` = no I/O.
    pub latency: Option<IntervalLatency>,
}

/// Latencies in one interval, ms, exact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct IntervalLatency {
    /// Shortest.
    pub min: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Longest.
    pub max: f64,
    /// Population standard deviation.
    pub std_dev: f64,
}

/// Latency percentiles of one interval, ms, at most 0.8 % off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct IntervalPercentiles {
    /// 50 %
    pub p50: f64,
    /// 95 %
    pub p95: f64,
    /// 99 %
    pub p99: f64,
    /// 99.9 %
    pub p999: f64,
}

/// The intervals of two series, either of which may be missing, up to the end of the longer one.
pub fn intervals_of<'a>(
    read: Option<&'a Series>,
    write: Option<&'a Series>,
) -> impl Iterator<Item = IntervalFigures> + 'a {
    let width = read.or(write).map_or(0, Series::width);
    let count = |series: Option<&Series>| series.map_or(0, Series::valid_count);
    let mut reads = read.into_iter().flat_map(Series::valid);
    let mut writes = write.into_iter().flat_map(Series::valid);
    (0..count(read).max(count(write))).map(move |number| {
        let (read, write) = (reads.next().unwrap_or_default(), writes.next().unwrap_or_default());
        let mut both = read;
        both.merge(&write);
        let (read, write) = (direction(&read, width), direction(&write, width));
        let total = IntervalDirection { iops: read.iops + write.iops, ..direction(&both, width) };
        let end_ms = (number + 1).saturating_mul(width) / 1_000_000;
        IntervalFigures { end_ms, started_at: None, read, write, total, percentiles: None }
    })
}

fn direction(moments: &Moments, width: u64) -> IntervalDirection {
    let ms = |nanos: u64| nanos as f64 / 1e6;
    let latency = moments.min().zip(moments.max()).zip(moments.mean().zip(moments.std_dev())).map(
        |((min, max), (mean, std_dev))| IntervalLatency {
            min: ms(min),
            max: ms(max),
            mean: mean / 1e6,
            std_dev: std_dev / 1e6,
        },
    );
    let iops = moments.count() as f64 / (width as f64 / 1e9);
    IntervalDirection { ios: moments.count(), iops, mib_per_s: None, latency }
}

impl IopsSeries {
    /// The course of one thread's work on one target.
    pub fn new(read: &DirectionResults, write: &DirectionResults) -> IopsSeries {
        IopsSeries::of(read.series.as_ref(), write.series.as_ref())
    }

    /// Everything of a time span merged, with bytes, percentiles and wall-clock times as far as they are known.
    pub(super) fn of_span(span: &SpanResults) -> IopsSeries {
        let merged = |direction: fn(&super::TargetResults) -> &DirectionResults| {
            let mut all: Option<Series> = None;
            let targets = span.threads.iter().flat_map(|thread| &thread.targets);
            for series in targets.filter_map(|target| direction(target).series.as_ref()) {
                all.get_or_insert_default().merge(series);
            }
            all
        };
        let (read, write) = (merged(|target| &target.read), merged(|target| &target.write));
        let mut series = IopsSeries::of(read.as_ref(), write.as_ref());
        let width = read.or(write).map_or(0, |series| series.width());
        for (number, interval) in series.intervals.iter_mut().enumerate() {
            let start_ms = (number as u64).saturating_mul(width) / 1_000_000;
            interval.started_at =
                span.started_at.and_then(|at| at.checked_add(i64::try_from(start_ms).ok()?));
            let kept = span.intervals.as_ref().and_then(|intervals: &Intervals| intervals.get(number));
            if let Some(kept) = kept {
                interval.complete(kept, width as f64 / 1e9);
            }
        }
        series
    }

    fn of(read: Option<&Series>, write: Option<&Series>) -> IopsSeries {
        let std_dev = |series: Option<&Series>| {
            series.filter(|series| series.valid_count() > 0).map(Series::iops_std_dev)
        };
        let mut both = read.cloned().unwrap_or_default();
        write.into_iter().for_each(|write| both.merge(write));
        IopsSeries {
            read_std_dev: std_dev(read),
            write_std_dev: std_dev(write),
            total_std_dev: std_dev(Some(&both)),
            intervals: intervals_of(read, write).collect(),
        }
    }
}

impl IntervalFigures {
    /// Adds what was kept for all threads together; `seconds`: width.
    fn complete(&mut self, kept: &Interval, seconds: f64) {
        let mib = |bytes: u64| Some(bytes as f64 / 1_048_576.0 / seconds);
        self.read.mib_per_s = mib(kept.read_bytes);
        self.write.mib_per_s = mib(kept.write_bytes);
        self.total.mib_per_s = mib(kept.read_bytes.saturating_add(kept.write_bytes));
        let Some(latency) = self.total.latency else { return };
        let at = |p| Some((kept.percentile(p)? as f64 / 1e6).clamp(latency.min, latency.max));
        self.percentiles = at(0.5)
            .zip(at(0.95))
            .zip(at(0.99).zip(at(0.999)))
            .map(|((p50, p95), (p99, p999))| IntervalPercentiles { p50, p95, p99, p999 });
    }
}
