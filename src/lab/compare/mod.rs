//! Two sets of runs, compared: what has changed, how sure that is, and what more runs would tell.
//!
//! ```text
//! runs ──facts──▶ what must agree (or the comparison is refused) and what differs besides
//! runs ──metric─▶ a value of each run for each figure
//! values ──verdict──▶ better, worse, same, can't tell            the unit is a run, never an I/O
//! ```

mod facts;
mod metric;
mod parts;
mod text;
mod verdict;

pub use facts::SideDifference;
pub use metric::{BEYOND, CountedFrom, Metric, WhichIos};
pub use text::{ChangeAnswer, answer, noise, sentence, signed, text};
use verdict::AboutFigure;
pub use verdict::{ChangeVerdict, Compared, Summarized};

use crate::results::KnownRun;
use serde::Serialize;
use std::collections::BTreeMap;

/// A run as comparisons see it.
#[derive(Debug, Clone)]
pub struct SideRun {
    /// Its figures and parameters.
    pub known: KnownRun,
    /// What else was recorded of the machine, by name: parts of the fingerprint.
    pub environment: BTreeMap<String, String>,
    /// How it was run, beyond its parameters, by name.
    pub method: BTreeMap<String, String>,
}

/// Runs that are alike: what is compared with another one.
#[derive(Debug, Clone)]
pub struct Side {
    /// What people call it.
    pub name: String,
    /// Its runs, at least one.
    pub runs: Vec<SideRun>,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What decides; `None` = IOPS, or the 99th percentile under a rate limit: of response times where all
    /// runs have them.
    pub metric: Option<Metric>,
    /// So near is the same, a share: 0.02.
    pub same: f64,
    /// Runs that differ in what must agree are compared all the same.
    pub anyway: bool,
}

impl Default for Question {
    fn default() -> Question {
        Question { metric: None, same: SAME, anyway: false }
    }
}

/// So near is the same unless something else is said: less is hardly ever worth an action.
pub const SAME: f64 = 0.02;

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunComparison {
    /// Name and version of this form.
    pub format: ComparisonFormat,
    /// So near is the same, percent.
    pub same_percent: f64,
    /// Both sides: what they are called, and their runs.
    pub sides: [Names; 2],
    /// The time spans in order.
    pub time_spans: Vec<SpanCompared>,
    /// What else differs, within the sides too.
    pub differences: Vec<SideDifference>,
    /// What must agree and doesn't: empty unless it was compared anyway.
    pub not_comparable: Vec<SideDifference>,
}

/// What tells a comparison from other JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComparisonFormat {
    /// Always `diskspd-comparison`.
    pub name: &'static str,
    /// Rises when a reader of the last version could misunderstand.
    pub version: u32,
}

/// A side by its names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Names {
    /// Of all.
    pub name: String,
    /// Of each run.
    pub runs: Vec<String>,
}

/// A time span of both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpanCompared {
    /// From 1.
    pub time_span: u32,
    /// The figures; the first one decides.
    pub metrics: Vec<Compared>,
    /// Latencies of each part of a mix, which decide nothing; empty = there are no parts, or not every run
    /// has their latencies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Compared>,
    /// Why that one decides, where it isn't IOPS; `None` = it's IOPS, or it was asked for.
    pub why_this_decides: Option<&'static str>,
}

impl SpanCompared {
    /// The figures of the whole, and behind them those of parts.
    pub fn all(&self) -> impl Iterator<Item = &Compared> {
        self.metrics.iter().chain(&self.parts)
    }
}

impl RunComparison {
    /// The figure that decides, of each time span.
    pub fn primary(&self) -> impl Iterator<Item = &Compared> {
        self.time_spans.iter().filter_map(|span| span.metrics.first())
    }
}

/// Compares two sides.
///
/// # Errors
/// What must agree and doesn't: nothing was compared.
pub fn compare(
    first: &Side,
    other: &Side,
    question: &Question,
) -> Result<RunComparison, Vec<SideDifference>> {
    let (differences, not_comparable) = facts::differences(first, other);
    if !not_comparable.is_empty() && !question.anyway {
        return Err(not_comparable);
    }
    let spans = |side: &Side| side.runs.iter().map(|run| run.known.time_spans.len()).min().unwrap_or(0);
    let count = spans(first).min(spans(other));
    let time_spans = (0..count).map(|index| span(first, other, index, question)).collect();
    Ok(RunComparison {
        format: ComparisonFormat { name: "diskspd-comparison", version: 1 },
        same_percent: question.same * 100.0,
        sides: [names(first), names(other)],
        time_spans,
        differences,
        not_comparable,
    })
}

fn names(side: &Side) -> Names {
    Names { name: side.name.clone(), runs: side.runs.iter().map(|run| run.known.name.clone()).collect() }
}

fn span(first: &Side, other: &Side, index: usize, question: &Question) -> SpanCompared {
    let (primary, why_this_decides) = match question.metric {
        Some(metric) => (metric, None),
        None => metric::primary([first, other], index),
    };
    let mut metrics = vec![primary];
    metrics.extend(metric::usual([first, other], index).into_iter().filter(|metric| *metric != primary));
    let mut compared: Vec<Compared> = metrics
        .into_iter()
        .map(|metric| {
            let values = [first, other].map(|side| metric::values(side, index, metric));
            let about = AboutFigure {
                metric: metric.to_string(),
                title: metric.title(),
                more_is_better: metric.figure.more_is_better(),
            };
            verdict::compared(about, values, question.same)
        })
        .collect();
    if let Some((_, others)) = compared.split_first_mut() {
        verdict::correct(others);
    }
    let time_span = u32::try_from(index + 1).unwrap_or(u32::MAX);
    let parts = parts::compared([first, other], index, question.same);
    SpanCompared { time_span, metrics: compared, parts, why_this_decides }
}
