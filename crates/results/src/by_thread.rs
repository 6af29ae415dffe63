//! Results of every thread on a target.

use crate::{TargetResults, ThreadResults};

/// Returns each target of each thread, with the thread's number.
pub(super) fn rows(threads: &[ThreadResults]) -> impl Iterator<Item = (u32, &TargetResults)> {
    (0..).zip(threads).flat_map(|(number, thread)| thread.targets.iter().map(move |target| (number, target)))
}
