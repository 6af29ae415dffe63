//! The small summary at the beginning of a record, for scripts: one number for each usual question.

use super::index::Index;
use diskspd_base::finding::Severity;
use diskspd_figures::units::Millis;
use diskspd_results::{SpanSummary, Summary, Verdict};
use serde::Serialize;

/// Short summary of a run. The index and the figures contain the same values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ShortSummary {
    /// I/Os per second over all measured time spans; `null` = nothing was measured.
    pub iops: Option<f64>,
    /// 2^20 bytes per second.
    pub mib_per_s: Option<f64>,
    /// `null` = no latency was measured (`-L`), or several time spans were measured: a percentile of several
    /// spans does not follow from the percentiles of each span.
    pub latency_ms: Option<LatencySummary>,
    /// The worst verdict of the time spans; `null` = no device was observed.
    pub verdict: Option<Verdict>,
    /// The severity of the worst finding; `null` = there are no findings.
    pub severity: Option<Severity>,
}

/// Latency over reads and writes in ms.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct LatencySummary {
    pub mean: Option<Millis>,
    pub p50: Option<Millis>,
    pub p95: Option<Millis>,
    pub p99: Option<Millis>,
    pub p999: Option<Millis>,
    pub max: Option<Millis>,
}

impl ShortSummary {
    pub(crate) fn new(Index(run): &Index, figures: &Summary) -> ShortSummary {
        let spans: Vec<&SpanSummary> = run.time_spans.iter().flatten().collect();
        let (iops, mib_per_s) = match (&spans[..], &figures.totals) {
            ([span], _) => (span.total.iops, span.total.mib_per_s),
            ([_, ..], Some(totals)) => (Some(totals.total.iops), Some(totals.total.mib_per_s)),
            _ => (None, None),
        };
        ShortSummary {
            iops,
            mib_per_s,
            latency_ms: if let [span] = spans[..] { LatencySummary::new(span) } else { None },
            verdict: run.verdict(),
            severity: run.worst_severity(),
        }
    }
}

impl LatencySummary {
    fn new(span: &SpanSummary) -> Option<LatencySummary> {
        if span.percentiles.is_empty() {
            return None;
        }
        let percentile = |percent: f64| span.percentile(percent)?.total;
        Some(LatencySummary {
            mean: span.total.mean_ms,
            p50: percentile(50.0),
            p95: percentile(95.0),
            p99: percentile(99.0),
            p999: percentile(99.9),
            max: span.total.max_ms,
        })
    }
}
