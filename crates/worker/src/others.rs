use diskspd_engine::{Done, Operation};
use diskspd_model::operation::OtherRow;
use diskspd_model::plan::WorkerPlan;
use diskspd_model::profile::OperationShares;
use diskspd_model::workload::Random;

const SEED: u64 = u64::from_be_bytes(*b"discards");

#[derive(Debug)]
pub(crate) struct OtherOperations {
    shares: Vec<OperationShares>,
    /// Recorded I/Os are done (`--replay`), which say themselves what they do.
    pub(super) recorded: bool,
    /// Of their own: addresses and directions are the same with and without them.
    random: Random,
    pub(super) ended: Vec<Done>,
}

impl OtherOperations {
    /// `None` = it only reads and writes.
    pub(crate) fn new(plan: &WorkerPlan, recorded: bool) -> Option<OtherOperations> {
        plan.times_more_than_ios().then(|| OtherOperations {
            shares: plan.targets.iter().map(|target| target.shares).collect(),
            recorded,
            random: Random::new(SEED ^ (plan.seed << 32)),
            ended: Vec::with_capacity(plan.depth as usize),
        })
    }

    /// What the next I/O on a target does instead; `None` = what it was drawn for. Where nothing is left to
    /// chance, nothing is drawn.
    #[inline]
    pub(super) fn draw(&mut self, target: u32) -> Option<Operation> {
        let shares = self.shares[target as usize];
        let (first, _, percent) = shares.iter().next()?;
        if percent >= 100 {
            return Some(first);
        }
        let drawn = self.random.next_u32() % 100;
        let mut end = 0;
        let reached = |(op, _, percent): (Operation, &OtherRow, u32)| {
            end += percent;
            (drawn < end).then_some(op)
        };
        shares.iter().find_map(reached)
    }
}
