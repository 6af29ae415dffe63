//! One watched target.

use super::silent::{ClosedGap, OpenGap, TargetState};
use crate::watch::ticks::TickCounter;
use diskspd_plan::SpanPlan;
use diskspd_profile::{RawText, TargetId};
use diskspd_results::{PathChange, TargetTicks};
use diskspd_sys::clock::{Nanos, SECOND};
use std::collections::HashMap;

/// Time without completions before a detailed check.
const MIN_SILENCE: Nanos = SECOND / 2;
const REPEAT_INTERVAL_NS: Nanos = SECOND;
/// Interval of further attempts if the workers are too busy for a check.
const MIN_SILENCE_NS: Nanos = SECOND / 10;

#[derive(Debug)]
pub(super) struct WatchedTarget {
    pub id: TargetId,
    pub path: RawText,
    pub workers: Vec<usize>,
    pub shares: bool,
    ios: u64,
    /// Time of the last observed completion.
    since: Nanos,
    beats: Option<TickCounter>,
    open: Option<OpenGap>,
}

pub(super) fn all(plan: &SpanPlan) -> Vec<WatchedTarget> {
    let mut all: Vec<WatchedTarget> = Vec::new();
    let mut places = HashMap::new();
    for (index, worker) in plan.workers.iter().enumerate() {
        let shares = worker.targets.iter().any(|target| target.id != worker.targets[0].id);
        for target in &worker.targets {
            let place = *places.entry(target.id).or_insert_with(|| {
                all.push(WatchedTarget::new(target.id, target.path.clone()));
                all.len() - 1
            });
            let watched = &mut all[place];
            watched.shares |= shares;
            if watched.workers.last() != Some(&index) {
                watched.workers.push(index);
            }
        }
    }
    all
}

impl WatchedTarget {
    fn new(id: TargetId, path: RawText) -> WatchedTarget {
        let (workers, shares) = (Vec::new(), false);
        WatchedTarget { id, path, workers, shares, ios: 0, since: 0, beats: None, open: None }
    }

    /// Starts at `start` with this number of completed I/Os, if known.
    pub(super) fn begin(&mut self, start: Nanos, ios: Option<u64>) {
        // Workers with several targets count from the beginning of measuring on.
        self.ios = ios.unwrap_or(0);
        self.since = start;
        self.beats = Some(TickCounter::new(start, self.ios));
    }

    /// Excludes time without checks, which is not an outage of the target.
    pub(super) fn nobody_looked(&mut self, passed: Nanos) {
        self.since += passed;
    }

    pub(super) fn since(&self) -> Nanos {
        self.since
    }

    /// Returns how long a silence must last so that whole beats certainly show one of `limit`, even if it
    /// begins and ends within a beat.
    pub(super) fn surely_seen(&self, limit: Nanos) -> Nanos {
        limit.saturating_add(2 * self.beats.as_ref().map_or(0, TickCounter::width))
    }

    /// Returns the I/Os in flight at the last detailed check.
    pub(super) fn in_flight(&self) -> Option<u64> {
        self.open.as_ref().and_then(|open| open.in_flight)
    }

    pub(super) fn note_count(&mut self, ios: u64, now: Nanos) -> TargetState {
        self.beats.iter_mut().for_each(|beats| beats.count_tick(now, ios));
        if ios != self.ios {
            let open = self.open.take().map(|open| open.closed(self.id, self.since, now));
            (self.ios, self.since) = (ios, now);
            return open.map_or(TargetState::Goes, TargetState::GoesOn);
        }
        match &self.open {
            None if now.saturating_sub(self.since) < MIN_SILENCE => TargetState::Goes,
            Some(open) if now < open.next => TargetState::StillSilent,
            _ => TargetState::Silent,
        }
    }

    pub(super) fn looked_closer(&mut self, in_flight: Option<u64>, changes: Vec<PathChange>, now: Nanos) {
        let open = self.open.get_or_insert_default();
        open.in_flight = in_flight.max(open.in_flight);
        open.changes.extend(changes);
        open.next = now + if open.in_flight.is_some() { REPEAT_INTERVAL_NS } else { MIN_SILENCE_NS };
    }

    /// Returns the current gap and the unfinished work at `end`, the end of the measurement.
    pub(super) fn finish(self, end: Nanos) -> (Option<ClosedGap>, Option<TargetTicks>) {
        let (id, since) = (self.id, self.since);
        let silence = self.open.map(|open| open.closed(id, since, end));
        let beats = self.beats.and_then(TickCounter::finish);
        (silence, beats.map(|beats| TargetTicks { target: id, ticks: beats }))
    }
}
