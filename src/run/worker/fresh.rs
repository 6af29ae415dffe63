//! New content for every write (`-Zr`).

use super::requests::{InFlight, Requests};
use crate::engine::{Direction, Engine, Io};
use crate::plan::{WorkerPlan, WorkerTarget, WriteContent};
use crate::sys::memory::SlotMut;
use crate::workload::{FillParts, Random, ThreadWorkload};

/// For which targets it is made, and how.
///
/// The content is DISKSPD's, which comes from the thread's own generator: between the draws of a write and
/// those of the next I/O, so that it decides addresses too.
#[derive(Debug)]
pub struct Fresh {
    /// By target: what DISKSPD's address of a write is ahead of ours, bytes mod 8; `None` = others write
    /// there.
    ahead: Vec<Option<usize>>,
    making: Making,
}

/// What is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Making {
    /// The content.
    Content,
    /// Nothing, because nobody looks at it; what it would draw is drawn.
    Draws,
    /// Nothing at all: nor does anything depend on the draws.
    Nothing,
}

impl Fresh {
    /// `None` when no target is written to in this way.
    pub fn new(plan: &WorkerPlan, workload: &ThreadWorkload) -> Option<Fresh> {
        let ahead: Vec<Option<usize>> = plan.targets.iter().map(ahead).collect();
        let making = match (plan.engine.row().virtual_time, workload.draws()) {
            (false, _) => Making::Content,
            (true, true) => Making::Draws,
            (true, false) => Making::Nothing,
        };
        ahead.iter().any(Option::is_some).then_some(Fresh { ahead, making })
    }

    /// Draws the next I/Os of several requests, in order, with the content of each write, and adds them to
    /// a batch.
    pub fn next_batch(
        &self,
        requests: &mut Requests,
        workload: &mut ThreadWorkload,
        engine: &mut dyn Engine,
        idle: &[u32],
        batch: &mut Vec<Io>,
    ) {
        let mut memory = engine.memory_mut();
        for &request in idle {
            let io = requests.next(workload, request);
            self.make(&requests.flights[request as usize], workload.generator(), memory.by_ref());
            batch.push(io);
        }
    }

    /// Makes the content of an I/O that was drawn, if it is such a write.
    pub fn make(&self, flight: &InFlight, random: &mut Random, memory: SlotMut) {
        let InFlight { io, target, .. } = flight;
        let Some(ahead) = self.ahead[*target as usize].filter(|_| io.direction == Direction::Write) else {
            return;
        };
        let parts = FillParts::of(io.buffer_offset.wrapping_add(ahead), io.length as usize);
        match self.making {
            Making::Content => fill(parts, random, memory, io),
            Making::Draws => random.skip(parts),
            Making::Nothing => {}
        }
    }
}

/// In DISKSPD's allocation, which begins on a page, the slots of reads come first, as many as those of
/// writes.
fn ahead(target: &WorkerTarget) -> Option<usize> {
    let slots = u64::from(target.workload.block_size) * u64::from(target.requests);
    let ahead = (slots % 8 + 8 - target.write_buffer % 8) % 8;
    (target.open.write && target.content == WriteContent::Fresh).then_some(ahead as usize)
}

fn fill(parts: FillParts, random: &mut Random, memory: SlotMut, io: &Io) {
    // An I/O that lies elsewhere is refused when it's handed over.
    let Some(mut slot) = memory.part(io.buffer_offset, io.length as usize) else { return };
    // A copy that nothing else can refer to stays in registers.
    let mut drawn = random.clone();
    let FillParts { head, chunks, tail } = parts;
    slot.fill_part(0, head, || drawn.next_word());
    slot.fill_part(head, chunks, || drawn.next_chunk());
    slot.fill_part(head + chunks, tail, || drawn.next_word());
    *random = drawn;
}
