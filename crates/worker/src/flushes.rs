use diskspd_plan::WorkerPlan;

/// Schedule of flushes after writes, and the requests that flush.
#[derive(Debug)]
pub(crate) struct Flushes {
    every: u32,
    /// Writes until the next flush, by target.
    left: Vec<u32>,
    /// Target of each entry of the worker's list, whose writes are counted together.
    leaders: Vec<usize>,
    /// Requests that have to flush their target before their next I/O.
    pub(super) owed: Vec<u32>,
}

impl Flushes {
    /// `None` = no flushes.
    pub(crate) fn new(plan: &WorkerPlan) -> Option<Flushes> {
        let every = plan.flush_every?;
        Some(Flushes {
            every,
            left: vec![every; plan.targets.len()],
            leaders: plan.leaders(),
            owed: Vec::with_capacity(plan.depth as usize),
        })
    }

    /// Counts a write on a target; true = a flush follows it.
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
