//! Credibility of a run's figures: pure functions of its record.
//!
//! ```text
//! Record (request, counts, other observations) ──judge──▶ Judgement ──report──▶
//! bytes
//! ```
//!
//! `host` and `run::watch` collect facts before and around the measured window, and store them in the
//! record without conclusions. All conclusions are drawn here, so an old record can be judged again. Each
//! time span gets one view (`view`), then the shared conclusions in a fixed order, then all checks.
//!
//! Invariant: the same record always gets the same findings.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod achieved_rate;
mod advice;
mod affinity_changes;
pub mod arrays;
mod by_target;
mod caches;
mod changed;
mod conclusions;
mod content;
mod contention;
mod coordinated_omission;
pub mod damaged;
mod device;
mod device_log_deltas;
mod discards;
mod ended;
pub mod environment;
mod failed;
mod few_ios;
mod first_writes;
mod interrupts;
mod io_features;
mod judged;
mod latency;
mod limit;
mod littles_law;
mod memory;
pub mod merged;
pub mod outages;
mod preset;
mod process_stalls;
mod processors;
mod program;
mod rate_cap;
mod retransmissions;
pub mod slow;
mod stalls;
mod steady;
mod tracer;
mod uneven;
mod unfinished;
mod view;
mod view_builder;
mod volume;
mod writeback_errors;

pub use content::warnings as content_warnings;
pub use device::{Comparison, DeviceVerdict, DeviceWork, SpanVerdict};
pub use diskspd_base::finding::{Finding, Severity};
pub use diskspd_results::{Limiter, Verdict};
pub use few_ios::highest_reported;
pub use judged::JudgedRecord;
pub use latency::{LatencySteadiness, LatencyVerdict, Tail, judge_course as latency_steadiness};
pub use limit::Limits;
pub use outages::Outage;
pub use stalls::Stall;
pub use steady::{Interruption, Steadiness, SteadyVerdict};
pub use view::SpanContext;

use conclusions::DerivedFacts;
use diskspd_results::{Record, Summary, summarize};
use serde::Serialize;

/// All results of checks about a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Judgement {
    /// Device verdicts, one for each measured and observed time span.
    pub verdicts: Vec<SpanVerdict>,
    /// Findings of all time spans, worst first; equally severe ones in the order of the spans and checks.
    pub findings: Vec<Finding>,
    pub steadiness: Vec<Option<Steadiness>>,
    /// Limiting factor of each time span; `None` = no measurement or observation (simulated time).
    pub limits: Vec<Option<Limits>>,
    /// Outages of each time span in order of time; `None` = unknown.
    pub outages: Vec<Option<Vec<Outage>>>,
}

impl Judgement {
    /// Returns the severity of the worst verdict or finding; `None` = no findings.
    pub fn worst(&self) -> Option<Severity> {
        let verdicts = self.verdicts.iter().filter_map(|verdict| verdict.severity);
        self.findings.iter().map(|finding| finding.severity).chain(verdicts).max()
    }

    /// Whether `--strict` fails, because figures are misleading, or existing devices cannot confirm them.
    /// Targets without a device (a network, memory) do not fail.
    pub fn is_doubtful(&self) -> bool {
        let parts = self.verdicts.iter().flat_map(|verdict| &verdict.parts);
        let mut unseen = parts.filter(|part| part.verdict == Verdict::Unknown && part.severity.is_some());
        self.worst() == Some(Severity::Wrong) || unseen.next().is_some()
    }
}

/// A check of one time span. It returns no findings if the record lacks its input.
type Check = fn(&SpanContext, &DerivedFacts) -> Vec<Finding>;

/// All checks in the order of their findings at equal severity.
const CHECKS: &[Check] = &[
    |span, _| failed::check(span),
    |span, _| writeback_errors::check(span),
    |span, _| unfinished::check(span),
    |span, _| process_stalls::check(span),
    |span, _| memory::check(span),
    |span, concluded| outages::check(span, concluded.outages.as_deref(), concluded.limits.as_ref()),
    |span, _| volume::check(span),
    |span, _| achieved_rate::check(span),
    |span, _| uneven::check(span),
    |span, concluded| coordinated_omission::check(span, concluded.late.as_ref()),
    |span, _| few_ios::check(span),
    |span, _| content::check(span),
    |span, _| first_writes::check(span),
    |span, _| changed::check(span),
    |span, _| discards::check(span),
    |span, _| io_features::check(span),
    |span, concluded| {
        limit::check(span, concluded.limits.as_ref(), concluded.contention, concluded.late.as_ref())
    },
    |span, concluded| device_log_deltas::check(span, concluded.limiter()),
    |span, concluded| littles_law::check(span, concluded.limits.as_ref()),
    |span, concluded| contention::check(span, concluded.contention, concluded.limiter()),
    |span, concluded| processors::check(span, concluded.limits.as_ref()),
    |span, _| affinity_changes::check(span),
    |span, concluded| interrupts::check(span, concluded.limiter()),
    |span, concluded| {
        let (steady, late) = (concluded.steadiness.as_ref(), concluded.late.as_ref());
        steady::finding::check(span, steady, late, concluded.limits.as_ref())
    },
    |span, _| tracer::check(span),
    |span, _| retransmissions::check(span),
    |span, _| arrays::check(span),
    |span, _| caches::check(span),
    |span, _| advice::check(span),
];

/// Checks of another program's I/O, which only need observations.
const PROGRAM_CHECKS: &[Check] = &[
    |span, _| program::check(span),
    |span, _| content::check(span),
    |span, _| process_stalls::check(span),
    |span, concluded| outages::check(span, concluded.outages.as_deref(), concluded.limits.as_ref()),
    |span, concluded| limit::check(span, concluded.limits.as_ref(), None, None),
    |span, concluded| as_notes(steady::finding::check(span, concluded.steadiness.as_ref(), None, None)),
    |span, _| arrays::check(span),
    |span, _| caches::check(span),
];

/// Turns findings about the rate into notes, because another program may do I/O at any rate.
fn as_notes(found: Vec<Finding>) -> Vec<Finding> {
    let note = |finding: Finding| Finding { severity: Severity::Note, remedy: None, ..finding };
    found.into_iter().map(note).collect()
}

/// Returns the device verdicts by the counters alone; `limited`: limiting factor of each time span.
pub fn device_verdicts(record: &Record, limited: &[Option<Limiter>]) -> Vec<SpanVerdict> {
    let summary = summarize(record);
    let spans = record.profile.time_spans.iter().zip(&record.host().results.time_spans);
    let verdict = |(index, (asked, results)): (usize, (_, _))| {
        let measured = summary.time_spans.get(index)?.as_ref()?;
        let view = SpanContext::new(index + 1, record, asked, results, measured);
        device::verdict(&view, limited.get(index).copied().flatten())
    };
    spans.enumerate().filter_map(verdict).collect()
}

pub fn judge(record: &Record, summary: &Summary) -> Judgement {
    let mut findings = Vec::new();
    let mut steadiness = vec![None; record.profile.time_spans.len()];
    let mut limits = vec![None; record.profile.time_spans.len()];
    let mut outages = vec![None; record.profile.time_spans.len()];
    let mut verdicts = Vec::new();
    if summary.time_spans.iter().any(Option::is_some) {
        findings.extend(environment::of_run(record.host()));
    }
    findings.extend(damaged::of_run(record));
    findings.extend(ended::of_run(record));
    findings.extend(record.merged.iter().flat_map(|whole| merged::findings(record, whole)));
    let spans =
        record.profile.time_spans.iter().zip(&record.host().results.time_spans).zip(&summary.time_spans);
    for (index, ((asked, results), measured)) in spans.enumerate() {
        let Some(measured) = measured else { continue };
        let view = SpanContext::new(index + 1, record, asked, results, measured);
        let concluded = DerivedFacts::derive(&view);
        if record.merged.is_some() {
            // Observations belong to single hosts, and were judged there.
            let (steady, late) = (concluded.steadiness.as_ref(), concluded.late.as_ref());
            findings.extend(steady::finding::check(&view, steady, late, None));
            steadiness[index] = concluded.steadiness;
            verdicts.extend(merged::verdict(record, index + 1));
            continue;
        }
        let checks = if record.program.is_some() { PROGRAM_CHECKS } else { CHECKS };
        let mut found: Vec<Finding> = checks.iter().flat_map(|check| check(&view, &concluded)).collect();
        let worst = found.iter().map(|finding| Some(finding.severity));
        let worst = worst.chain(concluded.verdict.iter().map(|verdict| verdict.severity)).max().flatten();
        found.extend(preset::check(&view, worst == Some(Severity::Wrong)));
        findings.extend(found);
        steadiness[index] = concluded.steadiness;
        limits[index] = concluded.limits;
        outages[index] = concluded.outages;
        verdicts.extend(concluded.verdict);
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    Judgement { verdicts, findings, steadiness, limits, outages }
}
