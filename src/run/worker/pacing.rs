//! The limits of a worker: which request may issue its next I/O, and when.

use crate::clock::Nanos;
use crate::plan::WorkerPlan;
use crate::workload::pace::Pace;

/// One pace per target. (Floating requests can't be limited: the profile's validation sees to it.)
#[derive(Debug)]
pub struct Pacing {
    paces: Vec<Pace>,
    /// The target of each request.
    targets: Vec<u32>,
}

impl Pacing {
    /// `None` when nothing is limited. The limits count from `start`.
    pub fn new(plan: &WorkerPlan, start: Nanos) -> Option<Pacing> {
        if plan.floating || !plan.is_limited() {
            return None;
        }
        let paces = plan.targets.iter().map(|target| Pace::new(target.limit, start)).collect();
        let requests = |(index, requests)| std::iter::repeat_n(index, requests as usize);
        let targets = (0..).zip(plan.targets.iter().map(|t| t.requests)).flat_map(requests).collect();
        Some(Pacing { paces, targets })
    }

    /// Asks for the next I/O of a request; see [`Pace::ask`].
    #[inline]
    pub fn ask(&mut self, request: u32, now: Nanos) -> Result<(), Nanos> {
        self.paces[self.targets[request as usize] as usize].ask(now)
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
