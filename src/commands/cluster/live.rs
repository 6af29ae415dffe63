//! The state of each rank, once a second during a run, for the live view and the stream of rank 0.
//!
//! The controlling thread of a rank's run leaves its state in an outbox. The main thread, which alone calls
//! MPI, sends it. The workers take no part.

use super::messages::RankState;
use super::names::ranks;
use crate::clock::{Nanos, SECOND};
use crate::results::{HostInterval, IntervalFigures, JobInterval};
use crate::run::{HostSpeed, HostState, MachineSpeed, Progress, RunObserver, Speed};
use crate::sys::mutex::LockUnpoisoned;
use crate::units::Millis;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Interval between messages of a rank, and between updates of the view.
const EACH: Nanos = SECOND;
/// A rank without a message for this long is shown as silent, and its intervals are not awaited.
const MAX_STATE_AGE_NS: Nanos = 3 * SECOND;

/// State of this rank's run that is not sent yet.
#[derive(Debug, Default)]
pub(super) struct LiveOutbox(Mutex<PendingState>);

#[derive(Debug, Default)]
struct PendingState {
    state: RankState,
    is_new: bool,
    next: (usize, u32),
    sent_at: Nanos,
}

impl LiveOutbox {
    pub(super) fn begin_span(&self, number: usize) {
        self.0.lock_anyway().next = (number, 0);
    }

    pub(super) fn note_progress(&self, progress: &Progress) {
        if let Progress::Running { phase, left_ns, rates, machine, .. } = *progress {
            let mut unsent = self.0.lock_anyway();
            let intervals = std::mem::take(&mut unsent.state.intervals);
            unsent.state = RankState { phase: phase.to_owned(), left_ns, speed: rates, machine, intervals };
            unsent.is_new = true;
        }
    }

    pub(super) fn note_interval(&self, figures: &IntervalFigures) {
        let mut unsent = self.0.lock_anyway();
        let place = unsent.next;
        unsent.next.1 += 1;
        if unsent.state.intervals.len() < RankState::MAX_INTERVALS {
            unsent.state.intervals.push((place.0, place.1, figures.clone()));
        }
        unsent.is_new = true;
    }

    /// Returns the state if it is new and the last one is a second old, or if the run is over.
    pub(super) fn take(&self, now: Nanos, is_over: bool) -> Option<RankState> {
        let mut unsent = self.0.lock_anyway();
        if !unsent.is_new || (!is_over && now.saturating_sub(unsent.sent_at) < EACH) {
            return None;
        }
        (unsent.is_new, unsent.sent_at) = (false, now);
        let intervals = std::mem::take(&mut unsent.state.intervals);
        Some(RankState { intervals, ..unsent.state.clone() })
    }
}

pub(super) struct LiveBoard {
    listener: Arc<dyn RunObserver>,
    hosts: Vec<String>,
    latest: Vec<Option<RankState>>,
    is_new: bool,
    shown_at: Nanos,
    /// Incomplete intervals, by time span and number.
    pending: BTreeMap<(usize, u32), PendingInterval>,
    /// First interval that is not written yet.
    due: (usize, u32),
}

struct PendingInterval {
    since: Nanos,
    figures: Vec<Option<IntervalFigures>>,
}

impl LiveBoard {
    pub(super) fn new(listener: Arc<dyn RunObserver>, hosts: Vec<String>) -> LiveBoard {
        let latest = vec![None; hosts.len()];
        let (is_new, shown_at, pending, due) = Default::default();
        LiveBoard { listener, hosts, latest, is_new, shown_at, pending, due }
    }

    pub(super) fn add(&mut self, rank: usize, mut state: RankState, now: Nanos) {
        let Some(latest) = self.latest.get_mut(rank) else { return };
        for (span, number, figures) in std::mem::take(&mut state.intervals) {
            if (span, number) >= self.due {
                let none = || PendingInterval { since: now, figures: vec![None; self.hosts.len()] };
                self.pending.entry((span, number)).or_insert_with(none).figures[rank] = Some(figures);
            }
        }
        if !state.phase.is_empty() {
            if self.shown_at == 0 {
                // The first states of the others are on their way.
                self.shown_at = now.saturating_sub(EACH / 2);
            }
            *latest = Some(state);
            self.is_new = true;
        }
    }

    /// Shows the current state once a second, and writes the intervals of all hosts.
    pub(super) fn refresh(&mut self, now: Nanos, lost: &[Option<String>], silences: &[Nanos]) {
        let absent = |rank: usize| lost[rank].is_some() || silences[rank] >= MAX_STATE_AGE_NS;
        while let Some(entry) = self.pending.first_entry() {
            let PendingInterval { since, figures } = entry.get();
            let waits = figures.iter().enumerate().any(|(rank, known)| known.is_none() && !absent(rank));
            if waits && now.saturating_sub(*since) < MAX_STATE_AGE_NS {
                break;
            }
            let (place, interval) = entry.remove_entry();
            self.write_interval(place, interval);
        }
        if self.is_new && now.saturating_sub(self.shown_at) >= EACH {
            (self.is_new, self.shown_at) = (false, now);
            self.show(lost, silences);
        }
    }

    /// Writes all intervals, because the run is over.
    pub(super) fn finish(mut self) {
        for (place, interval) in std::mem::take(&mut self.pending) {
            self.write_interval(place, interval);
        }
        self.listener.progress_ends();
    }

    fn write_interval(&mut self, place: (usize, u32), interval: PendingInterval) {
        self.due = (place.0, place.1 + 1);
        let host = |(rank, figures): (usize, Option<IntervalFigures>)| HostInterval {
            rank: rank as u32,
            host: self.hosts[rank].clone(),
            figures,
        };
        let hosts = interval.figures.into_iter().enumerate().map(host).collect();
        self.listener.job_interval(&JobInterval::new(place.0, hosts));
    }

    fn show(&self, lost: &[Option<String>], silences: &[Nanos]) {
        let state = |rank: usize| match (&lost[rank], &self.latest[rank]) {
            (Some(why), _) => HostState::Lost(why.clone()),
            _ if silences[rank] >= MAX_STATE_AGE_NS => HostState::Silent(silences[rank] / SECOND),
            (None, Some(RankState { speed: Some(speed), machine, .. })) => {
                HostState::Running(*speed, *machine)
            }
            (None, _) => HostState::Waiting,
        };
        let row = |rank| HostSpeed { name: ranks(&[rank], &self.hosts), state: state(rank) };
        let mut hosts: Vec<HostSpeed> = (0..self.hosts.len()).map(row).collect();
        hosts.sort_by(|a, b| urgency(&a.state).total_cmp(&urgency(&b.state)));
        let Some(first) = self.latest.iter().flatten().next() else { return };
        self.listener.progress(&Progress::Running {
            phase: &first.phase,
            left_ns: first.left_ns,
            rates: add_speeds(&hosts),
            machine: MachineSpeed::default(),
            targets: &[],
            hosts: &hosts,
        });
    }
}

/// Orders hosts: missing hosts first, then slow ones.
fn urgency(state: &HostState) -> f64 {
    match state {
        HostState::Lost(_) => -3.0,
        HostState::Silent(_) => -2.0,
        HostState::Waiting => -1.0,
        HostState::Running(speed, _) => speed.iops,
    }
}

/// The sum of the running hosts. Its 99th percentile is the highest one of a host, an upper limit.
fn add_speeds(hosts: &[HostSpeed]) -> Option<Speed> {
    let speeds = || {
        hosts.iter().filter_map(|host| match &host.state {
            HostState::Running(speed, _) => Some(speed),
            _ => None,
        })
    };
    speeds().next()?;
    let iops: f64 = speeds().map(|speed| speed.iops).sum();
    let highest = |a: Millis, b: Millis| if b > a { b } else { a };
    let with_latency = || speeds().filter_map(|speed| Some((speed.iops, speed.latency?)));
    let weight: f64 = with_latency().map(|(iops, _)| iops).sum();
    let mean = with_latency().map(|(iops, (mean, _))| iops * mean.ms()).sum::<f64>() / weight;
    let p99 = with_latency().map(|(_, (_, p99))| p99).reduce(highest);
    let split = || speeds().filter_map(|speed| speed.reads_and_writes);
    Some(Speed {
        iops,
        bytes_per_s: speeds().map(|speed| speed.bytes_per_s).sum(),
        latency: p99.filter(|_| weight > 0.0).map(|p99| (Millis::new(mean), p99)),
        max: speeds().filter_map(|speed| speed.max).reduce(highest),
        reads_and_writes: split().reduce(|[r, w], [reads, writes]| [r + reads, w + writes]),
    })
}
