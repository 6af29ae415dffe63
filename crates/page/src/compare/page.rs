//! The content of a comparison page, and the names of its parts.

use diskspd_experiments::compare;
use diskspd_experiments::compare::{Compared, RunComparison, Side, SideRun, SpanCompared};
use diskspd_report::workload_text as workload;

#[derive(Debug, Clone, Copy)]
pub struct ComparisonPage<'a> {
    pub comparison: &'a RunComparison,
    pub sides: [&'a Side; 2],
    /// Whole command line, quoted for a shell.
    pub command_line: &'a str,
    pub is_noise: bool,
    /// Whole answer in a sentence; `None` = the statements about time spans suffice.
    pub sentence: Option<&'a str>,
}

pub(super) const LETTERS: [&str; 2] = ["A", "B"];
pub(super) const CLASSES: [&str; 2] = ["first", "other"];
/// Time spans that have charts of every figure; with more of them the page would become too large.
pub(super) const MAX_FULL_FIGURES: usize = 4;
/// Maximum number of time spans with charts.
pub(super) const MAX_WORKLOADS_WITH_CHARTS: usize = 24;

/// Returns the name of one of several time spans or workloads, by its work; empty if there is only one.
pub(super) fn span_name(page: &ComparisonPage, span: &SpanCompared) -> String {
    let place = compare::place(page.comparison, span);
    let run = runs_of(page, span, 0).first().map(|run| &run.known);
    let name = run.and_then(|run| workload::names(run).into_iter().nth(span.time_span as usize - 1));
    match name.filter(|_| !place.is_empty() && page.comparison.workloads.len() == 1) {
        Some(name) => format!("{name} ({place})"),
        None => place,
    }
}

pub(super) fn of_span(page: &ComparisonPage, span: &SpanCompared) -> String {
    let name = span_name(page, span);
    if name.is_empty() { name } else { format!("{name}: ") }
}

pub(super) fn id(page: &ComparisonPage, span: &SpanCompared) -> String {
    match page.comparison.workloads.len() {
        1 => span.time_span.to_string(),
        _ => format!("{}-{}", span.workload, span.time_span),
    }
}

pub(super) fn runs_of<'a>(page: &ComparisonPage<'a>, span: &SpanCompared, side: usize) -> Vec<&'a SideRun> {
    let workload = page.comparison.workload(span);
    let places = workload.map(|workload| &workload.places[side]).into_iter().flatten();
    places.filter_map(|place| page.sides[side].runs.get(*place)).collect()
}

pub(super) fn name(metric: &Compared) -> &str {
    metric.title.strip_suffix(", ms").unwrap_or(&metric.title)
}

/// Returns the formatter of a figure: higher rates and lower latencies are better.
pub(super) fn text(metric: &Compared) -> fn(f64) -> String {
    if metric.more_is_better { diskspd_report::number::number } else { diskspd_report::number::latency }
}
