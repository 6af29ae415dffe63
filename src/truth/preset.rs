//! What the literature says about the figures of a preset (`--preset`).

use super::{Finding, Severity, SpanView};
use crate::presets::{self, JudgedLatency, Threshold};

/// The grade of each figure that has one.
pub(super) fn check(span: &SpanView) -> Vec<Finding> {
    let preset = span.preset.and_then(presets::find);
    let thresholds = preset.map_or(&[][..], |preset| preset.thresholds);
    thresholds.iter().filter_map(|threshold| finding(span, threshold)).collect()
}

fn finding(span: &SpanView, threshold: &Threshold) -> Option<Finding> {
    let measured = span.measured;
    let ms = match threshold.of {
        JudgedLatency::MeanRead => measured.read.total.latency?.mean?,
        JudgedLatency::MeanWrite => measured.write.total.latency?.mean?,
        JudgedLatency::FlushP99 => measured.flushes.as_ref()?.total.p99?,
    };
    let (word, beyond) = threshold.judge(ms);
    let severity = if beyond { Severity::Warning } else { Severity::Note };
    let what = threshold.of.words();
    let message = format!("{what}, {ms:.3} ms, is {word} for {}", span.preset?);
    Some(Finding::new("preset-threshold", severity, span, message).shown_by(threshold.source.into()))
}
