//! Comparison of two sets of runs: changes, their certainty, and the benefit of more runs.
//!
//! ```text
//! runs ──facts──▶ must-agree facts (or the comparison is refused) and other differences
//! runs ──metric─▶ a value of each run for each figure
//! values ──verdict──▶ better, worse, same, inconclusive          the unit is a run, never an I/O
//! ```

mod allowance;
mod bisect;
mod facts;
mod foreseen;
mod forms;
mod metric;
mod missing_value;
mod order;
mod parts;
mod schedule;
mod sequential;
mod sides;
mod summary;
mod table;
mod text;
mod until_sure;
mod verdict;
mod workloads;

use crate::repetition::RepeatedWork;
use crate::{AnswerFormat, StoredAnswer};
use allowance::EarlierSteps;
pub use allowance::{AllowanceSource, OrderAllowance, SESSION_MS};
pub use bisect::{BisectAnswer, bisected};
use diskspd_base::finding::Severity;
pub use diskspd_results::WhichIos;
pub use facts::SideDifference;
pub use foreseen::{PlannedPower, PlannedRuns, foreseen};
pub use forms::{ANSWER_FORMS, AnswerForm, AnswerFormRow};
pub use metric::{LatencyOrigin, Metric};
pub use missing_value::MIN_IOS_ABOVE;
use order::RunOrder;
pub use order::{MIN_BOOTS, OrderKind};
pub use schedule::{BootOrder, draw_order};
pub use sequential::{
    ANALYSIS_RUNS, InterimAnalyses, LEVELS, MAX_PAIRS, SequentialDesign, SequentialOutcome, draw_look_order,
    look_after, spent_after,
};
use serde::{Deserialize, Serialize};
use sides::Runs;
pub use sides::{Side, SideRun};
use std::collections::BTreeMap;
pub use summary::answer_sentence;
pub use table::{FigureRow, csv, lines_of_span, place};
pub use text::{
    ChangeText, about_order, answer, differences_text, error_rate, interval_text, more_boots, noise,
    not_recorded, sentence, table, text, unjudged_text, wrong_figures,
};
pub use until_sure::judge_look;
use verdict::{Basis, FigureInfo};
pub use verdict::{ChangeVerdict, Compared, SideSummary};

#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonQuery {
    /// Decisive metric. `None` = IOPS, or the 99th percentile under a rate limit, of response times if all
    /// runs have them.
    pub metric: Option<Metric>,
    pub same: f64,
    /// Whether runs are compared despite differences in must-agree facts.
    pub anyway: bool,
    /// Comparison questions of individual tests of a suite, by test name.
    pub tests: BTreeMap<String, TestQuestion>,
    /// Analyses that decide about more runs.
    pub looks: InterimAnalyses,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TestQuestion {
    pub metric: Option<Metric>,
    pub same: Option<f64>,
    pub worse: f64,
}

impl Default for ComparisonQuery {
    fn default() -> ComparisonQuery {
        ComparisonQuery {
            metric: None,
            same: DEFAULT_MARGIN,
            anyway: false,
            tests: BTreeMap::new(),
            looks: InterimAnalyses::Equal(1),
        }
    }
}

impl ComparisonQuery {
    pub fn question_for(&self, name: &str) -> TestQuestion {
        let own = self.tests.get(name).copied().unwrap_or_default();
        TestQuestion { metric: own.metric.or(self.metric), same: Some(own.same.unwrap_or(self.same)), ..own }
    }

    /// Whether a time span is certainly worse, with a best estimate of at least `by`. A test of a suite
    /// uses its own limit.
    pub fn exceeds_limit(&self, comparison: &RunComparison, span: &SpanCompared, by: f64) -> bool {
        let by = by.max(self.question_for(comparison.workload_name(span)).worse);
        let worse = |metric: &&Compared| {
            metric.verdict == ChangeVerdict::Worse
                && metric.change_percent.unwrap_or_default().abs() >= by * 100.0
        };
        span.metrics.first().filter(worse).is_some()
    }
}

/// Default equivalence margin; smaller differences are rarely relevant.
pub const DEFAULT_MARGIN: f64 = 0.02;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunComparison {
    pub format: AnswerFormat,
    #[serde(flatten)]
    pub work: RepeatedWork,
    pub equivalence_percent: f64,
    pub looks: u32,
    /// Seed of the random order of the runs, if this command performed them.
    pub order_seed: Option<u64>,
    /// Design of `--until-sure`.
    pub until_sure: Option<SequentialDesign>,
    pub sides: [Names; 2],
    pub workloads: Vec<WorkloadCompared>,
    /// Workloads that only A has, and that only B has.
    pub unmatched: [Vec<String>; 2],
    /// Time spans of all workloads in order.
    pub time_spans: Vec<SpanCompared>,
    pub differences: Vec<SideDifference>,
    pub not_comparable: Vec<SideDifference>,
}

impl StoredAnswer for RunComparison {
    const TITLE: &'static str = "a comparison (compare --json)";
    const NAME: &'static str = "diskspd-comparison";
    const VERSION: u32 = 4;
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    pub name: String,
    pub runs: Vec<String>,
    pub wrong_runs: usize,
}

/// Workload of both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkloadCompared {
    pub name: String,
    pub order: OrderKind,
    /// Length of the pattern that the sides follow, in runs; `None` without a pattern of up to four runs.
    pub period: Option<usize>,
    /// Number of boots that measured A and B, if no boot measured both; `None` otherwise, or if unknown.
    pub boots: Option<[u32; 2]>,
    /// Sides of the boots in order of time, such as `ABBA`.
    pub boot_order: Option<String>,
    pub runs: [Vec<String>; 2],
    /// Runs by their indexes in the sides.
    #[serde(skip)]
    pub places: [Vec<usize>; 2],
}

/// Time span of both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpanCompared {
    pub workload: u32,
    /// Counted from 1.
    pub time_span: u32,
    /// Negligible change in percent.
    pub same_percent: f64,
    /// Figures; the first one decides.
    pub metrics: Vec<Compared>,
    /// Latencies of each part of a mix, which decide nothing; empty = there are no parts, or not every run
    /// has their latencies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Compared>,
    /// Reason for the deciding metric; `None` = it is IOPS, or was requested.
    pub decisive_reason: Option<String>,
}

impl SpanCompared {
    pub fn all(&self) -> impl Iterator<Item = &Compared> {
        self.metrics.iter().chain(&self.parts)
    }
}

impl RunComparison {
    /// Returns the workload of a time span; `None` = an edited file.
    pub fn workload(&self, span: &SpanCompared) -> Option<&WorkloadCompared> {
        self.workloads.get((span.workload as usize).checked_sub(1)?)
    }

    /// Returns the name of the workload of a time span; empty = there is only one.
    pub fn workload_name(&self, span: &SpanCompared) -> &str {
        self.workload(span).map_or("", |workload| &workload.name)
    }

    /// Whether figures of B are WRONG and none of A, so an apparent change may be a measurement of
    /// something else.
    pub fn is_only_b_wrong(&self) -> bool {
        self.sides[0].wrong_runs == 0 && self.sides[1].wrong_runs > 0
    }

    pub fn error_shares(&self) -> InterimAnalyses {
        self.until_sure
            .as_ref()
            .map_or(InterimAnalyses::Equal(self.looks), |sure| InterimAnalyses::AfterPairs(sure.pairs))
    }

    /// Returns the deciding figure of each time span.
    pub fn primary(&self) -> impl Iterator<Item = &Compared> {
        self.time_spans.iter().filter_map(|span| span.metrics.first())
    }
}

/// Compares two sides.
///
/// # Errors
/// Fails with the must-agree facts that differ.
pub fn compare(
    first: &Side,
    other: &Side,
    question: &ComparisonQuery,
) -> Result<RunComparison, Vec<SideDifference>> {
    compare_knowing(first, other, &[], question)
}

/// Like [`compare`], with earlier runs of the same work on the same machine, which show its drift between
/// sessions.
pub fn compare_knowing(
    first: &Side,
    other: &Side,
    past: &[SideRun],
    question: &ComparisonQuery,
) -> Result<RunComparison, Vec<SideDifference>> {
    let found = workloads::from_sides([first, other]);
    let matched: Vec<[Vec<&SideRun>; 2]> = found.both.iter().map(|one| one.runs([first, other])).collect();
    if matched.is_empty() {
        let runs = [first, other].map(|side| side.runs.iter().collect::<Vec<&SideRun>>());
        let (differ, must_agree) = facts::differences(workloads::borrowed(&runs));
        return Err(if must_agree.is_empty() { differ } else { must_agree });
    }
    let (differences, not_comparable) = side_differences(&found.both, &matched);
    if !not_comparable.is_empty() && !question.anyway {
        return Err(not_comparable);
    }
    let orders: Vec<RunOrder> =
        matched.iter().map(|runs| RunOrder::detect(workloads::borrowed(runs))).collect();
    let counts: Vec<usize> = matched.iter().map(time_spans_of).collect();
    let deciding = counts.iter().sum::<usize>();
    let mut time_spans = Vec::new();
    for (workload, (runs, order)) in matched.iter().zip(&orders).enumerate() {
        let asked = question.question_for(&found.both[workload].name);
        let same = asked.same.unwrap_or(question.same);
        let nothing = EarlierSteps::default();
        let on = Basis { order, known: &nothing, same, figures: deciding, looks: question.looks };
        for index in 0..counts[workload] {
            let place = [workload, index].map(|place| u32::try_from(place + 1).unwrap_or(u32::MAX));
            time_spans.push(compare_span(workloads::borrowed(runs), past, place, asked.metric, on));
        }
    }
    let workloads = found.both.into_iter().zip(&orders).zip(&matched).map(|((one, order), runs)| {
        let names = |runs: &Vec<&SideRun>| runs.iter().map(|run| run.known.name.clone()).collect();
        let runs = [names(&runs[0]), names(&runs[1])];
        WorkloadCompared {
            name: one.name,
            order: order.kind(),
            period: order.period(),
            boots: order.boots(),
            boot_order: order.boot_order(),
            runs,
            places: one.places,
        }
    });
    Ok(RunComparison {
        format: RunComparison::format(),
        work: RepeatedWork::default(),
        equivalence_percent: question.same * 100.0,
        looks: question.looks.count(),
        order_seed: None,
        until_sure: None,
        sides: [names(first), names(other)],
        workloads: workloads.collect(),
        unmatched: found.alone,
        time_spans,
        differences,
        not_comparable,
    })
}

fn side_differences(
    found: &[workloads::MatchedWorkload],
    matched: &[[Vec<&SideRun>; 2]],
) -> (Vec<SideDifference>, Vec<SideDifference>) {
    let (mut differences, mut not_comparable) = (Vec::new(), Vec::new());
    for (runs, one) in matched.iter().zip(found) {
        let (differ, must_agree) = facts::differences(workloads::borrowed(runs));
        // Results common to all workloads are printed once.
        differences.extend(differ.into_iter().filter(|new| !differences.contains(new)).collect::<Vec<_>>());
        let of_test = |found: SideDifference| match found {
            found if !one.is_test => found,
            found => SideDifference { subject: format!("test {}: {}", one.name, found.subject), ..found },
        };
        not_comparable.extend(must_agree.into_iter().map(of_test));
    }
    (differences, not_comparable)
}

fn names(side: &Side) -> Names {
    let worst = side.runs.iter().filter_map(|run| run.known.findings.as_ref()?.severity);
    Names {
        name: side.name.clone(),
        runs: side.runs.iter().map(|run| run.known.name.clone()).collect(),
        wrong_runs: worst.filter(|worst| *worst >= Severity::Wrong).count(),
    }
}

fn time_spans_of(runs: &[Vec<&SideRun>; 2]) -> usize {
    runs.iter().flatten().map(|run| run.known.time_spans.len()).min().unwrap_or(0)
}

fn compare_span(
    runs: Runs,
    past: &[SideRun],
    [workload, time_span]: [u32; 2],
    asked: Option<Metric>,
    on: Basis,
) -> SpanCompared {
    let index = time_span as usize - 1;
    let (primary, why_this_decides) = match asked {
        Some(metric) => (metric, None),
        None => metric::primary(runs, index),
    };
    let others: Vec<Metric> =
        metric::default_metrics(runs, index).into_iter().filter(|metric| *metric != primary).collect();
    let same_work = |run: &&SideRun| runs[0].first().is_some_and(|one| workloads::same(one, run));
    let past: Vec<&SideRun> = past.iter().filter(same_work).collect();
    let one = |metric: Metric, figures: usize| {
        let values = runs.map(|side| side.iter().map(|run| metric::value(run, index, metric)).collect());
        let about = FigureInfo {
            metric: metric.to_string(),
            title: metric.title(),
            more_is_better: metric.figure.more_is_better(),
        };
        let timed = |runs| allowance::timed(runs, |run| metric::value(run, index, metric).ok());
        let by_boots = on.order.boots().is_some();
        let known = allowance::known_levels(timed(&past), runs.map(timed), by_boots);
        verdict::compared(about, values, Basis { known: &known, figures, ..on })
    };
    let mut metrics = vec![one(primary, on.figures)];
    metrics.extend(others.iter().map(|metric| one(*metric, others.len())));
    let parts = parts::compared(runs, index, on);
    let same_percent = on.same * 100.0;
    let decisive_reason = why_this_decides.map(str::to_owned);
    SpanCompared { workload, time_span, same_percent, metrics, parts, decisive_reason }
}
