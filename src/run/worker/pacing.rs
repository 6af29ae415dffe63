//! The limits of a worker: which request may issue its next I/O, and when.

use crate::clock::Nanos;
use crate::plan::{WorkerPlan, WorkerTarget};
use crate::workload::pace::{Limit, Pace};

/// One pace per target. (Floating requests can't be limited: the profile's validation sees to it.)
#[derive(Debug)]
pub struct Pacing {
    paces: Vec<Pace>,
    /// The target of each request.
    targets: Vec<u32>,
    /// When the I/O that each request has in flight was to start; [`Pacing::ANY_TIME`] = whenever it could.
    due: Vec<Nanos>,
    /// The measured time lasts no longer than this, ns.
    longest: Nanos,
    /// What was due when measuring ended has been looked up.
    closed: bool,
}

impl Pacing {
    /// Instead of a time: the I/O had none to start at.
    pub const ANY_TIME: Nanos = Nanos::MAX;

    /// `None` when nothing is limited. The limits count from `start`; measuring takes `longest` ns at most.
    pub fn new(plan: &WorkerPlan, start: Nanos, longest: Nanos) -> Option<Pacing> {
        if plan.floating || !plan.is_limited() {
            return None;
        }
        // Further portions of a target go at the pace of the first one.
        let limit =
            |target: &WorkerTarget| if target.is_further_portion() { Limit::None } else { target.limit };
        let paces = plan.targets.iter().map(|target| Pace::new(limit(target), start)).collect();
        let requests = |(index, requests)| std::iter::repeat_n(index, requests as usize);
        let targets: Vec<u32> =
            (0..).zip(plan.targets.iter().map(|t| t.requests)).flat_map(requests).collect();
        let due = vec![Self::ANY_TIME; targets.len()];
        Some(Pacing { paces, targets, due, longest, closed: false })
    }

    /// Asks for the next I/O of a request; see [`Pace::ask`].
    #[inline]
    pub fn ask(&mut self, request: u32, now: Nanos) -> Result<(), Nanos> {
        let pace = &mut self.paces[self.targets[request as usize] as usize];
        let due = pace.due().unwrap_or(Self::ANY_TIME);
        pace.ask(now)?;
        self.due[request as usize] = due;
        Ok(())
    }

    /// When the I/O that a request has in flight was to start; `None` = whenever it could.
    #[inline]
    pub fn due(&self, request: u32) -> Option<Nanos> {
        let due = self.due[request as usize];
        (due != Self::ANY_TIME).then_some(due)
    }

    /// Measuring, which began at `begin`, is over at `now`: for each target how many I/Os were due and
    /// hadn't been handed over, and for how long the first one (ns). Empty from the second call on.
    pub fn close(&mut self, begin: Nanos, now: Nanos) -> impl Iterator<Item = (usize, u64, Nanos)> {
        let end = now.min(begin.saturating_add(self.longest));
        let paces = if std::mem::replace(&mut self.closed, true) { &[][..] } else { &self.paces[..] };
        let overdue =
            move |(target, pace): (usize, &Pace)| pace.overdue(end).map(|(ios, nanos)| (target, ios, nanos));
        paces.iter().enumerate().filter_map(overdue)
    }

    /// Whether a pause begins as soon as everything has been handed over.
    pub fn burst_ended(&self) -> bool {
        self.paces.iter().any(Pace::burst_ended)
    }

    /// Everything asked for has been handed over.
    pub fn handed_over(&mut self, now: Nanos) {
        self.paces.iter_mut().for_each(|pace| pace.handed_over(now));
    }
}
