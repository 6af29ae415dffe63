//! New content for every write (`-Zr`).

use super::requests::InFlight;
use crate::engine::{Direction, Engine, Io};
use crate::plan::{WorkerPlan, WriteContent};
use crate::workload::payload::Noise;

/// Where it comes from, and for which targets.
#[derive(Debug)]
pub struct Fresh {
    noise: Noise,
    targets: Vec<bool>,
}

impl Fresh {
    /// `None` when no target is written to in this way.
    pub fn new(plan: &WorkerPlan) -> Option<Fresh> {
        let fresh = |t: &crate::plan::WorkerTarget| t.open.write && t.content == WriteContent::Fresh;
        let targets: Vec<bool> = plan.targets.iter().map(fresh).collect();
        targets.contains(&true).then(|| Fresh { noise: Noise::new(plan.seed), targets })
    }

    /// Fills the slots of the writes in a batch, which is about to be handed over.
    pub fn prepare(&mut self, batch: &[Io], flights: &[InFlight], engine: &mut dyn Engine) {
        let mut memory = engine.memory_mut();
        // A copy that nothing else can refer to stays in registers.
        let mut noise = self.noise.clone();
        for io in batch.iter().filter(|io| io.direction == Direction::Write) {
            if self.targets[flights[io.request as usize].target as usize] {
                // An I/O that lies elsewhere is refused when it's handed over.
                let slot = memory.by_ref().part(io.buffer_offset, io.length as usize);
                if let Some(mut slot) = slot {
                    slot.fill_with(|| noise.next_piece());
                }
            }
        }
        self.noise = noise;
    }
}
