//! Whether the figures of a run can be believed: pure functions of its record.
//!
//! ```text
//! Record (what was asked, what was counted, what was observed beside it) ──judge──▶ Judgement ──report──▶ bytes
//! ```
//!
//! Facts are gathered by `system` before, and by `run::observe` around, the measured window, and are kept in the record;
//! nothing is concluded there. Conclusions are drawn here alone, so that an old record can be judged anew.

mod advice;
mod content;
mod crowd;
mod device;
mod ended;
pub mod environment;
mod failed;
mod finding;
mod held_up;
mod late;
mod limit;
mod little;
mod lost;
mod plateau;
mod processors;
mod steady;
mod unfinished;

pub use content::warnings as content_warnings;
pub use device::{Comparison, DeviceVerdict, SpanVerdict, Verdict};
pub use finding::{Finding, Severity};
pub use limit::{Limiter, Limits};
pub use steady::{Interrupted, Steadiness, SteadyVerdict};

use crate::profile::{Profile, Target, TimeSpan};
use crate::results::{Measured, Record, SpanResults, Summary};
use crate::system::System;
use serde::Serialize;

/// Everything that was found about a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Judgement {
    /// Whether the devices did what was counted: one verdict for each time span that was measured and observed.
    pub verdicts: Vec<SpanVerdict>,
    /// Findings of all time spans, the worst first; those that are equally bad in the order of the spans and checks.
    pub findings: Vec<Finding>,
    /// Whether each time span was steady; `None` = too short to tell.
    pub steadiness: Vec<Option<Steadiness>>,
    /// What limited each time span; `None` = nothing was measured, or nobody looked (simulated time).
    pub limits: Vec<Option<Limits>>,
}

impl Judgement {
    /// How bad the worst verdict or finding is; `None` = nothing was found.
    pub fn worst(&self) -> Option<Severity> {
        let verdicts = self.verdicts.iter().filter_map(|verdict| verdict.severity);
        self.findings.iter().map(|finding| finding.severity).chain(verdicts).max()
    }
}

/// One measured time span with everything that is known about it.
#[derive(Debug, Clone, Copy)]
pub struct SpanView<'a> {
    /// Its number, from 1.
    pub number: usize,
    /// The whole profile.
    pub profile: &'a Profile,
    /// What was asked for.
    pub asked: &'a TimeSpan,
    /// Where it ran.
    pub system: &'a System,
    /// Raw counters, and what was observed beside them.
    pub results: &'a SpanResults,
    /// The figures that the report shows.
    pub measured: &'a Measured,
}

impl SpanView<'_> {
    /// Whether the page cache was between the I/Os of a target and its storage; for one that isn't mapped.
    fn is_cached(&self, target: &Target) -> bool {
        let found = self.system.targets.iter().find(|storage| storage.path == target.path);
        target.is_cached(found.is_some_and(|on| on.file_system.is_none() && on.device.is_some()))
    }
}

/// A check of one time span. It finds nothing where the record lacks what it needs.
type Check = fn(&SpanView) -> Vec<Finding>;

/// Every check, in the order in which equally bad findings are listed.
const CHECKS: &[Check] = &[
    failed::check,
    lost::check,
    unfinished::check,
    held_up::check,
    late::check,
    content::check,
    limit::check,
    little::check,
    crowd::check,
    processors::check,
    steady::check,
    advice::check,
];

/// Judges a run.
pub fn judge(record: &Record, summary: &Summary) -> Judgement {
    let mut findings = Vec::new();
    let mut steadiness = vec![None; record.profile.time_spans.len()];
    let mut limits = vec![None; record.profile.time_spans.len()];
    let mut verdicts = Vec::new();
    if summary.time_spans.iter().any(Option::is_some) {
        findings.extend(environment::of_run(&record.system));
    }
    findings.extend(ended::of_run(record));
    let spans = record.profile.time_spans.iter().zip(&record.results.time_spans).zip(&summary.time_spans);
    for (index, ((asked, results), measured)) in spans.enumerate() {
        let Some(measured) = measured else { continue };
        let (profile, system) = (&record.profile, &record.system);
        let view = SpanView { number: index + 1, profile, asked, system, results, measured };
        steadiness[index] = steady::judge(&view);
        limits[index] = limit::judge(&view);
        verdicts.extend(device::verdict(&view).map(|verdict| failed::mentioned(&view, verdict)));
        findings.extend(CHECKS.iter().flat_map(|check| check(&view)));
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    Judgement { verdicts, findings, steadiness, limits }
}
