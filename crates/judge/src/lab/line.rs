//! What is kept of a run beside others: its figures, the verdict, and what was found.

use crate::truth::{Judged, Limiter, Verdict};
use diskspd_model::finding::Severity;
use diskspd_model::results::{Chart, LatencyFigures, Measured, PERCENTILES, RunSummary, SpanSummary};
use diskspd_model::units::Millis;
use diskspd_model::units::mark::{Tone, VerdictMark};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunLine {
    /// I/Os per second, reads and writes.
    pub iops: f64,
    #[serde(default)]
    pub measured_s: f64,
    /// 2^20 bytes per second.
    pub mib_per_s: f64,
    pub latency: Option<LatencyLine>,
    /// From where they were due, where they had such a time.
    pub response: Option<LatencyLine>,
    /// Mean of all CPUs, percent.
    pub cpu: f64,
    /// The busiest CPU, percent.
    pub hottest: f64,
    pub verdict: RunVerdict,
    pub limited_by: Option<Limiter>,
    pub findings: Vec<RunFinding>,
}

/// What is concluded of a run in a word: something that was found stands before what the devices say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum RunVerdict {
    /// Something makes the figures other than they seem to be.
    Wrong,
    Warning,
    Devices(Verdict),
    NothingFound,
}

/// Latencies of a run, ms.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LatencyLine {
    pub mean_ms: Millis,
    /// 99 % took no longer.
    pub p99_ms: Millis,
    /// 99.9 % took no longer.
    pub p999_ms: Millis,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFinding {
    pub name: String,
    /// Whether it makes the figures other than they seem to be.
    pub wrong: bool,
    pub message: String,
    pub remedy: Option<String>,
}

impl RunLine {
    pub fn from_record(judged: &Judged) -> Option<RunLine> {
        let [Some(span)] = judged.summary.time_spans.as_slice() else { return None };
        let throughput = span.total.total.throughput;
        let limits = judged.judgement.limits.first().and_then(Option::as_ref);
        Some(RunLine {
            iops: throughput.iops,
            measured_s: span.seconds,
            mib_per_s: throughput.mib_per_s,
            latency: service_line(span),
            response: span.paced.as_ref().and_then(|paced| {
                let response = paced.response.as_ref()?;
                latency_line(response.total, &response.chart)
            }),
            cpu: span.cpu.average.usage,
            hottest: span.cpu.rows.iter().map(|row| row.usage.usage).fold(0.0, f64::max),
            verdict: RunVerdict::from_record(judged),
            limited_by: limits.and_then(|limits| limits.limited_by),
            findings: list_findings(judged),
        })
    }

    /// Of the only time span of a run that another program made; `None` = it doesn't say how many I/Os per
    /// second there were. Nobody looked at the devices.
    pub fn of_summary(run: &RunSummary) -> Option<RunLine> {
        let [Some(span)] = run.time_spans.as_slice() else { return None };
        Some(RunLine {
            iops: span.total.iops?,
            measured_s: span.seconds.unwrap_or(0.0),
            mib_per_s: span.total.mib_per_s?,
            latency: stated_line(span),
            response: None,
            cpu: span.cpu_percent.unwrap_or(0.0),
            hottest: span.busiest_cpu_percent.or(span.cpu_percent).unwrap_or(0.0),
            verdict: RunVerdict::Devices(span.verdict.unwrap_or(Verdict::Unknown)),
            limited_by: None,
            findings: Vec::new(),
        })
    }

    /// The latency that a user of the storage sees: from where I/Os were due, where they had such a time.
    pub fn felt(&self) -> Option<&LatencyLine> {
        self.response.as_ref().or(self.latency.as_ref())
    }

    /// Kleinrock's power: I/Os per second for each ms of mean latency; `None` = no latency was measured.
    pub fn power(&self) -> Option<f64> {
        let latency = self.felt()?.mean_ms.ms();
        (latency > 0.0).then(|| self.iops / latency)
    }
}

fn service_line(span: &Measured) -> Option<LatencyLine> {
    latency_line(span.total.total.latency?, &span.latency.as_ref()?.all)
}

/// The latencies that results state; `None` also if only a lower bound of one is known.
fn stated_line(span: &SpanSummary) -> Option<LatencyLine> {
    let at = |percent: f64| span.percentile(percent)?.total.filter(|time| !span.is_lower_bound(*time));
    Some(LatencyLine { mean_ms: span.total.mean_ms?, p99_ms: at(99.0)?, p999_ms: at(99.9)? })
}

fn latency_line(figures: LatencyFigures, chart: &Chart) -> Option<LatencyLine> {
    let at = |share: f64| chart.percentiles.get(PERCENTILES.iter().position(|p| *p == share)?)?.total;
    Some(LatencyLine { mean_ms: figures.mean?, p99_ms: at(0.99)?, p999_ms: at(0.999)? })
}

impl RunVerdict {
    fn from_record(judged: &Judged) -> RunVerdict {
        match judged.judgement.worst() {
            Some(Severity::Wrong) => RunVerdict::Wrong,
            Some(Severity::Warning) => RunVerdict::Warning,
            _ => {
                let verdict = judged.judgement.verdicts.first();
                verdict.map_or(RunVerdict::NothingFound, |span| RunVerdict::Devices(span.verdict))
            }
        }
    }

    pub fn mark(self) -> VerdictMark {
        let (tone, sign) = match self {
            RunVerdict::Wrong => (Tone::Wrong, "✕"),
            RunVerdict::Warning => (Tone::Warning, "!"),
            RunVerdict::Devices(Verdict::Verified) => (Tone::Good, "✓"),
            RunVerdict::Devices(_) | RunVerdict::NothingFound => (Tone::Unknown, "?"),
        };
        VerdictMark::new(tone, sign, self.word())
    }

    pub fn word(self) -> &'static str {
        match self {
            RunVerdict::Wrong => "WRONG",
            RunVerdict::Warning => "WARNING",
            RunVerdict::Devices(verdict) => verdict.word(),
            RunVerdict::NothingFound => "ok",
        }
    }
}

impl From<RunVerdict> for String {
    fn from(verdict: RunVerdict) -> String {
        verdict.word().to_owned()
    }
}

impl From<String> for RunVerdict {
    fn from(word: String) -> RunVerdict {
        let found = [RunVerdict::Wrong, RunVerdict::Warning].into_iter().find(|known| known.word() == word);
        let devices = || Verdict::named(&word).map(RunVerdict::Devices);
        found.or_else(devices).unwrap_or(RunVerdict::NothingFound)
    }
}

/// Findings, and verdicts about devices that take something away from the figures.
fn list_findings(judged: &Judged) -> Vec<RunFinding> {
    let parts = judged.judgement.verdicts.iter().flat_map(|span| &span.parts);
    let verdicts = parts.filter(|part| part.severity > Some(Severity::Note)).map(|part| RunFinding {
        name: part.verdict.word().to_ascii_lowercase(),
        wrong: part.severity == Some(Severity::Wrong),
        message: part.message.clone(),
        remedy: part.remedy.clone(),
    });
    let findings = judged.judgement.findings.iter().filter(|f| f.severity > Severity::Note && !f.quiet);
    let findings = findings.map(|found| RunFinding {
        name: found.name.to_owned(),
        wrong: found.severity == Severity::Wrong,
        message: found.message.clone(),
        remedy: found.remedy.clone(),
    });
    verdicts.chain(findings).collect()
}
