//! Written parts of the read files. Other parts are read as zeros, without accessing the disk.

use diskspd_checks as checks;
use diskspd_host::content;
use diskspd_machine::content::ContentFacts;
use diskspd_plan::{SpanPlan, WorkerTarget};
use diskspd_sys::clock::{self, Nanos, SECOND};
use diskspd_worker::RunReporter;

/// Time limit for all files in ns; the rest stays unknown.
const TIME: Nanos = 300 * SECOND / 1000;

/// Inspects each file that is read, and warns of reads that do not reach the disk.
pub(crate) fn sample_content(plan: &SpanPlan, voice: &RunReporter) -> Vec<ContentFacts> {
    let until = clock::monotonic() + TIME;
    let facts: Vec<ContentFacts> =
        read_parts(plan).into_iter().filter_map(|part| of_file(&part, until)).collect();
    for about in &facts {
        let path = plan.path_of(about.target);
        checks::content_warnings(about, &path).into_iter().for_each(|warning| voice.report_finding(warning));
    }
    facts
}

struct Part<'a> {
    target: &'a WorkerTarget,
    from: u64,
    to: u64,
}

fn read_parts(plan: &SpanPlan) -> Vec<Part<'_>> {
    let mut parts: Vec<Part> = Vec::new();
    let targets = plan.workers.iter().flat_map(|worker| &worker.targets);
    for target in targets.filter(|target| target.workload.write_ratio < 100) {
        let (from, to) = (target.workload.base, target.workload.base.saturating_add(target.workload.region));
        match parts.iter_mut().find(|part| part.target.location == target.location) {
            Some(part) => (part.from, part.to) = (part.from.min(from), part.to.max(to)),
            None => parts.push(Part { target, from, to }),
        }
    }
    parts
}

fn of_file(part: &Part, until: Nanos) -> Option<ContentFacts> {
    let began = clock::monotonic();
    let space = content::written(&part.target.location, part.from, part.to, until).ok()?;
    let (target, from, to) = (part.target.id, part.from, part.to);
    let nanos = clock::monotonic() - began;
    Some(ContentFacts { target, from, to, space: Some(space), nanos, ..ContentFacts::default() })
}
