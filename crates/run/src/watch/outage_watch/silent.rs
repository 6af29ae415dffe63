//! Silences: the current one's properties, and the kept ones.

use crate::services::PathStates;
use diskspd_profile::TargetId;
use diskspd_results::{CompletionGap, PathChange};
use diskspd_sys::clock::Nanos;

const MAX_SILENCES: usize = 256;
const MAX_CHANGES: usize = 32;

#[derive(Debug)]
pub(super) enum TargetState {
    Goes,
    /// No completion for some time; a detailed check is needed.
    Silent,
    StillSilent,
    GoesOn(ClosedGap),
}

#[derive(Debug, Default)]
pub(super) struct OpenGap {
    /// Maximum I/Os in flight; `None` = unobservable.
    pub in_flight: Option<u64>,
    pub changes: Vec<PathChange>,
    pub next: Nanos,
}

/// Completed gap, on the monotonic clock.
#[derive(Debug)]
pub(super) struct ClosedGap {
    target: TargetId,
    begin: Nanos,
    end: Nanos,
    in_flight: Option<u64>,
    pub changes: Vec<PathChange>,
}

impl OpenGap {
    /// Closes the gap of this target, which lasted from `begin` to `end`.
    pub(super) fn closed(self, target: TargetId, begin: Nanos, end: Nanos) -> ClosedGap {
        ClosedGap { target, begin, end, in_flight: self.in_flight, changes: self.changes }
    }
}

/// Recorded gaps; the first ones are kept.
#[derive(Debug, Default)]
pub(super) struct GapLog {
    pub kept: Vec<CompletionGap>,
}

impl GapLog {
    /// Adds a gap, if there is room; `start` = start of the measurement.
    pub(super) fn push(&mut self, silence: ClosedGap, start: Nanos) {
        if self.kept.len() >= MAX_SILENCES {
            return;
        }
        let ClosedGap { target, begin, end, in_flight, mut changes } = silence;
        changes.truncate(MAX_CHANGES);
        let us = |at: Nanos| at.saturating_sub(start) / 1000;
        self.kept.push(CompletionGap { target, start_us: us(begin), end_us: us(end), in_flight, changes });
    }
}

/// Returns the differences between two checks; the second was at `seen_us` after the start of the
/// measurement.
pub(super) fn changes(before: &PathStates, now: &PathStates, seen_us: u64) -> Vec<PathChange> {
    let state = |of: &PathStates, what: &String| of.get(what).cloned().unwrap_or_default();
    let mut names: Vec<&String> = before.keys().chain(now.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let change = |what: &String| {
        let (from, to) = (state(before, what), state(now, what));
        (from != to).then(|| PathChange { observed_us: seen_us, attribute: what.clone(), from, to })
    };
    names.into_iter().filter_map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_paths_are_listed() {
        let states = |pairs: &[(&str, &str)]| -> PathStates {
            pairs.iter().map(|(what, state)| (what.to_string(), state.to_string())).collect()
        };
        let before = states(&[("sda state", "running"), ("sdb state", "running"), ("sdc state", "running")]);
        let now = states(&[("sda state", "offline"), ("sdc state", "running"), ("sdd state", "running")]);
        let found = changes(&before, &now, 7);
        let found: Vec<(&str, &str, &str)> =
            found.iter().map(|change| (&*change.attribute, &*change.from, &*change.to)).collect();
        let expected =
            [("sda state", "running", "offline"), ("sdb state", "running", ""), ("sdd state", "", "running")];
        assert_eq!(found, expected);
        assert!(changes(&now, &now, 7).is_empty());
    }
}
