//! The live intervals of a run (`--stream`): as lines of JSON, as lines of InfluxDB's protocol, and as
//! metrics that replace the previous interval's.

use crate::openmetrics::{Dialect, Exposition, Family, counter, gauge};
use diskspd_model::results::{IntervalDirection, IntervalFigures, WhichIos};
use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamFormat {
    /// A line of JSON for each interval.
    Json,
    /// Lines of InfluxDB's line protocol: three for each interval.
    Influx,
    /// Metrics for node_exporter's textfile collector; each interval replaces the previous one.
    Prometheus,
}

impl StreamFormat {
    /// All formats: name, and the extensions of files that stand for it.
    pub const ALL: [(StreamFormat, &str, &[&str]); 3] = [
        (StreamFormat::Json, "json", &["json", "jsonl"]),
        (StreamFormat::Influx, "influx", &["influx", "lp"]),
        (StreamFormat::Prometheus, "prom", &["prom"]),
    ];
}

/// One interval of a run, and where it belongs.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct LiveInterval<'a> {
    pub time_span: usize,
    /// Intervals that were left out before this one, in all.
    pub missed: u64,
    #[serde(flatten)]
    pub figures: &'a IntervalFigures,
}

/// Totals of the stream, which metrics contain in addition to the latest interval.
#[derive(Debug, Clone, Default)]
pub struct LiveTotals {
    /// I/Os of reads and writes, of all time spans.
    ios: [u64; 2],
}

impl LiveTotals {
    pub fn add(&mut self, figures: &IntervalFigures) {
        let [reads, writes] = &mut self.ios;
        *reads = reads.saturating_add(figures.read.ios);
        *writes = writes.saturating_add(figures.write.ios);
    }
}

pub fn json_line(interval: &LiveInterval) -> String {
    serde_json::to_string(interval).map(|line| line + "\n").unwrap_or_default()
}

/// Returns the lines of InfluxDB's protocol: measurement `diskspd`, one line for each direction, with the
/// interval's start time in ns. Latencies are in seconds; unknown fields are omitted.
pub fn influx_lines(interval: &LiveInterval, host: &str) -> String {
    let figures = interval.figures;
    let mut text = String::new();
    for (which, direction) in interval_directions(figures) {
        let mut fields = vec![
            ("ios", format!("{}i", direction.ios)),
            ("ios_per_second", format_float(direction.iops)),
            ("missed_intervals", format!("{}i", interval.missed)),
        ];
        let mut known =
            |name, value: Option<f64>| fields.extend(value.map(|value| (name, format_float(value))));
        known("bytes_per_second", direction.mib_per_s.map(|rate| rate * 1024.0 * 1024.0));
        known("latency_min_seconds", direction.latency.map(|latency| latency.min.seconds()));
        known("latency_mean_seconds", direction.latency.map(|latency| latency.mean.seconds()));
        known("latency_max_seconds", direction.latency.map(|latency| latency.max.seconds()));
        if which == WhichIos::Total {
            let percentiles = figures.percentiles;
            known("latency_p50_seconds", percentiles.map(|p| p.p50.seconds()));
            known("latency_p95_seconds", percentiles.map(|p| p.p95.seconds()));
            known("latency_p99_seconds", percentiles.map(|p| p.p99.seconds()));
            known("latency_p999_seconds", percentiles.map(|p| p.p999.seconds()));
        }
        let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        // A tag without a value is refused.
        let host = if host.is_empty() { "unknown" } else { host };
        let _ = write!(
            text,
            "diskspd,direction={},host={},time_span={} {}",
            which.name(),
            escape_tag(host),
            interval.time_span,
            fields.join(",")
        );
        let at = figures.started_at.map(|ms| format!(" {}", ms.saturating_mul(1_000_000)));
        let _ = writeln!(text, "{}", at.unwrap_or_default());
    }
    text
}

/// Returns a tag value: separators are escaped, line ends become blanks.
fn escape_tag(value: &str) -> String {
    let value = value.replace(['\n', '\r'], " ");
    value.replace('\\', "/").replace(',', "\\,").replace('=', "\\=").replace(' ', "\\ ")
}

fn format_float(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { "0".into() }
}

/// The metrics of the latest interval; `None` = the run has ended.
pub fn prometheus(interval: Option<&LiveInterval>, totals: &LiveTotals, host: &str) -> String {
    let mut text = Exposition::new(Dialect::Prometheus);
    let going = gauge("diskspd_live_running", "", "1 while the run is measuring, 0 when it has ended.");
    text.family(going).sample(&[("run_host", host)], f64::from(interval.is_some()));
    let ios = counter("diskspd_live_ios", "", "I/Os completed in the measured time so far.");
    let mut samples = text.family(ios);
    for (direction, ios) in ["read", "write"].into_iter().zip(totals.ios) {
        samples.sample(&[("direction", direction)], ios as f64);
    }
    let Some(interval) = interval else { return text.finish() };
    let figures = interval.figures;
    let span = gauge("diskspd_live_time_span", "", "The current time span, from 1.");
    text.family(span).sample(&[], interval.time_span as f64);
    let missed = "Intervals dropped because the output was too slow.";
    text.family(gauge("diskspd_live_missed_intervals", "", missed)).sample(&[], interval.missed as f64);
    let mut by_direction = |family: Family, value: &dyn Fn(&IntervalDirection) -> Option<f64>| {
        let mut samples = text.family(family);
        for (which, direction) in
            interval_directions(figures).into_iter().filter(|(of, _)| *of != WhichIos::Total)
        {
            samples.sample_if(&[("direction", which.name())], value(direction));
        }
    };
    let rate = gauge("diskspd_live_ios_per_second", "", "I/Os per second of the latest interval.");
    by_direction(rate, &|direction| Some(direction.iops));
    by_direction(
        gauge("diskspd_live_transferred_bytes_per_second", "", "Bytes per second of the latest interval."),
        &|direction| direction.mib_per_s.map(|rate| rate * 1024.0 * 1024.0),
    );
    by_direction(
        gauge("diskspd_live_io_latency_mean_seconds", "seconds", "Mean latency of the latest interval."),
        &|direction| direction.latency.map(|latency| latency.mean.seconds()),
    );
    by_direction(
        gauge("diskspd_live_io_latency_max_seconds", "seconds", "Longest latency of the latest interval."),
        &|direction| direction.latency.map(|latency| latency.max.seconds()),
    );
    let of_both = gauge(
        "diskspd_live_io_latency_percentile_seconds",
        "seconds",
        "The latency that this percentage of the reads and writes of the latest interval did not exceed.",
    );
    let mut percentiles = text.family(of_both);
    if let Some(known) = figures.percentiles {
        for (percent, at) in [("50", known.p50), ("95", known.p95), ("99", known.p99), ("99.9", known.p999)] {
            percentiles.sample(&[("percentile", percent)], at.seconds());
        }
    }
    text.finish()
}

fn interval_directions(figures: &IntervalFigures) -> [(WhichIos, &IntervalDirection); 3] {
    [(WhichIos::Total, &figures.total), (WhichIos::Read, &figures.read), (WhichIos::Write, &figures.write)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_model::results::IntervalLatency;
    use diskspd_model::units::Millis;

    fn sample_figures() -> IntervalFigures {
        let latency = IntervalLatency { mean: Millis::new(2.0), max: Millis::new(4.0), ..Default::default() };
        let read = IntervalDirection { ios: 7, iops: 7.5, mib_per_s: Some(1.0), latency: Some(latency) };
        IntervalFigures { started_at: Some(1_700_000_000_123), read, total: read, ..Default::default() }
    }

    #[test]
    fn influx_lines_have_tags_fields_and_start_time() {
        let figures = sample_figures();
        let interval = LiveInterval { time_span: 2, missed: 1, figures: &figures };
        let text = influx_lines(&interval, "a b,c=d\\");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[1],
            "diskspd,direction=read,host=a\\ b\\,c\\=d/,time_span=2 ios=7i,ios_per_second=7.5,\
             missed_intervals=1i,bytes_per_second=1048576,latency_min_seconds=0,latency_mean_seconds=0.002,\
             latency_max_seconds=0.004 \
             1700000000123000000"
        );
        // Nothing is made up where nothing was written.
        assert_eq!(
            lines[2],
            "diskspd,direction=write,host=a\\ b\\,c\\=d/,time_span=2 ios=0i,ios_per_second=0,\
             missed_intervals=1i \
             1700000000123000000"
        );
        let unknown = IntervalFigures::default();
        let text = influx_lines(&LiveInterval { figures: &unknown, ..interval }, "");
        assert!(text.starts_with("diskspd,direction=total,host=unknown,time_span=2 ios=0i,"), "{text}");
    }

    #[test]
    fn metrics_have_latest_interval_and_totals() {
        let figures = sample_figures();
        let mut totals = LiveTotals::default();
        (0..3).for_each(|_| totals.add(&figures));
        let interval = LiveInterval { time_span: 1, missed: 0, figures: &figures };
        let text = prometheus(Some(&interval), &totals, "h");
        for line in [
            "diskspd_live_running{run_host=\"h\"} 1\n",
            "diskspd_live_ios_total{direction=\"read\"} 21\n",
            "diskspd_live_ios_per_second{direction=\"write\"} 0\n",
            "diskspd_live_io_latency_mean_seconds{direction=\"read\"} 0.002\n",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
        // No interval: no figures that look as if they were of now.
        let text = prometheus(None, &totals, "h");
        assert!(text.contains("diskspd_live_running{run_host=\"h\"} 0\n"), "{text}");
        assert!(!text.contains("per_second"), "{text}");
    }
}
