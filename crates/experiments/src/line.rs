//! Stored summary of a run: its figures, the verdict, and findings.

use diskspd_base::finding::Severity;
use diskspd_checks::merged::{self, HostFigure};
use diskspd_checks::{JudgedRecord, Limiter, Verdict};
use diskspd_figures::units::Millis;
use diskspd_figures::units::table::Cell;
use diskspd_results::{
    Chart, ChartRow, DirectionSummary, Findings, FioFigures, LatencyFigures, Measured, Origin,
    PercentileSummary, Quantiles, RecordFormat, RunSummary, RunVerdict, SpanSummary,
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRow {
    /// I/Os per second of reads and writes.
    pub iops: f64,
    #[serde(default)]
    pub measured_s: f64,
    /// 2^20 bytes per second.
    pub mib_per_s: f64,
    pub latency: Option<LatencyRow>,
    /// Latency from the scheduled start times, if there are any.
    pub response: Option<LatencyRow>,
    /// Mean usage of all CPUs in percent; `None` = unknown.
    pub cpu: Option<f64>,
    /// Usage of the busiest CPU in percent; `None` as for `cpu`.
    pub hottest: Option<f64>,
    #[serde(flatten)]
    pub verdict: RunVerdict,
    pub limited_by: Option<Limiter>,
    pub findings: Vec<RunFinding>,
    /// Hosts of a run on several hosts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostRate>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostRate {
    pub name: String,
    pub iops: f64,
}

/// Latencies of a run in ms.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LatencyRow {
    pub mean_ms: Millis,
    /// 99th percentile.
    pub p99_ms: Millis,
    /// 99.9th percentile.
    pub p999_ms: Millis,
    /// Percentiles from here on are lower bounds: the last bin of the histogram has no upper end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_end_ms: Option<Millis>,
}

impl LatencyRow {
    /// Returns `None` if not measured, or not stated.
    fn new(times: Quantiles, open_end_ms: Option<Millis>) -> Option<LatencyRow> {
        Some(LatencyRow { mean_ms: times.mean?, p99_ms: times.p99?, p999_ms: times.p999?, open_end_ms })
    }

    pub fn is_lower_bound(&self, percentile: Millis) -> bool {
        self.open_end_ms.is_some_and(|from| percentile >= from)
    }

    /// Returns the table cell of a percentile.
    pub fn cell(&self, percentile: Millis) -> Cell {
        if self.is_lower_bound(percentile) { Cell::AtLeast(percentile) } else { Cell::Time(percentile) }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFinding {
    pub name: String,
    pub severity: Severity,
    pub message: String,
    pub remedy: Option<String>,
}

impl RunRow {
    pub fn from_record(judged: &JudgedRecord) -> Option<RunRow> {
        let [Some(span)] = judged.summary.time_spans.as_slice() else { return None };
        let throughput = span.total.total.throughput;
        let limits = judged.judgement.limits.first().and_then(Option::as_ref);
        Some(RunRow {
            iops: throughput.iops,
            measured_s: span.seconds,
            mib_per_s: throughput.mib_per_s,
            latency: service_line(span),
            response: span.paced.as_ref().and_then(|paced| {
                let response = paced.response.as_ref()?;
                LatencyRow::new(chart_quantiles(response.total, &response.chart), None)
            }),
            cpu: span.cpu.mean_usage(),
            hottest: span.cpu.rows.iter().map(|row| row.usage.usage).reduce(f64::max),
            verdict: run_verdict(judged),
            limited_by: limits.and_then(|limits| limits.limited_by),
            findings: list_findings(judged),
            hosts: hosts(judged),
        })
    }

    /// Returns the line of another program's run with one time span; `None` without its IOPS. Devices were
    /// not checked.
    pub fn of_summary(run: &RunSummary) -> Option<RunRow> {
        let [Some(span)] = run.time_spans.as_slice() else { return None };
        Some(RunRow {
            iops: span.total.iops?,
            measured_s: span.seconds.unwrap_or(0.0),
            mib_per_s: span.total.mib_per_s?,
            latency: LatencyRow::new(span.quantiles(), span.fio.as_ref().and_then(|fio| fio.open_end)),
            response: None,
            cpu: span.cpu_percent,
            hottest: span.busiest_cpu_percent.or(span.cpu_percent),
            verdict: RunVerdict::new(
                Some(span.verdict.unwrap_or(Verdict::Unknown)),
                run.findings.as_ref().and_then(|findings| findings.severity),
            ),
            limited_by: None,
            findings: Vec::new(),
            hosts: Vec::new(),
        })
    }

    /// Returns the latency for a user: from the scheduled start, if there is one.
    pub fn user_latency(&self) -> Option<&LatencyRow> {
        self.response.as_ref().or(self.latency.as_ref())
    }

    /// Returns the run in the form of lists and tables.
    pub fn summary(&self, name: &str) -> RunSummary {
        let percentile = |percent: f64, of: fn(&LatencyRow) -> Millis| {
            let total = Some(of(self.latency.as_ref()?));
            Some(PercentileSummary { percent, latency: ChartRow { total, ..ChartRow::default() } })
        };
        let percentiles = [percentile(99.0, |of| of.p99_ms), percentile(99.9, |of| of.p999_ms)];
        let open_end = self.latency.and_then(|latency| latency.open_end_ms);
        let span = SpanSummary {
            seconds: Some(self.measured_s),
            fio: open_end.map(|open| Box::new(FioFigures { open_end: Some(open), ..FioFigures::default() })),
            cpu_percent: self.cpu,
            busiest_cpu_percent: self.hottest,
            verdict: self.verdict.device,
            total: DirectionSummary {
                iops: Some(self.iops),
                mib_per_s: Some(self.mib_per_s),
                mean_ms: self.latency.map(|latency| latency.mean_ms),
                ..DirectionSummary::default()
            },
            percentiles: percentiles.into_iter().flatten().collect(),
            ..SpanSummary::default()
        };
        RunSummary {
            time_spans: vec![Some(span)],
            findings: Some(Findings::new(
                self.verdict.severity,
                self.findings.iter().map(|found| found.name.as_str()),
            )),
            ..RunSummary::new(name, Origin::Record { version: RecordFormat::VERSION })
        }
    }

    /// Kleinrock's power: I/Os per second for each ms of mean latency; `None` = no latency was measured.
    pub fn power(&self) -> Option<f64> {
        let latency = self.user_latency()?.mean_ms.ms();
        (latency > 0.0).then(|| self.iops / latency)
    }
}

fn service_line(span: &Measured) -> Option<LatencyRow> {
    LatencyRow::new(chart_quantiles(span.total.total.latency?, &span.latency.as_ref()?.all), None)
}

fn chart_quantiles(figures: LatencyFigures, chart: &Chart) -> Quantiles {
    Quantiles::from_percentiles(figures.mean, |percent| chart.percentile(percent)?.total, chart.max.total)
}

fn run_verdict(judged: &JudgedRecord) -> RunVerdict {
    let judgement = &judged.judgement;
    RunVerdict::new(judgement.verdicts.first().map(|span| span.verdict), judgement.worst())
}

fn hosts(judged: &JudgedRecord) -> Vec<HostRate> {
    let rate = |host: &HostFigure| HostRate { name: host.name.to_owned(), iops: host.iops() };
    merged::figures(judged.record, 0).iter().map(rate).collect()
}

/// Lists findings, and verdicts about devices that limit the figures.
fn list_findings(judged: &JudgedRecord) -> Vec<RunFinding> {
    let parts = judged.judgement.verdicts.iter().flat_map(|span| &span.parts);
    let verdicts = parts.filter(|part| part.severity > Some(Severity::Note)).map(|part| RunFinding {
        name: part.verdict.to_string(),
        severity: part.severity.unwrap_or(Severity::Note),
        message: part.message.clone(),
        remedy: part.remedy.clone(),
    });
    let findings = judged.judgement.findings.iter().filter(|f| f.severity > Severity::Note && !f.quiet);
    let findings = findings.map(|found| RunFinding {
        name: found.name.to_owned(),
        severity: found.severity,
        message: found.message.clone(),
        remedy: found.remedy.clone(),
    });
    verdicts.chain(findings).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use diskspd_results::{ChartRow, DirectionSummary, FioFigures, Origin, PercentileSummary};

    /// A run of fio with a 99.9th percentile in the open last bin, and without CPU times.
    fn run() -> RunSummary {
        let percentile = |percent: f64, ms: f64| {
            let latency = ChartRow { total: Some(Millis::new(ms)), ..ChartRow::default() };
            PercentileSummary { percent, latency }
        };
        let (iops, mib_per_s, mean_ms) = (Some(100.0), Some(1.0), Some(Millis::new(20.0)));
        let span = SpanSummary {
            fio: Some(Box::new(FioFigures {
                open_end: Some(Millis::new(17_000.0)),
                ..FioFigures::default()
            })),
            total: DirectionSummary { iops, mib_per_s, mean_ms, ..DirectionSummary::default() },
            percentiles: vec![percentile(99.0, 50.0), percentile(99.9, 17_000.0)],
            ..SpanSummary::default()
        };
        RunSummary { time_spans: vec![Some(span)], ..RunSummary::new("a", Origin::Record { version: 3 }) }
    }

    #[test]
    fn stored_verdict_is_known_or_error() {
        for verdict in [
            RunVerdict::default(),
            RunVerdict::new(Some(Verdict::Cached), Some(Severity::Wrong)),
            RunVerdict::new(Some(Verdict::Unknown), None),
        ] {
            let stored = serde_json::to_string(&verdict).unwrap();
            assert_eq!(serde_json::from_str::<RunVerdict>(&stored).unwrap(), verdict);
        }
        for (verdict, severity) in
            [("\"excellent\"", "null"), ("\"\"", "null"), ("\"WARNING\"", "null"), ("null", "\"bad\"")]
        {
            let stored = format!(r#"{{"verdict":{verdict},"severity":{severity}}}"#);
            assert!(serde_json::from_str::<RunVerdict>(&stored).is_err(), "{stored}");
        }
    }

    #[test]
    fn line_keeps_open_bins_and_unknown_cpus() {
        let line = RunRow::of_summary(&run()).unwrap();
        assert_eq!((line.cpu, line.hottest), (None, None));
        let latency = line.latency.unwrap();
        assert_eq!(latency.mean_ms, Millis::new(20.0));
        assert_eq!(latency.cell(latency.p99_ms), Cell::Time(Millis::new(50.0)));
        assert_eq!(latency.cell(latency.p999_ms), Cell::AtLeast(Millis::new(17_000.0)));
        let stored: RunRow = serde_json::from_str(&serde_json::to_string(&line).unwrap()).unwrap();
        assert_eq!(stored, line);
    }
}
