use diskspd_plan::WorkerPlan;

/// Schedule of flushes after writes, with the requests that must flush.
#[derive(Debug)]
pub(crate) struct Flushes {
    every: u32,
    /// Remaining writes before the next flush, by target.
    left: Vec<u32>,
    /// Target of each entry of the worker's list; entries of the same target share a count.
    leaders: Vec<usize>,
    /// Requests that must flush their target before their next I/O.
    pub(super) owed: Vec<u32>,
}

impl Flushes {
    /// Returns `None` without flushes.
    pub(crate) fn new(plan: &WorkerPlan) -> Option<Flushes> {
        let every = plan.flush_every?;
        Some(Flushes {
            every,
            left: vec![every; plan.targets.len()],
            leaders: plan.leaders(),
            owed: Vec::with_capacity(plan.depth as usize),
        })
    }

    /// Counts a write on a target; returns whether a flush follows.
    #[inline]
    pub(super) fn follows(&mut self, target: u32) -> bool {
        let left = &mut self.left[self.leaders[target as usize]];
        *left -= 1;
        if *left > 0 {
            return false;
        }
        *left = self.every;
        true
    }
}
