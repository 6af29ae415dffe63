//! Figures by interval (`-D`): of a whole time span, and of one thread on one target.

use super::summary::IopsSeries;
use super::{SpanResults, TargetResults};
use crate::stats::{Interval, Intervals, Moments, SeriesSum};
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

/// Completions over time: of one thread on one target, or of all together.
#[derive(Debug, Default)]
pub struct Course {
    read: SeriesSum,
    write: SeriesSum,
}

impl Course {
    /// That of one thread on one target.
    pub fn new(target: &TargetResults) -> Course {
        let mut course = Course::default();
        target.read.series.iter().for_each(|series| course.read.add(series));
        target.write.series.iter().for_each(|series| course.write.add(series));
        course
    }

    /// That of what has been added up.
    pub(super) fn of_sums(read: SeriesSum, write: SeriesSum) -> Course {
        Course { read, write }
    }

    /// Width of an interval, ns; 0 = there are none.
    fn width(&self) -> u64 {
        self.read.width().max(self.write.width())
    }

    /// Population standard deviations of reads, writes and both together, I/Os per second; `None` = none in any interval.
    pub fn std_devs(&self) -> [Option<f64>; 3] {
        let std_dev = |sum: &SeriesSum| (sum.valid_count() > 0).then(|| sum.iops_std_dev());
        let both = match (self.read.valid_count(), self.write.valid_count()) {
            (_, 0) => std_dev(&self.read),
            (0, _) => std_dev(&self.write),
            _ => {
                let mut both = self.read.clone();
                both.merge(&self.write);
                std_dev(&both)
            }
        };
        [std_dev(&self.read), std_dev(&self.write), both]
    }

    /// Reads and writes of each interval, up to the end of the longer series.
    fn moments(&self) -> impl Iterator<Item = (Moments, Moments)> {
        let (mut reads, mut writes) = (self.read.valid(), self.write.valid());
        (0..self.read.valid_count().max(self.write.valid_count()))
            .map(move |_| (reads.next().unwrap_or_default(), writes.next().unwrap_or_default()))
    }

    /// Reads and writes of each interval, and its end, ms since measuring began.
    pub fn intervals(&self) -> impl Iterator<Item = (u64, IntervalDirection, IntervalDirection)> {
        let width = self.width();
        (1..).zip(self.moments()).map(move |(number, (read, write))| {
            (end_ms(number, width), direction(&read, width), direction(&write, width))
        })
    }

    /// All figures of each interval that can be told from here.
    fn figures(&self) -> impl Iterator<Item = IntervalFigures> {
        let width = self.width();
        (1..).zip(self.moments()).map(move |(number, (read, write))| {
            let mut both = read;
            both.merge(&write);
            let (read, write) = (direction(&read, width), direction(&write, width));
            let total = IntervalDirection { iops: read.iops + write.iops, ..direction(&both, width) };
            let end_ms = end_ms(number, width);
            IntervalFigures { end_ms, started_at: None, read, write, total, percentiles: None }
        })
    }
}

/// Where an interval ends, ms; `number` from 1, `width` in ns.
fn end_ms(number: u64, width: u64) -> u64 {
    number.saturating_mul(width) / 1_000_000
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
    /// The course of a time span, with bytes, percentiles and wall-clock times as far as they are known.
    pub(super) fn of_span(course: &Course, span: &SpanResults) -> IopsSeries {
        let width = course.width();
        let complete = |(number, mut interval): (usize, IntervalFigures)| {
            let start_ms = (number as u64).saturating_mul(width) / 1_000_000;
            interval.started_at =
                span.started_at.and_then(|at| at.checked_add(i64::try_from(start_ms).ok()?));
            let kept = span.intervals.as_ref().and_then(|intervals: &Intervals| intervals.get(number));
            if let Some(kept) = kept {
                interval.complete(kept, width as f64 / 1e9);
            }
            interval
        };
        let [read_std_dev, write_std_dev, total_std_dev] = course.std_devs();
        let intervals = course.figures().enumerate().map(complete).collect();
        IopsSeries { read_std_dev, write_std_dev, total_std_dev, intervals }
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
