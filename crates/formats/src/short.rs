//! The small summary at the beginning of a record, for scripts: one number for each usual question.

use super::index::Index;
use diskspd_base::finding::Severity;
use diskspd_results::{Quantiles, SpanSummary, Summary, Verdict};
use serde::Serialize;

/// Short summary of a run, with the values of the index and the figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ShortSummary {
    /// I/Os per second over all measured time spans; `null` = not measured.
    pub iops: Option<f64>,
    /// 2^20 bytes per second.
    pub mib_per_s: Option<f64>,
    /// `null` = no latency was measured (`-L`), or several time spans were measured: a percentile of several
    /// spans does not follow from the percentiles of each span.
    pub latency_ms: Option<Quantiles>,
    /// Worst verdict of the time spans; `null` = no device was observed.
    pub verdict: Option<Verdict>,
    /// Severity of the worst finding; `null` = no findings.
    pub severity: Option<Severity>,
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
            latency_ms: match spans[..] {
                [span] if !span.percentiles.is_empty() => Some(span.quantiles()),
                _ => None,
            },
            verdict: run.verdict(),
            severity: run.worst_severity(),
        }
    }
}
