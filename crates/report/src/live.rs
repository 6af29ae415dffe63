//! The live intervals of a run (`--stream`): as lines of JSON, as lines of InfluxDB's protocol, and as
//! metrics that replace the previous interval's.

use crate::openmetrics::{Dialect, Exposition, Family, counter, gauge};
use diskspd_results::{HostInterval, IntervalDirection, IntervalFigures, JobInterval, WhichIos};
use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamFormat {
    Json,
    /// InfluxDB's line protocol, three lines for each interval.
    Influx,
    /// Metrics for node_exporter's textfile collector; each interval replaces the previous one.
    Prometheus,
}

impl StreamFormat {
    /// All formats with their names and file extensions.
    pub const ALL: [(StreamFormat, &str, &[&str]); 3] = [
        (StreamFormat::Json, "json", &["json", "jsonl"]),
        (StreamFormat::Influx, "influx", &["influx", "lp"]),
        (StreamFormat::Prometheus, "prom", &["prom"]),
    ];
}

#[derive(Debug, Clone, Copy, Serialize)]
pub struct LiveInterval<'a> {
    pub time_span: usize,
    /// Total number of omitted intervals before this one.
    pub missed: u64,
    #[serde(flatten)]
    pub scope: LiveScope<'a>,
    /// Figures; `None` = they did not arrive in time.
    #[serde(flatten)]
    pub figures: Option<&'a IntervalFigures>,
}

#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(untagged)]
pub enum LiveScope<'a> {
    #[default]
    Alone,
    Host {
        rank: u32,
        host: &'a str,
    },
    Job {
        hosts: usize,
        missing: usize,
    },
}

/// Returns the intervals of a job: the shown hosts, then the sum.
pub fn job_intervals<'a>(job: &'a JobInterval, missed: u64) -> Vec<LiveInterval<'a>> {
    let time_span = job.time_span;
    let of_host = |one: &'a HostInterval| LiveInterval {
        time_span,
        missed,
        scope: LiveScope::Host { rank: one.rank, host: &one.host },
        figures: one.figures.as_ref(),
    };
    let scope = LiveScope::Job { hosts: job.hosts.len(), missing: job.missing() };
    let sum = LiveInterval { time_span, missed, scope, figures: Some(&job.sum) };
    job.shown_rows().iter().map(of_host).chain([sum]).collect()
}

/// Totals of the stream, which metrics contain in addition to the latest interval.
#[derive(Debug, Clone, Default)]
pub struct LiveTotals {
    /// I/Os of reads and writes, over all time spans.
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
/// interval's start time in ns. Latencies are in seconds; unknown fields are omitted. The sum of a job is
/// measurement `diskspd_job`.
pub fn influx_lines(interval: &LiveInterval, own_host: &str) -> String {
    let Some(figures) = interval.figures else { return String::new() };
    let (measurement, host, rank) = match interval.scope {
        LiveScope::Alone => ("diskspd", own_host, String::new()),
        LiveScope::Host { rank, host } => ("diskspd", host, format!(",rank={rank}")),
        LiveScope::Job { .. } => ("diskspd_job", own_host, String::new()),
    };
    let mut text = String::new();
    for (which, direction) in interval_directions(figures) {
        let mut fields = vec![
            ("ios", format!("{}i", direction.ios)),
            ("ios_per_second", format_float(direction.iops)),
            ("missed_intervals", format!("{}i", interval.missed)),
        ];
        if let LiveScope::Job { hosts, missing } = interval.scope {
            fields.push(("hosts", format!("{hosts}i")));
            fields.push(("missing_hosts", format!("{missing}i")));
        }
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
            "{measurement},direction={},host={}{rank},time_span={} {}",
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

/// Escapes separators and replaces line ends in a tag value.
fn escape_tag(value: &str) -> String {
    let value = value.replace(['\n', '\r'], " ");
    value.replace('\\', "/").replace(',', "\\,").replace('=', "\\=").replace(' ', "\\ ")
}

fn format_float(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { "0".into() }
}

/// Returns the metrics of the latest interval; `None` = the run has ended.
pub fn prometheus(intervals: &[LiveInterval], totals: &LiveTotals, host: &str) -> String {
    let interval = intervals.last();
    let mut text = Exposition::new(Dialect::Prometheus);
    let going = gauge("diskspd_live_running", "", "1 while the run is measuring, 0 when it has ended.");
    text.family(going).sample(&[("run_host", host)], f64::from(interval.is_some()));
    let ios = counter("diskspd_live_ios", "", "I/Os completed in the measured time so far.");
    let mut samples = text.family(ios);
    for (direction, ios) in ["read", "write"].into_iter().zip(totals.ios) {
        samples.sample(&[("direction", direction)], ios as f64);
    }
    let Some(interval) = interval else { return text.finish() };
    put_hosts(&mut text, intervals);
    let Some(figures) = interval.figures else { return text.finish() };
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

/// Writes the metrics of each host of a job.
fn put_hosts(text: &mut Exposition, intervals: &[LiveInterval]) {
    let hosts: Vec<(String, &str, Option<&IntervalFigures>)> = intervals
        .iter()
        .filter_map(|interval| match interval.scope {
            LiveScope::Host { rank, host } => Some((rank.to_string(), host, interval.figures)),
            LiveScope::Alone | LiveScope::Job { .. } => None,
        })
        .collect();
    if hosts.is_empty() {
        return;
    }
    let mut by_host = |name, unit, help, value: &dyn Fn(Option<&IntervalFigures>) -> Option<f64>| {
        let mut samples = text.family(gauge(name, unit, help));
        for (rank, host, figures) in &hosts {
            samples.sample_if(&[("host", *host), ("rank", rank.as_str())], value(*figures));
        }
    };
    by_host("diskspd_live_host_up", "", "1 if the figures of the host have arrived in time.", &|figures| {
        Some(f64::from(figures.is_some()))
    });
    let rate = "I/Os per second of the host in the latest interval.";
    by_host("diskspd_live_host_ios_per_second", "", rate, &|figures| Some(figures?.total.iops));
    let transferred = "Bytes per second of the host in the latest interval.";
    by_host("diskspd_live_host_transferred_bytes_per_second", "", transferred, &|figures| {
        Some(figures?.total.mib_per_s? * 1024.0 * 1024.0)
    });
    let p99 = "Latency that 99 % of the host's I/Os in the latest interval did not exceed.";
    by_host("diskspd_live_host_io_latency_p99_seconds", "seconds", p99, &|figures| {
        Some(figures?.percentiles?.p99.seconds())
    });
}

fn interval_directions(figures: &IntervalFigures) -> [(WhichIos, &IntervalDirection); 3] {
    [(WhichIos::Total, &figures.total), (WhichIos::Read, &figures.read), (WhichIos::Write, &figures.write)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_figures::units::Millis;
    use diskspd_results::IntervalLatency;

    fn sample_figures() -> IntervalFigures {
        let latency = IntervalLatency { mean: Millis::new(2.0), max: Millis::new(4.0), ..Default::default() };
        let read = IntervalDirection { ios: 7, iops: 7.5, mib_per_s: Some(1.0), latency: Some(latency) };
        IntervalFigures { started_at: Some(1_700_000_000_123), read, total: read, ..Default::default() }
    }

    #[test]
    fn influx_lines_have_tags_fields_and_start_time() {
        let figures = sample_figures();
        let interval =
            LiveInterval { time_span: 2, missed: 1, scope: LiveScope::Alone, figures: Some(&figures) };
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
        let text = influx_lines(&LiveInterval { figures: Some(&unknown), ..interval }, "");
        assert!(text.starts_with("diskspd,direction=total,host=unknown,time_span=2 ios=0i,"), "{text}");
    }

    #[test]
    fn metrics_have_latest_interval_and_totals() {
        let figures = sample_figures();
        let mut totals = LiveTotals::default();
        (0..3).for_each(|_| totals.add(&figures));
        let interval =
            LiveInterval { time_span: 1, missed: 0, scope: LiveScope::Alone, figures: Some(&figures) };
        let text = prometheus(&[interval], &totals, "h");
        for line in [
            "diskspd_live_running{run_host=\"h\"} 1\n",
            "diskspd_live_ios_total{direction=\"read\"} 21\n",
            "diskspd_live_ios_per_second{direction=\"write\"} 0\n",
            "diskspd_live_io_latency_mean_seconds{direction=\"read\"} 0.002\n",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
        // No interval: no figures that look as if they were of now.
        let text = prometheus(&[], &totals, "h");
        assert!(text.contains("diskspd_live_running{run_host=\"h\"} 0\n"), "{text}");
        assert!(!text.contains("per_second"), "{text}");
    }

    #[test]
    fn intervals_of_job_name_hosts_and_missing_ones() {
        let host = |rank, figures| HostInterval { rank, host: format!("n{rank}"), figures };
        let job = JobInterval::new(1, vec![host(0, Some(sample_figures())), host(1, None)]);
        let intervals = job_intervals(&job, 0);
        let json: Vec<serde_json::Value> =
            intervals.iter().map(|one| serde_json::from_str(&json_line(one)).unwrap()).collect();
        assert_eq!((&json[0]["host"], json[0].get("total")), (&"n1".into(), None));
        assert_eq!((&json[1]["rank"], &json[1]["total"]["ios"]), (&0.into(), &7.into()));
        assert_eq!((&json[2]["hosts"], &json[2]["missing"]), (&2.into(), &1.into()));
        assert_eq!(json[2]["total"]["iops"], 7.5);
        let influx: String = intervals.iter().map(|one| influx_lines(one, "lead")).collect();
        assert!(influx.starts_with("diskspd,direction=total,host=n0,rank=0,time_span=1 ios=7i,"), "{influx}");
        assert!(influx.contains("diskspd_job,direction=total,host=lead,time_span=1 ios=7i,"), "{influx}");
        assert!(influx.contains("hosts=2i,missing_hosts=1i"), "{influx}");
        let metrics = prometheus(&intervals, &LiveTotals::default(), "lead");
        for line in [
            "diskspd_live_host_up{host=\"n1\",rank=\"1\"} 0\n",
            "diskspd_live_host_ios_per_second{host=\"n0\",rank=\"0\"} 7.5\n",
            "diskspd_live_ios_per_second{direction=\"read\"} 7.5\n",
        ] {
            assert!(metrics.contains(line), "{line}{metrics}");
        }
        assert!(!metrics.contains("ios_per_second{host=\"n1\""), "{metrics}");
    }
}
