//! The limits of a worker: the next request to issue, and its time.

use diskspd_base::operation::Operation;
use diskspd_plan::workload::pace::{Limit, Pace};
use diskspd_plan::{WorkerPlan, WorkerTarget};
use diskspd_sys::clock::Nanos;
use diskspd_trace::formats::RecordedIo;
use diskspd_trace::replay::ReplayTurns;

/// Rates by target. Validation excludes limits for floating requests.
#[derive(Debug)]
pub(crate) struct Pacing {
    paces: Vec<Pace>,
    targets: Vec<u32>,
    /// Scheduled start time of each request's I/O; [`Pacing::UNSCHEDULED`] = as soon as possible.
    due: Vec<Nanos>,
    /// Maximum measured time in ns.
    longest: Nanos,
    closed: bool,
    /// Recorded I/Os with their times, instead of rates.
    replay: Option<ReplayTurns>,
    /// Origin of all times in ns.
    start: Nanos,
}

impl Pacing {
    /// Marker for an I/O without a start time.
    pub(crate) const UNSCHEDULED: Nanos = Nanos::MAX;

    /// Creates the limits; `None` if there are no limits. They count from `start`; measuring takes
    /// `longest` ns at most.
    pub(crate) fn new(
        plan: &WorkerPlan,
        replay: Option<ReplayTurns>,
        start: Nanos,
        longest: Nanos,
    ) -> Option<Pacing> {
        if plan.floating || (!plan.is_limited() && replay.is_none()) {
            return None;
        }
        // Further portions of a target go at the pace of the first one.
        let limit =
            |target: &WorkerTarget| if target.is_further_portion() { Limit::None } else { target.limit };
        let paces = plan.targets.iter().map(|target| Pace::new(limit(target), start)).collect();
        let requests = |(index, requests)| std::iter::repeat_n(index, requests as usize);
        let targets: Vec<u32> =
            (0..).zip(plan.targets.iter().map(|t| t.requests)).flat_map(requests).collect();
        let due = vec![Self::UNSCHEDULED; targets.len()];
        Some(Pacing { paces, targets, due, longest, closed: false, replay, start })
    }

    /// Requests the next I/O of a request; see [`Pace::ask`].
    #[inline]
    pub(crate) fn ask(&mut self, request: u32, now: Nanos) -> Result<(), Nanos> {
        let pace = &mut self.paces[self.targets[request as usize] as usize];
        let due = pace.due().unwrap_or(Self::UNSCHEDULED);
        pace.ask(now)?;
        self.due[request as usize] = due;
        Ok(())
    }

    pub(crate) fn replays(&self) -> bool {
        self.replay.is_some()
    }

    /// Returns the next recorded I/O for a request and its operation, if it may start.
    ///
    /// # Errors
    /// Fails with the time for a retry; [`Nanos::MAX`] = no I/O is left.
    pub(crate) fn recorded(&mut self, request: u32, now: Nanos) -> Result<(RecordedIo, Operation), Nanos> {
        let turns = self.replay.as_mut().ok_or(Nanos::MAX)?;
        let (io, due) = turns.peek().ok_or(Nanos::MAX)?;
        let due = due.map_or(Self::UNSCHEDULED, |due| self.start.saturating_add(due));
        if due != Self::UNSCHEDULED && now < due {
            return Err(due);
        }
        let op = turns.operation();
        turns.advance();
        self.due[request as usize] = due;
        Ok((io, op))
    }

    /// Returns the planned start time of a request's I/O in flight; `None` = as soon as possible.
    #[inline]
    pub(crate) fn due(&self, request: u32) -> Option<Nanos> {
        let due = self.due[request as usize];
        (due != Self::UNSCHEDULED).then_some(due)
    }

    /// Ends measuring, which began at `begin`, at `now`. Returns for each target the number of due I/Os that
    /// had not been submitted, and the delay of the first one (ns). Empty from the second call on.
    pub(crate) fn close(&mut self, begin: Nanos, now: Nanos) -> impl Iterator<Item = (usize, u64, Nanos)> {
        let end = now.min(begin.saturating_add(self.longest));
        let closed = std::mem::replace(&mut self.closed, true);
        let paces = if closed || self.replay.is_some() { &[][..] } else { &self.paces[..] };
        let replay = self.replay.as_ref().filter(|_| !closed);
        let elapsed = end.saturating_sub(self.start);
        let recorded = replay.and_then(|turns| turns.overdue(elapsed));
        let recorded = recorded.map(|(ios, first)| (0, ios, elapsed - first));
        let overdue =
            move |(target, pace): (usize, &Pace)| pace.overdue(end).map(|(ios, nanos)| (target, ios, nanos));
        paces.iter().enumerate().filter_map(overdue).chain(recorded)
    }

    /// Whether a pause begins after the submission of all I/Os.
    pub(crate) fn burst_ended(&self) -> bool {
        self.paces.iter().any(Pace::burst_ended)
    }

    pub(crate) fn submitted(&mut self, now: Nanos) {
        self.paces.iter_mut().for_each(|pace| pace.submitted(now));
    }
}
