//! Rates, throughput and latencies over time: by the intervals of `-D`, otherwise by the controlling
//! thread's observations once a second.

use super::chart::axis::ChartAxis;
use super::chart::heat;
use super::chart::lines::{LineTimes, Lines, PointTimes, TimeSeries};
use super::chart::table::FigureTable;
use super::chart::{ChartFigure, Mark};
use super::span::{RecordedSpan, Span};
use super::{badges, downsample};
use diskspd_figures::units::{Millis, seconds_of_ms, seconds_of_us};
use diskspd_report::number::{cell, clock, grouped, in_ms, plain};
use diskspd_results::{IntervalFigures, Sample};

/// Maximum number of columns of a heat map.
const COLUMNS: usize = 120;

/// Time series of a time span by interval.
#[derive(Debug)]
pub(crate) struct Timeline {
    stretches: Vec<TimelineInterval>,
    seconds: f64,
    by_intervals: bool,
}

/// Interval; times in s, latencies in ms.
#[derive(Debug, Clone, Default)]
struct TimelineInterval {
    from: f64,
    to: f64,
    iops: [Option<f64>; 3],
    mib_per_s: [Option<f64>; 3],
    /// Latency at 50, 95, 99 and 99.9 %, and the maximum.
    latency: [Option<f64>; 5],
    response: [Option<f64>; 5],
    failed: u64,
}

/// Styles and names of reads, writes and both.
const DIRECTIONS: [(&str, &str); 3] = [("read", "read"), ("write", "write"), ("total", "total")];

/// Styles and names of latencies over time.
const LATENCIES: [(&str, &str); 5] =
    [("p50", "50 %"), ("p95", "95 %"), ("p99", "99 %"), ("p999", "99.9 %"), ("longest", "longest")];

impl TimelineInterval {
    fn length_seconds(&self) -> f64 {
        self.to - self.from
    }

    fn of_interval(from: f64, interval: &IntervalFigures) -> TimelineInterval {
        let directions = [&interval.read, &interval.write, &interval.total];
        let longest = interval.total.latency.map(|latency| latency.max.ms());
        let latency = match interval.percentiles {
            Some(p) => {
                let [p50, p95, p99, p999] = [p.p50, p.p95, p.p99, p.p999].map(|time| Some(time.ms()));
                [p50, p95, p99, p999, longest]
            }
            None => [None, None, None, None, longest],
        };
        let response =
            interval.response.map(|r| [r.p50, r.p95, r.p99, r.p999, r.max].map(|time| Some(time.ms())));
        TimelineInterval {
            from,
            to: seconds_of_ms(interval.end_ms),
            iops: directions.map(|direction| Some(direction.iops)),
            mib_per_s: directions.map(|direction| direction.mib_per_s),
            latency,
            response: response.unwrap_or_default(),
            failed: interval.failed.unwrap_or(0),
        }
    }

    fn of_sample(from: f64, sample: &Sample, p99: Option<f64>) -> TimelineInterval {
        let to = seconds_of_us(sample.end_us);
        let rate = |amount: f64| Some(amount / (to - from).max(1e-6));
        TimelineInterval {
            from,
            to,
            iops: [None, None, rate(sample.ios as f64)],
            mib_per_s: [None, None, rate(sample.bytes as f64 / 1_048_576.0)],
            latency: [None, None, p99, None, None],
            ..TimelineInterval::default()
        }
    }
}

impl Timeline {
    pub(crate) fn from_span(span: &RecordedSpan) -> Option<Timeline> {
        let intervals = span.measured.iops.as_ref().map_or(&[][..], |iops| &iops.intervals);
        let observed = span.results().and_then(|results| results.observed.as_ref());
        let samples = observed.map_or(&[][..], |observed| &observed.samples);
        let by_intervals = !intervals.is_empty();
        let mut stretches: Vec<TimelineInterval> = Vec::with_capacity(intervals.len().max(samples.len()));
        let end = |stretches: &[TimelineInterval]| stretches.last().map_or(0.0, |last| last.to);
        for interval in intervals {
            stretches.push(TimelineInterval::of_interval(end(&stretches), interval));
        }
        let p99_ns = observed.map_or(&[][..], |observed| &observed.p99_ns);
        for (number, sample) in samples.iter().enumerate().filter(|_| !by_intervals) {
            let p99 = p99_ns.get(number).filter(|ns| **ns > 0).map(|ns| Millis::of_ns(*ns).ms());
            stretches.push(TimelineInterval::of_sample(end(&stretches), sample, p99));
        }
        let seconds = stretches.last()?.to;
        Some(Timeline { stretches, seconds, by_intervals })
    }

    pub(crate) fn iops(&self) -> Vec<Option<f64>> {
        self.stretches.iter().map(|stretch| stretch.iops[2]).collect()
    }

    /// The 99th percentile in each interval, ms, of response times if there are any; empty = no percentiles.
    pub(crate) fn p99(&self) -> Vec<Option<f64>> {
        const P99: usize = 2;
        let of = |of: fn(&TimelineInterval) -> &[Option<f64>; 5]| -> Vec<Option<f64>> {
            self.stretches.iter().map(|stretch| of(stretch)[P99]).collect()
        };
        let all = [of(|stretch| &stretch.response), of(|stretch| &stretch.latency)];
        all.into_iter().find(|times| times.iter().any(Option::is_some)).unwrap_or_default()
    }

    pub(crate) fn charts(&self, span: &Span, detail: &RecordedSpan) -> Vec<ChartFigure> {
        let marks = badges::of_span(detail);
        let latency = |title, id, of| self.latency_chart(span, title, id, of, &marks);
        let response: fn(&TimelineInterval) -> &[Option<f64>; 5] = |stretch| &stretch.response;
        [
            self.rate_chart(span, "I/Os per second", "iops", |stretch| &stretch.iops, &marks),
            self.rate_chart(span, "MiB per second", "mib", |stretch| &stretch.mib_per_s, &marks),
            latency("Latency percentiles over time", "percentiles", |stretch| &stretch.latency),
            latency("Response times over time, from when I/Os were due", "response", response),
            self.heat_chart(span, detail, &marks),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn point_times(&self, factor: usize) -> PointTimes {
        let ends = |chunk: &[TimelineInterval]| Some((chunk.first()?.from, chunk.last()?.to));
        self.stretches.chunks(factor).filter_map(ends).collect()
    }

    fn line_times(&self, factor: usize, marks: &[Mark]) -> LineTimes {
        LineTimes { times: self.point_times(factor), seconds: self.seconds, marks: marks.to_vec() }
    }

    fn rate_chart(
        &self,
        span: &Span,
        title: &str,
        id: &str,
        of: fn(&TimelineInterval) -> &[Option<f64>; 3],
        marks: &[Mark],
    ) -> Option<ChartFigure> {
        let highest = self
            .stretches
            .iter()
            .filter_map(|stretch| of(stretch)[2])
            .fold(None, |highest: Option<f64>, rate| {
                Some(highest.map_or(rate, |highest| highest.max(rate)))
            })?;
        let factor = downsample::factor(self.stretches.len(), span.points);
        let values = |direction: usize| -> Vec<Option<downsample::Band>> {
            let known =
                |stretch: &TimelineInterval| Some((of(stretch)[direction]?, stretch.length_seconds()));
            self.stretches
                .chunks(factor)
                .map(|chunk| downsample::span(chunk.iter().filter_map(known)))
                .collect()
        };
        let shown = self.shown_directions(of);
        let line = |&direction: &usize| {
            let (class, name) = DIRECTIONS[direction];
            let band = factor > 1 && direction == 2;
            let (name, values) = (name.into(), values(direction));
            TimeSeries { class, name, values, through: |span| span.mean, band }
        };
        let lines: Vec<TimeSeries> = shown.iter().map(line).collect();
        let table = self.table_of_rates(&lines, &shown, factor);
        let lowest = self.stretches.iter().filter_map(|stretch| of(stretch)[2]).fold(f64::INFINITY, f64::min);
        let summary = format!(
            "{} intervals, between {} and {}{}.",
            self.stretches.len(),
            plain(lowest),
            plain(highest),
            if marks.is_empty() { "" } else { "; the marked times are listed below" }
        );
        let lines = Lines {
            id: span.id(id),
            title: title.into(),
            summary,
            note: self.course_note(
                factor,
                "The line is the mean of these, the band goes from the lowest to the highest.",
            ),
            y: ChartAxis::amounts(title, highest),
            over: self.line_times(factor, marks),
            lines,
            table,
        };
        Some(lines.chart())
    }

    /// Renders the table; the last line is the total.
    fn table_of_rates(&self, lines: &[TimeSeries], shown: &[usize], factor: usize) -> FigureTable {
        let times = self.point_times(factor);
        let mut table = FigureTable::new(&["from", "lowest", "mean", "highest"]);
        table
            .head
            .extend(shown.iter().filter(|direction| **direction < 2).map(|d| DIRECTIONS[*d].1.to_owned()));
        table.head.push("failed".into());
        for (place, (from, to)) in times.iter().enumerate() {
            let total = lines.last().and_then(|line| line.values[place]);
            let figures = [total.map(|t| t.min), total.map(|t| t.mean), total.map(|t| t.max)].map(cell);
            let others =
                lines.iter().rev().skip(1).rev().map(|line| cell(line.values[place].map(|value| value.mean)));
            let here = self.stretches.iter().skip(place * factor).take(factor);
            let failed = here.fold(0u64, |sum, stretch| sum.saturating_add(stretch.failed));
            let cells = [clock(*from, self.seconds)].into_iter().chain(figures).chain(others);
            table.row((from + to) / 2.0 / self.seconds, cells.chain([grouped(failed as f64)]));
        }
        table
    }

    fn shown_directions(&self, of: fn(&TimelineInterval) -> &[Option<f64>; 3]) -> Vec<usize> {
        let any = |direction: usize| {
            self.stretches.iter().any(|stretch| of(stretch)[direction].is_some_and(|rate| rate > 0.0))
        };
        if any(0) && any(1) { vec![0, 1, 2] } else { vec![2] }
    }

    /// Returns percentiles by interval. They are never averaged: the highest of several intervals is shown.
    fn latency_chart(
        &self,
        span: &Span,
        title: &str,
        id: &str,
        of: fn(&TimelineInterval) -> &[Option<f64>; 5],
        marks: &[Mark],
    ) -> Option<ChartFigure> {
        let all = || self.stretches.iter().flat_map(of).flatten().copied();
        all().next()?;
        let factor = downsample::factor(self.stretches.len(), span.points);
        let line = |(place, (class, name)): (usize, (&'static str, &'static str))| {
            let known = |stretch: &TimelineInterval| Some((of(stretch)[place]?, 1.0));
            let values = self.stretches.chunks(factor);
            let values = values.map(|chunk| downsample::span(chunk.iter().filter_map(known))).collect();
            TimeSeries { class, name: name.into(), values, through: |span| span.max, band: false }
        };
        let has_values = |place: usize| self.stretches.iter().any(|stretch| of(stretch)[place].is_some());
        let lines: Vec<TimeSeries> =
            LATENCIES.into_iter().enumerate().filter(|(place, _)| has_values(*place)).map(line).collect();
        let times = self.point_times(factor);
        let mut table = FigureTable::new(&["from"]);
        table.head.extend(lines.iter().map(|line| format!("{}, ms", line.name)));
        for (place, (from, to)) in times.iter().enumerate() {
            let figures =
                lines.iter().map(|line| in_ms(line.values[place].map(|value| Millis::new(value.max))));
            let cells = [clock(*from, self.seconds)].into_iter().chain(figures);
            table.row((from + to) / 2.0 / self.seconds, cells);
        }
        let longest = all().fold(0.0, f64::max);
        let lines = Lines {
            id: span.id(id),
            title: title.into(),
            summary: format!(
                "{} intervals; the {} {}.",
                self.stretches.len(),
                if has_values(LATENCIES.len() - 1) { "longest took" } else { "highest is" },
                diskspd_report::number::latency(longest)
            ),
            note: self.course_note(factor, "The highest of these is shown: percentiles are not averaged."),
            y: ChartAxis::latencies("latency", all()),
            over: self.line_times(factor, marks),
            lines,
            table,
        };
        Some(lines.chart())
    }

    /// Returns the chart of all latencies, if they were recorded by interval.
    fn heat_chart(&self, span: &Span, detail: &RecordedSpan, marks: &[Mark]) -> Option<ChartFigure> {
        let kept = detail.results()?.intervals.as_ref().filter(|_| self.by_intervals)?;
        let factor = downsample::factor(self.stretches.len(), COLUMNS.min(span.points));
        let columns = self.stretches.chunks(factor).enumerate().filter_map(|(place, chunk)| {
            let numbers = place * factor..place * factor + chunk.len();
            let latencies =
                numbers.filter_map(|number| kept.get(number)).flat_map(|interval| interval.latencies());
            let counts = latencies.map(|(nanos, ios)| (Millis::of_ns(nanos).ms(), ios)).collect();
            Some(heat::Column { from: chunk.first()?.from, to: chunk.last()?.to, counts })
        });
        let columns: Vec<heat::Column> = columns.collect();
        heat::chart(span.id("heat"), &columns, self.seconds, marks.to_vec())
    }

    fn course_note(&self, factor: usize, thinned: &str) -> String {
        let source = match self.by_intervals {
            true => "",
            false => "Without -D: as sampled by the control thread once a second. ",
        };
        match factor {
            1 => source.trim_end().to_owned(),
            _ => format!("{source}Each point stands for {factor} intervals. {thinned}"),
        }
    }
}
