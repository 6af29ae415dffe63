//! Figures by interval (`-D`), for a whole time span, and for one thread on one target.
//!
//! DISKSPD counts an incomplete last interval as a whole one, and omits intervals after the last
//! completion. Its deviations and its XML use this rule ([`CompletionSeries`]). All other figures use the
//! real length of each interval, and continue to the end of the measurement ([`IopsSeries::intervals`]).

use super::{SpanResults, TargetResults};
use diskspd_figures::stats::{Interval, Moments, SeriesSum};
use diskspd_figures::units::{Millis, seconds_of_ns};
use serde::{Deserialize, Serialize};

/// Maximum number of listed intervals after the last one with an I/O.
const MAX_EMPTY_INTERVALS: u64 = 1 << 20;

/// I/Os per second over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IopsSeries {
    /// Population standard deviation of reads in I/Os per second, as DISKSPD defines it: over the first
    /// `reached` intervals, each counted as a whole one. `None` without reads in any interval.
    pub read_std_dev: Option<f64>,
    pub write_std_dev: Option<f64>,
    /// Standard deviation of both directions together.
    pub total_std_dev: Option<f64>,
    /// Standard deviations weighted by the lengths of the intervals, up to the end of the measurement.
    #[serde(default)]
    pub weighted_std_devs: WeightedStdDevs,
    /// Number of intervals by DISKSPD's definition: up to the latest completion.
    #[serde(default = "every_interval")]
    pub interval_count: usize,
    pub intervals: Vec<IntervalFigures>,
}

fn every_interval() -> usize {
    usize::MAX
}

/// Results of one interval. Rates use its real length.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct IntervalFigures {
    /// End in ms since the start of the measurement; at most its end.
    pub end_ms: u64,
    pub started_at: Option<i64>,
    pub read: IntervalDirection,
    pub write: IntervalDirection,
    pub total: IntervalDirection,
    /// Of reads and writes together (`-L`); `None` = not measured, no I/O, or no room to keep them.
    pub percentiles: Option<IntervalPercentiles>,
    /// Response times of I/Os that had a time to start at (`-g`), reads and writes together (`-L`); `None`
    /// = as above, or none had.
    #[serde(default)]
    pub response: Option<IntervalResponse>,
    /// Length in s of an interval truncated by the end of the measurement; `None` = whole.
    #[serde(default)]
    pub partial_s: Option<f64>,
    /// Number of failed I/Os; `None` = unknown, in a line of the stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<u64>,
}

/// Population standard deviations in I/Os per second, weighted by interval length. Empty intervals count
/// up to the end of the measurement.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct WeightedStdDevs {
    pub read: f64,
    pub write: f64,
    pub total: f64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct IntervalDirection {
    pub ios: u64,
    pub iops: f64,
    /// 2^20 bytes per second; `None` = not recorded by interval.
    pub mib_per_s: Option<f64>,
    /// Latencies; `None` = no I/O.
    pub latency: Option<IntervalLatency>,
}

/// Exact latencies of one interval in ms.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct IntervalLatency {
    pub min: Millis,
    pub mean: Millis,
    pub max: Millis,
    pub std_dev: Millis,
}

/// Latency percentiles of one interval in ms, with an error of at most 0.8 %.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct IntervalPercentiles {
    pub p50: Millis,
    pub p95: Millis,
    pub p99: Millis,
    pub p999: Millis,
}

impl IntervalPercentiles {
    /// Creates the percentiles from `at`, the time that a share of the I/Os did not exceed.
    pub fn new(at: impl Fn(f64) -> Option<Millis>) -> Option<IntervalPercentiles> {
        Some(IntervalPercentiles { p50: at(0.5)?, p95: at(0.95)?, p99: at(0.99)?, p999: at(0.999)? })
    }
}

/// Response times of one interval in ms from the scheduled start, with an error of at most 0.8 %.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct IntervalResponse {
    pub p50: Millis,
    pub p95: Millis,
    pub p99: Millis,
    pub p999: Millis,
    pub max: Millis,
}

/// Completions over time, of one thread and target or of all.
#[derive(Debug, Default)]
pub struct CompletionSeries {
    read: SeriesSum,
    write: SeriesSum,
}

impl CompletionSeries {
    pub fn new(target: &TargetResults) -> CompletionSeries {
        let mut course = CompletionSeries::default();
        target.read.series.iter().for_each(|series| course.read.add(series));
        target.write.series.iter().for_each(|series| course.write.add(series));
        course
    }

    pub(super) fn of_sums(read: SeriesSum, write: SeriesSum) -> CompletionSeries {
        CompletionSeries { read, write }
    }

    /// Returns the width of an interval in ns; 0 = no intervals.
    fn interval_width(&self) -> u64 {
        self.read.width().max(self.write.width())
    }

    /// Population standard deviations of reads, writes and both together, I/Os per second; `None` = none in
    /// any interval.
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

    /// Returns reads and writes of each interval, up to the end of the longer series.
    fn moments(&self) -> impl Iterator<Item = (Moments, Moments)> {
        let (mut reads, mut writes) = (self.read.valid(), self.write.valid());
        (0..self.reached())
            .map(move |_| (reads.next().unwrap_or_default(), writes.next().unwrap_or_default()))
    }

    /// Reads and writes of each interval, and its end, ms since measuring began, as DISKSPD defines them:
    /// every interval is a whole one.
    pub fn intervals(&self) -> impl Iterator<Item = (u64, IntervalDirection, IntervalDirection)> {
        let width = self.interval_width();
        (1..).zip(self.moments()).map(move |(number, (read, write))| {
            (end_ms(number, width), interval_direction(&read, width), interval_direction(&write, width))
        })
    }

    /// Returns the number of intervals by DISKSPD's definition: up to the latest completion.
    fn reached(&self) -> u64 {
        self.read.valid_count().max(self.write.valid_count())
    }

    /// Returns the available figures of each interval, up to the end of the measurement (ns).
    fn interval_figures(&self, measured: u64) -> impl Iterator<Item = IntervalFigures> {
        let width = self.interval_width();
        let allocated = self.read.allocated().max(self.write.allocated());
        let begun = if width > 0 { measured.div_ceil(width).min(allocated) } else { 0 };
        let empty = begun.saturating_sub(self.reached()).min(MAX_EMPTY_INTERVALS) as usize;
        let moments = self.moments().chain(std::iter::repeat_n(Default::default(), empty));
        (0..).zip(moments).map(move |(number, (read, write))| {
            let begin = width.saturating_mul(number);
            // What completed behind the end can only be in a record that was edited.
            let length = match measured.saturating_sub(begin) {
                0 => width,
                rest => rest.min(width),
            };
            let mut both = read;
            both.merge(&write);
            let (read, write) = (interval_direction(&read, length), interval_direction(&write, length));
            let total =
                IntervalDirection { iops: read.iops + write.iops, ..interval_direction(&both, length) };
            let end_ms = begin.saturating_add(length) / 1_000_000;
            let partial_s = (length < width).then_some(seconds_of_ns(length));
            IntervalFigures { end_ms, read, write, total, partial_s, ..IntervalFigures::default() }
        })
    }
}

impl IntervalFigures {
    /// Returns the length in s; `width` is the length of a whole interval in s.
    fn length_seconds(&self, width: f64) -> f64 {
        self.partial_s.unwrap_or(width)
    }
}

impl WeightedStdDevs {
    /// Computes the deviations of these intervals; `width` of a whole one in s. All are 0 without
    /// intervals.
    fn new(intervals: &[IntervalFigures], width: f64) -> WeightedStdDevs {
        let time: f64 = intervals.iter().map(|interval| interval.length_seconds(width)).sum();
        let std_dev = |of: fn(&IntervalFigures) -> &IntervalDirection| {
            let mean = intervals.iter().map(|interval| of(interval).ios as f64).sum::<f64>() / time;
            let squares = |interval: &IntervalFigures| {
                interval.length_seconds(width) * (of(interval).iops - mean).powi(2)
            };
            (intervals.iter().map(squares).sum::<f64>() / time).sqrt()
        };
        if time <= 0.0 {
            return WeightedStdDevs::default();
        }
        WeightedStdDevs {
            read: std_dev(|interval| &interval.read),
            write: std_dev(|interval| &interval.write),
            total: std_dev(|interval| &interval.total),
        }
    }
}

/// Returns the end of an interval in ms; `number` counts from 1, `width` is in ns.
fn end_ms(number: u64, width: u64) -> u64 {
    number.saturating_mul(width) / 1_000_000
}

fn interval_direction(moments: &Moments, width: u64) -> IntervalDirection {
    let latency = moments.min().zip(moments.max()).zip(moments.mean().zip(moments.std_dev())).map(
        |((min, max), (mean, std_dev))| IntervalLatency {
            min: Millis::of_ns(min),
            max: Millis::of_ns(max),
            mean: Millis::of_mean_ns(mean),
            std_dev: Millis::of_mean_ns(std_dev),
        },
    );
    let iops = io_rate(moments.count(), width);
    IntervalDirection { ios: moments.count(), iops, mib_per_s: None, latency }
}

/// Returns I/Os per second; `width` is in ns.
fn io_rate(ios: u64, width: u64) -> f64 {
    ios as f64 / seconds_of_ns(width)
}

impl IopsSeries {
    /// Returns the intervals of a time span, with bytes, percentiles and wall-clock times where known.
    pub(super) fn of_span(course: &CompletionSeries, span: &SpanResults) -> IopsSeries {
        let width = course.interval_width();
        let seconds = seconds_of_ns(width);
        let complete = |(number, mut interval): (usize, IntervalFigures)| {
            let start_ms = (number as u64).saturating_mul(width) / 1_000_000;
            interval.started_at =
                span.started_at.and_then(|at| at.checked_add(i64::try_from(start_ms).ok()?));
            let (begin, end) = (start_ms as i64 * 1000, interval.end_ms as i64 * 1000);
            let failed = span.errors.iter().flat_map(|error| &error.at_us);
            interval.failed = Some(failed.filter(|at| (begin..end).contains(at)).count() as u64);
            if let Some(intervals) = &span.intervals {
                let none = Interval::default();
                interval.add_kept(intervals.get(number).unwrap_or(&none), seconds);
            }
            let responses = span.responses.as_ref().and_then(|responses| responses.get(number));
            interval.response = responses.and_then(response_times);
            interval
        };
        let [read_std_dev, write_std_dev, total_std_dev] = course.std_devs();
        let intervals: Vec<IntervalFigures> =
            course.interval_figures(span.covered()).enumerate().map(complete).collect();
        let weighted_std_devs = WeightedStdDevs::new(&intervals, seconds);
        let reached = course.reached() as usize;
        IopsSeries {
            read_std_dev,
            write_std_dev,
            total_std_dev,
            weighted_std_devs,
            interval_count: reached,
            intervals,
        }
    }

    /// Reads and writes of each interval, and its end, ms since measuring began, as DISKSPD defines them:
    /// up to the latest completion, and every interval is a whole one of `width_ms` ms.
    pub fn complete_intervals(
        &self,
        width_ms: u32,
    ) -> impl Iterator<Item = (u64, IntervalDirection, IntervalDirection)> {
        let width = u64::from(width_ms.max(1)) * 1_000_000;
        (1..).zip(self.intervals.iter().take(self.interval_count)).map(move |(number, interval)| {
            let IntervalFigures { end_ms: end, read, write, partial_s, .. } = *interval;
            let whole = |of: IntervalDirection| IntervalDirection { iops: io_rate(of.ios, width), ..of };
            match partial_s {
                None => (end, read, write),
                Some(_) => (end_ms(number, width), whole(read), whole(write)),
            }
        })
    }
}

fn response_times(kept: &Interval) -> Option<IntervalResponse> {
    let at = |p| Some(Millis::of_ns(kept.percentile(p)?));
    Some(IntervalResponse { p50: at(0.5)?, p95: at(0.95)?, p99: at(0.99)?, p999: at(0.999)?, max: at(1.0)? })
}

impl IntervalFigures {
    fn add_kept(&mut self, kept: &Interval, width: f64) {
        let seconds = self.length_seconds(width);
        let mib = |bytes: u64| Some(bytes as f64 / 1_048_576.0 / seconds);
        self.read.mib_per_s = mib(kept.read_bytes);
        self.write.mib_per_s = mib(kept.write_bytes);
        self.total.mib_per_s = mib(kept.read_bytes.saturating_add(kept.write_bytes));
        let Some(latency) = self.total.latency else { return };
        let at = |p| Some(Millis::of_ns(kept.percentile(p)?).clamp_to(latency.min, latency.max));
        self.percentiles = IntervalPercentiles::new(at);
    }
}
