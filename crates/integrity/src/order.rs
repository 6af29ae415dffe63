//! Identification of targets by their stamps, for runs that only read.

use diskspd_profile::TargetId;
use diskspd_results::{FailedSector, IntegrityResults, SectorState, ThreadResults};
use diskspd_sys::mutex::LockUnpoisoned;
use std::sync::Mutex;

/// Maximum number of remembered runs that stamped a target.
pub(crate) const MAX_RUNS: usize = 64;

/// Sectors of a target that a thread found whole and in their place, by the run that stamped them.
#[derive(Debug, Clone, PartialEq)]
pub struct StampedAs {
    pub run: u64,
    /// Number of the target in that run, from 0.
    pub number: u32,
    pub sectors: u64,
    pub first: Option<FailedSector>,
}

/// Stamps seen by all threads and time spans of a run.
#[derive(Debug, Default)]
pub struct TargetOrder {
    given: Vec<u32>,
    /// Number of a target in the writing run: the number in the first stamp that any thread read.
    numbers: Mutex<Vec<(u64, TargetId, u32)>>,
    found: Mutex<Vec<(u32, TargetId, StampedAs)>>,
}

impl TargetOrder {
    /// Creates the order. `given`: the number of each target in the writing run, from 1; empty if not
    /// specified.
    pub fn new(given: &[u32]) -> TargetOrder {
        let given = given.iter().map(|number| number.saturating_sub(1)).collect();
        TargetOrder { given, ..TargetOrder::default() }
    }

    /// Returns the required number in a run's stamps in a target; `seen`: the number in one of them. Each
    /// thread calls it once for each target and run.
    pub fn number(&self, target: TargetId, run: u64, seen: u32) -> u32 {
        if let Some(given) = self.given.get(target.index()) {
            return *given;
        }
        let mut numbers = self.numbers.lock_anyway();
        if let Some((.., number)) = numbers.iter().find(|known| (known.0, known.1) == (run, target)) {
            return *number;
        }
        numbers.push((run, target, seen));
        seen
    }

    pub fn record_found(&self, thread: u32, target: TargetId, found: Vec<StampedAs>) {
        self.found.lock_anyway().extend(found.into_iter().map(|found| (thread, target, found)));
    }

    /// Judges misplaced stamps after all threads of a time span have ended. Stamps accepted in the wrong
    /// target count as damage.
    pub fn judge(&self, threads: &mut [ThreadResults]) {
        let found = std::mem::take(&mut *self.found.lock_anyway());
        if !self.given.is_empty() {
            return;
        }
        let numbers = self.numbers.lock_anyway();
        for (thread, target, stamped) in found {
            let of_run = numbers.iter().filter(|(run, ..)| *run == stamped.run);
            let of_run: Vec<_> = of_run.map(|(_, target, number)| (*target, *number)).collect();
            if !is_astray(target, &of_run) {
                continue;
            }
            let targets = threads.get_mut(thread as usize).map(|thread| &mut thread.targets);
            let results = targets.and_then(|all| all.iter_mut().find(|results| results.target == target));
            if let Some(integrity) = results.and_then(|results| results.integrity.as_mut()) {
                count_misplaced(integrity, stamped);
            }
        }
    }
}

/// Counts verified sectors as misplaced, because they belong to another target.
fn count_misplaced(results: &mut IntegrityResults, stamped: StampedAs) {
    let Some(first) = stamped.first else { return };
    results.counts.verified = results.counts.verified.saturating_sub(stamped.sectors);
    results.fail(first);
    *results.counts.failed.entry(SectorState::Misplaced).or_default() += stamped.sectors.saturating_sub(1);
}

/// Whether a target contains another target's data. `numbers`: the run's number of each stamped target.
/// The given targets may be a subset in the run's order, so their numbers rise. Otherwise targets at the
/// position of their number are correct, if all numbers have a position. If not, the misplaced target is
/// unknown.
fn is_astray(target: TargetId, numbers: &[(TargetId, u32)]) -> bool {
    let Some((_, own)) = numbers.iter().find(|(other, _)| *other == target) else { return false };
    let is_home = |(target, number): &(TargetId, u32)| target.0 == *number;
    let is_permuted = numbers.iter().all(|(target, _)| numbers.iter().any(|(_, number)| *number == target.0));
    let own = (target, *own);
    let clashes = |other: &(TargetId, u32)| match other.1 == own.1 {
        true => other.0 != target && !is_home(&own),
        false => (other.0 < target) != (other.1 < own.1),
    };
    if is_permuted { !is_home(&own) } else { numbers.iter().any(clashes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find_astray(numbers: &[u32]) -> Vec<u32> {
        let numbers: Vec<_> = (0..).map(TargetId).zip(numbers.iter().copied()).collect();
        let all = numbers.iter().map(|(target, _)| *target);
        all.filter(|target| is_astray(*target, &numbers)).map(|target| target.0).collect()
    }

    #[test]
    fn swapped_targets_are_detected_unlike_single_reads() {
        for (numbers, wrong) in [
            (&[][..], &[][..]),
            (&[0], &[]),
            (&[7], &[]),
            (&[0, 1], &[]),
            (&[1, 0], &[0, 1]),
            (&[0, 2], &[]),
            (&[3, 2], &[0, 1]),
            (&[0, 2, 1], &[1, 2]),
            (&[2, 1, 0], &[0, 2]),
            (&[1, 2, 0], &[0, 1, 2]),
            (&[0, 3, 2], &[1, 2]),
            (&[4, 4], &[0, 1]),
            // A copy of one target in the place of another: which is which its number tells.
            (&[0, 0], &[1]),
        ] {
            assert_eq!(find_astray(numbers), wrong, "{numbers:?}");
        }
    }
}
