//! Unresponsive targets: the controlling thread detects silence from the workers' published counts. Only
//! then it checks the I/Os in flight, and path changes. The workers have no overhead.

mod silent;
mod stuck;
mod target;
mod watched;

use crate::services::{PathStates, path_states};
use diskspd_figures::units::seconds_of_ms;
use diskspd_output::guard;
use diskspd_profile::TargetId;
use diskspd_results::{EndedBy, OutageObservations, PathChange, WatcherGap};
use diskspd_sys::clock::{self, Nanos, SECOND};
use diskspd_worker::WorkerFailure;
use silent::{GapLog, TargetState};
use std::collections::BTreeMap;
use stuck::StuckWatch;
use target::WatchedTarget;
use watched::TargetCounts;
pub(crate) use watched::WatchedSpan;

/// Minimum interval of checks.
const STEP: Nanos = SECOND / 66;
/// Delay of a check that counts as blind, because the whole program may have been stopped. Shorter delays
/// are not an outage, because this thread may be late on a busy machine.
const MIN_WATCHER_GAP_NS: Nanos = SECOND / 2;
/// Maximum number of recorded watcher gaps; more are merged with the last one.
const MAX_WATCHER_GAPS: usize = 1024;
/// Watches the targets of a time span.
pub(crate) struct OutageWatch<'a> {
    span: WatchedSpan<'a>,
    targets: Vec<WatchedTarget>,
    counts: TargetCounts,
    devices: Vec<String>,
    paths: PathStates,
    paths_at: Nanos,
    start: Nanos,
    last: Nanos,
    unseen: Vec<WatcherGap>,
    silences: GapLog,
    stuck: Option<StuckWatch>,
    /// Named targets, with the start of their gap.
    named: BTreeMap<TargetId, Nanos>,
}

impl<'a> OutageWatch<'a> {
    /// Prepares before the start signal. `devices`: devices under the targets.
    pub(crate) fn new(span: WatchedSpan<'a>, devices: &[String]) -> OutageWatch<'a> {
        let paths = path_states(devices);
        let targets = target::all(span.plan);
        OutageWatch {
            counts: TargetCounts::new(span.plan, &targets),
            targets,
            devices: devices.to_vec(),
            paths,
            paths_at: 0,
            start: 0,
            last: 0,
            unseen: Vec::new(),
            silences: GapLog::default(),
            stuck: span.run_options.stuck_ms.map(StuckWatch::new),
            named: BTreeMap::new(),
            span,
        }
    }

    pub(crate) fn begin(&mut self, start: Nanos) {
        (self.start, self.last) = (start, start);
        let counts = self.counts.read_ios(&self.span, self.targets.len());
        self.targets.iter_mut().zip(counts).for_each(|(target, ios)| target.begin(start, *ios));
    }

    /// Checks the targets within the window at each wake-up of the controlling thread.
    pub(crate) fn check_targets(&mut self, now: Nanos) {
        let passed = now.saturating_sub(self.last);
        if passed < STEP {
            return;
        }
        let blind = passed >= MIN_WATCHER_GAP_NS;
        if blind {
            self.has_not_looked(now);
        }
        self.last = now;
        let mut targets = std::mem::take(&mut self.targets);
        let counts = self.counts.read_ios(&self.span, targets.len()).to_vec();
        for (target, ios) in targets.iter_mut().zip(counts) {
            if blind {
                target.nobody_looked(passed);
            }
            if let Some(ios) = ios {
                self.look_at(target, ios, now);
            }
        }
        self.targets = targets;
        let (span, start) = (&self.span, self.start);
        self.stuck.iter_mut().for_each(|stuck| stuck.check_targets(span, start, now));
    }

    fn has_not_looked(&mut self, now: Nanos) {
        let us = |at: Nanos| at.saturating_sub(self.start) / 1000;
        let time = WatcherGap { start_us: us(self.last), end_us: us(now) };
        let full = self.unseen.len() >= MAX_WATCHER_GAPS;
        match self.unseen.last_mut().filter(|_| full) {
            Some(last) => last.end_us = time.end_us,
            None => self.unseen.push(time),
        }
    }

    fn look_at(&mut self, target: &mut WatchedTarget, ios: u64, now: Nanos) {
        match target.note_count(ios, now) {
            TargetState::Goes => {}
            TargetState::Silent => {
                // With nothing in flight nothing is to be answered.
                let in_flight = self.counts.in_flight(&self.span, target);
                let changes = self.path_changes(now);
                target.looked_closer(in_flight, changes, now);
                self.end_if_too_long(target, in_flight.or(target.in_flight()), now);
            }
            TargetState::GoesOn(mut silence) => {
                silence.changes.extend(self.path_changes(now));
                self.silences.push(silence, self.start);
            }
            TargetState::StillSilent => {
                self.name_if_long(target, now);
                self.give_up_if_endless(target, now);
                self.end_if_too_long(target, target.in_flight(), now);
            }
        }
    }

    /// Reports a target once per outage.
    fn name_if_long(&mut self, target: &WatchedTarget, now: Nanos) {
        let (silent, ios) = (now.saturating_sub(target.since()), target.in_flight());
        let is_named = self.named.get(&target.id) == Some(&target.since());
        if silent < guard::named_after() || ios == Some(0) || is_named {
            return;
        }
        self.named.insert(target.id, target.since());
        let ios = ios.map_or("its I/Os".into(), |ios| format!("{ios} I/Os"));
        let since = guard::time_of_day(clock::wall_seconds() - (silent / SECOND) as i64);
        self.span
            .voice
            .warn(&format!("waiting for {ios} on '{}', which completed none since {since}", target.path));
    }

    /// Ends a run without a time limit (`--until-written`, `--until-read`).
    fn give_up_if_endless(&self, target: &WatchedTarget, now: Nanos) {
        let WatchedSpan { control, run_options, .. } = self.span;
        let is_bounded = run_options.until_written.or(run_options.until_read).is_some();
        let silent = now.saturating_sub(target.since());
        if is_bounded && silent >= guard::patience() && target.in_flight() != Some(0) && !control.has_failed()
        {
            let seconds = silent / SECOND;
            control.fail(WorkerFailure::from(format!(
                "cannot complete the I/O on '{}': not responding for {seconds} s; {}",
                target.path,
                guard::REMEDY
            )));
        }
    }

    /// Returns the path changes since the last reading, which several targets share.
    fn path_changes(&mut self, now: Nanos) -> Vec<PathChange> {
        if now == self.paths_at {
            return Vec::new();
        }
        self.paths_at = now;
        let states = path_states(&self.devices);
        let before = std::mem::replace(&mut self.paths, states);
        silent::changes(&before, &self.paths, now.saturating_sub(self.start) / 1000)
    }

    /// Ends the run at the limit of `--fail-on-outage`.
    fn end_if_too_long(&self, target: &WatchedTarget, in_flight: Option<u64>, now: Nanos) {
        let WatchedSpan { control, voice, run_options, .. } = self.span;
        let Some(limit_ms) = run_options.fail_on_outage_ms else { return };
        let silent = now.saturating_sub(target.since());
        let limit = target.surely_seen(limit_ms.saturating_mul(1_000_000));
        if silent < limit || in_flight == Some(0) || control.is_interrupted() {
            return;
        }
        let silent_ms = silent / 1_000_000;
        let flying = in_flight.map_or(String::new(), |ios| format!(", with {ios} I/Os in flight"));
        voice.warn(&format!(
            "'{}' has completed no I/O for {:.1} s{flying}: the run ends here (--fail-on-outage)",
            target.path,
            seconds_of_ms(u32::try_from(silent_ms).unwrap_or(u32::MAX))
        ));
        control.interrupt_by(EndedBy::Outage);
    }

    pub(crate) fn finish(mut self, end: Nanos) -> OutageObservations {
        let mut targets = Vec::new();
        let several = self.targets.len() > 1;
        for target in std::mem::take(&mut self.targets) {
            let (silence, beats) = target.finish(end);
            if let Some(mut silence) = silence {
                silence.changes.extend(self.path_changes(end));
                self.silences.push(silence, self.start);
            }
            targets.extend(beats.filter(|_| several));
        }
        OutageObservations {
            targets,
            watcher_gaps: self.unseen,
            gaps: self.silences.kept,
            stuck: self.stuck.map(|stuck| stuck.found).unwrap_or_default(),
        }
    }
}
