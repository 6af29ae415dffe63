//! The located targets of a time span.

use diskspd_host::located::ResolvedTarget;
use diskspd_plan::WorkerTarget;

/// Objects at the targets' places, in the order of the time span's targets. `None` = no object, for an
/// engine without files.
#[derive(Debug, Default)]
pub struct SpanTargets(Vec<Option<ResolvedTarget>>);

impl SpanTargets {
    pub fn new(located: Vec<Option<ResolvedTarget>>) -> SpanTargets {
        SpanTargets(located)
    }

    pub fn find(&self, target: &WorkerTarget) -> Option<&ResolvedTarget> {
        self.0.get(target.target)?.as_ref()
    }
}
