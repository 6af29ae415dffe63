//! A comparison in formats of other tools: continuous integration and benchmark dashboards. Each decisive
//! figure of a time span is a case, named after the test or workload.

mod bencher;
mod github;
mod junit;
mod metrics;
mod summary;

pub use bencher::bencher;
pub use github::github;
pub use junit::junit;
pub use metrics::metrics;
pub use summary::summary;

use diskspd_experiments::compare::{
    ChangeVerdict, Compared, ComparisonQuery, RunComparison, SpanCompared, answer, place,
};
use diskspd_figures::units::visible::line;

#[derive(Debug, Clone, Copy)]
pub struct ComparisonReport<'a> {
    pub title: &'a str,
    pub comparison: &'a RunComparison,
    pub question: &'a ComparisonQuery,
    pub by: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CaseOutcome {
    /// Better, unchanged, or worse by less than the limit.
    Passed,
    Failed,
    Unclear,
    NotCompared,
}

struct AnswerCase<'a> {
    name: String,
    end: CaseOutcome,
    message: String,
    /// Figures; `None` = only one side has the time span.
    span: Option<&'a SpanCompared>,
}

impl AnswerCase<'_> {
    fn deciding_metric(&self) -> Option<&Compared> {
        self.span?.metrics.first()
    }
}

fn list_cases<'a>(told: &ComparisonReport<'a>) -> Vec<AnswerCase<'a>> {
    let comparison = told.comparison;
    let of_span = |span: &'a SpanCompared| {
        let place = place(comparison, span);
        let name = if place.is_empty() { "all runs".to_owned() } else { place };
        let decides = span.metrics.first();
        let end = match decides.map(|metric| metric.verdict) {
            None | Some(ChangeVerdict::NotCompared) => CaseOutcome::NotCompared,
            Some(ChangeVerdict::CantTell | ChangeVerdict::TwoRuns) => CaseOutcome::Unclear,
            Some(ChangeVerdict::Better | ChangeVerdict::Same) => CaseOutcome::Passed,
            Some(ChangeVerdict::Worse) if told.question.exceeds_limit(comparison, span, told.by) => {
                CaseOutcome::Failed
            }
            Some(ChangeVerdict::Worse) => CaseOutcome::Passed,
        };
        let message = decides.map_or("it has no figure".to_owned(), |metric| {
            let why = metric.reason.as_ref().map(|why| format!(" {why}")).unwrap_or_default();
            let more = answer(metric, span.same_percent);
            [Some(more.verdict + &why), more.more].into_iter().flatten().collect::<Vec<_>>().join(" ")
        });
        AnswerCase { name, end, message: line(&message).into_owned(), span: Some(span) }
    };
    let alone = ["A", "B"].into_iter().zip(&comparison.unmatched).flat_map(|(letter, alone)| {
        alone.iter().map(move |name| AnswerCase {
            name: line(name).into_owned(),
            end: CaseOutcome::NotCompared,
            message: format!("only {letter} has it"),
            span: None,
        })
    });
    comparison.time_spans.iter().map(of_span).chain(alone).collect()
}

#[cfg(test)]
mod tests;
