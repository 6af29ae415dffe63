//! New content for every write (`-Zr`, `--compress`, `--dedupe`).

use super::requests::{InFlight, Requests};
use diskspd_base::operation::Operation;
use diskspd_engine::{Engine, Io};
use diskspd_plan::workload::{FillParts, Random, ReducibleContent, ThreadWorkload, Unit};
use diskspd_plan::{WorkerPlan, WorkerTarget, WriteContent};
use diskspd_profile::ContentShape;
use diskspd_sys::memory::SlotMut;

#[derive(Debug)]
pub(crate) struct WriteDataGenerator {
    kinds: Vec<Option<DataSource>>,
    making: PayloadKind,
}

/// Source of the content of a target's writes.
#[derive(Debug)]
enum DataSource {
    /// `-Zr`. The content equals DISKSPD's. It comes from the thread's own generator between the draws of
    /// a write and the next I/O, so it also affects addresses.
    Drawn {
        /// Address offset of DISKSPD's write buffer relative to this one, in bytes modulo 8.
        ahead: usize,
    },
    /// `--compress`, `--dedupe`.
    Reducible(ReducibleContent),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PayloadKind {
    Content,
    /// Content that is never read, replaced by its random draws only.
    Draws,
    Nothing,
}

impl WriteDataGenerator {
    /// Returns `None` if no target needs new data for its writes.
    pub(crate) fn new(plan: &WorkerPlan, workload: &ThreadWorkload) -> Option<WriteDataGenerator> {
        let kinds: Vec<Option<DataSource>> =
            plan.targets.iter().enumerate().map(|(entry, target)| kind(plan, entry, target)).collect();
        let making = match (plan.engine.row().virtual_time, workload.draws()) {
            (false, _) => PayloadKind::Content,
            (true, true) => PayloadKind::Draws,
            (true, false) => PayloadKind::Nothing,
        };
        kinds.iter().any(Option::is_some).then_some(WriteDataGenerator { kinds, making })
    }

    /// Draws the next I/Os of several requests, in order, with the content of each write, and adds them to
    /// a batch.
    pub(crate) fn next_batch(
        &mut self,
        requests: &mut Requests,
        workload: &mut ThreadWorkload,
        engine: &mut dyn Engine,
        idle: &[u32],
        batch: &mut Vec<Io>,
    ) {
        let mut memory = engine.memory_mut();
        for &request in idle {
            let io = requests.next_outlined(workload, request);
            self.make(&requests.flights[request as usize], workload.generator(), memory.by_ref());
            batch.push(io);
        }
    }

    /// Generates the content of a drawn I/O, if it is such a write.
    pub(crate) fn make(&mut self, flight: &InFlight, random: &mut Random, memory: SlotMut) {
        let InFlight { io, target, .. } = flight;
        let kind = self.kinds[*target as usize].as_mut().filter(|_| io.op == Operation::Write);
        match (kind, self.making) {
            (Some(DataSource::Drawn { ahead }), making) => {
                let parts =
                    FillParts::split_buffer(io.buffer_offset.wrapping_add(*ahead), io.length as usize);
                match making {
                    PayloadKind::Content => fill_memory(parts, random, memory, io),
                    PayloadKind::Draws => random.skip(parts),
                    PayloadKind::Nothing => {}
                }
            }
            (Some(DataSource::Reducible(content)), PayloadKind::Content) => {
                fill_reducible(content, memory, io)
            }
            _ => {}
        }
    }
}

fn kind(plan: &WorkerPlan, entry: usize, target: &WorkerTarget) -> Option<DataSource> {
    match target.content {
        _ if !target.open.write => None,
        WriteContent::Fresh => Some(DataSource::Drawn { ahead: write_slot_offset(target) }),
        WriteContent::Reducible(shape) => Some(DataSource::Reducible(ReducibleContent::new(
            shape,
            plan.seed,
            target.target + (entry << 32),
        ))),
        _ => None,
    }
}

/// Returns DISKSPD's address offset: the slots of reads precede the same number of write slots in its
/// page-aligned allocation.
fn write_slot_offset(target: &WorkerTarget) -> usize {
    let slots = u64::from(target.slot) * u64::from(target.requests);
    ((slots % 8 + 8 - target.write_buffer % 8) % 8) as usize
}

fn fill_memory(parts: FillParts, random: &mut Random, memory: SlotMut, io: &Io) {
    // An I/O that lies elsewhere is refused when it's submitted.
    let Some(mut slot) = memory.part(io.buffer_offset, io.length as usize) else { return };
    // A copy that nothing else can refer to stays in registers.
    let mut drawn = random.clone();
    let FillParts { head, chunks, tail } = parts;
    slot.fill_part(0, head, || drawn.next_word());
    slot.fill_part(head, chunks, || drawn.next_chunk());
    slot.fill_part(head + chunks, tail, || drawn.next_word());
    *random = drawn;
}

fn fill_reducible(content: &mut ReducibleContent, memory: SlotMut, io: &Io) {
    let length = io.length as usize;
    let Some(mut slot) = memory.part(io.buffer_offset, length) else { return };
    for start in (0..length).step_by(ContentShape::UNIT) {
        let bytes = ContentShape::UNIT.min(length - start);
        let Unit { mut random, random_bytes } = content.unit(bytes);
        slot.fill_part(start, random_bytes, || random.next_chunk());
        slot.fill_part(start + random_bytes, bytes - random_bytes, || [0; Random::CHUNK]);
    }
}
