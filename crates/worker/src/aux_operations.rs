use diskspd_base::operation::AuxRow;
use diskspd_engine::{CompletedIo, Operation};
use diskspd_plan::WorkerPlan;
use diskspd_plan::workload::Random;
use diskspd_profile::OperationShares;

const SEED: u64 = u64::from_be_bytes(*b"discards");

#[derive(Debug)]
pub(crate) struct AuxOperations {
    shares: Vec<OperationShares>,
    /// Whether recorded I/Os define the operations (`--replay`).
    pub(super) recorded: bool,
    /// Separate random generator, so that addresses and directions do not depend on these operations.
    random: Random,
    pub(super) ended: Vec<CompletedIo>,
}

impl AuxOperations {
    /// Returns `None` if the worker only reads and writes.
    pub(crate) fn new(plan: &WorkerPlan, recorded: bool) -> Option<AuxOperations> {
        plan.times_more_than_ios().then(|| AuxOperations {
            shares: plan.targets.iter().map(|target| target.shares).collect(),
            recorded,
            random: Random::new(SEED ^ (plan.seed << 32)),
            ended: Vec::with_capacity(plan.depth as usize),
        })
    }

    /// Returns the replacement operation for the next I/O on a target; `None` = unchanged. Deterministic
    /// choices do not draw a number.
    #[inline]
    pub(super) fn draw(&mut self, target: u32, op: Operation) -> Option<Operation> {
        self.draw_replacement(target).or_else(|| self.draw_durable(target, op))
    }

    #[inline]
    fn draw_durable(&mut self, target: u32, op: Operation) -> Option<Operation> {
        let percent = self.shares[target as usize].percent(Operation::DurableWrite);
        let durable = op == Operation::Write
            && percent > 0
            && (percent >= 100 || self.random.next_u32() % 100 < percent);
        durable.then_some(Operation::DurableWrite)
    }

    #[inline]
    fn draw_replacement(&mut self, target: u32) -> Option<Operation> {
        let shares = self.shares[target as usize];
        let (first, _, percent) = shares.replacements().next()?;
        if percent >= 100 {
            return Some(first);
        }
        let drawn = self.random.next_u32() % 100;
        let mut end = 0;
        let reached = |(op, _, percent): (Operation, &AuxRow, u32)| {
            end += percent;
            (drawn < end).then_some(op)
        };
        shares.replacements().find_map(reached)
    }
}
