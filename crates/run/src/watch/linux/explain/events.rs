//! Kernel events of the devices and of the workers' threads.

use diskspd_checks::slow::{BlockEvent, BlockStep};
use diskspd_host::tracing::pages::{u16_at, u32_at, u64_at};
use diskspd_host::tracing::refusal::TracingError;
use diskspd_host::tracing::{BlockFormat, EventFormat, Tracefs};
use diskspd_sys::clock::Nanos;
use std::collections::HashMap;

/// The block layer receives an I/O.
pub(super) const QUEUED: &str = "block/block_bio_queue";
pub(super) const ISSUED: &str = "block/block_rq_issue";
pub(super) const COMPLETED: &str = "block/block_rq_complete";
/// Completion event of drivers without a request queue.
pub(super) const DONE: &str = "block/block_bio_complete";
/// A CPU switches to another task.
pub(super) const SWITCH: &str = "sched/sched_switch";
pub(super) const WOKEN: &str = "sched/sched_wakeup";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KernelEvent {
    Block(BlockEvent),
    /// A task left a CPU in this state, and another task got the CPU.
    Switch {
        from: TracedTask,
        state: u64,
        to: TracedTask,
    },
    Woken(i32),
}

/// Number and name of a task; the idle task has number 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TracedTask {
    pub number: i32,
    pub name: Option<u16>,
}

#[derive(Debug, Default)]
pub(super) struct TaskNames {
    known: HashMap<Vec<u8>, u16>,
    all: Vec<String>,
}

impl TaskNames {
    fn name_number(&mut self, name: &[u8]) -> Option<u16> {
        if let Some(number) = self.known.get(name) {
            return Some(*number);
        }
        let number = u16::try_from(self.all.len()).ok()?;
        self.known.insert(name.to_vec(), number);
        self.all.push(String::from_utf8_lossy(name).into_owned());
        Some(number)
    }

    pub(super) fn name_of_event(&self, number: u16) -> &str {
        self.all.get(usize::from(number)).map_or("", String::as_str)
    }
}

#[derive(Debug, Clone)]
pub(super) struct EventFormats {
    block: Vec<(BlockFormat, EventStep)>,
    switch: EventFormat,
    woken: EventFormat,
}

#[derive(Debug, Clone, Copy)]
enum EventStep {
    Queued,
    Issued,
    Completed,
}

impl EventFormats {
    /// Returns the formats of this kernel.
    ///
    /// # Errors
    /// Fails if it lacks a tracepoint, or reading is not permitted.
    pub(super) fn find(tracefs: &Tracefs) -> Result<EventFormats, TracingError> {
        let find = |name: &str| {
            let missing = || TracingError::NoTracepoint { names: name.into() };
            tracefs.format(name)?.ok_or_else(missing)
        };
        let block = |name: &str| {
            let missing = || TracingError::NoTracepoint { names: name.into() };
            BlockFormat::from_event(&find(name)?).ok_or_else(missing)
        };
        let steps = [
            (QUEUED, EventStep::Queued),
            (ISSUED, EventStep::Issued),
            (COMPLETED, EventStep::Completed),
            (DONE, EventStep::Completed),
        ];
        let block: Result<Vec<_>, TracingError> =
            steps.into_iter().map(|(name, step)| Ok((block(name)?, step))).collect();
        Ok(EventFormats { block: block?, switch: find(SWITCH)?, woken: find(WOKEN)? })
    }

    /// Parses a record; `None` = too short, or of another tracepoint.
    pub(super) fn read(&self, at: Nanos, fields: &[u8], names: &mut TaskNames) -> Option<KernelEvent> {
        let id = u64::from(u16_at(fields, 0)?);
        if let Some((format, step)) = self.block.iter().find(|(format, _)| format.id == id) {
            return block(at, format, *step, fields).map(KernelEvent::Block);
        }
        let switch = &self.switch;
        let number = |format: &EventFormat, field: &str| {
            Some(u32_at(fields, format.field(field)?.offset)?.cast_signed())
        };
        if id == self.woken.id {
            return number(&self.woken, "pid").map(KernelEvent::Woken);
        }
        if id != switch.id {
            return None;
        }
        let mut task = |number_field: &str, name_field: &str| {
            let number = number(switch, number_field)?;
            let place = switch.field(name_field)?;
            let name = fields.get(place.offset..)?.get(..place.size)?;
            let name = name.split(|byte| *byte == 0).next()?;
            Some(TracedTask { number, name: if number == 0 { None } else { names.name_number(name) } })
        };
        let (from, to) = (task("prev_pid", "prev_comm")?, task("next_pid", "next_comm")?);
        let state = switch.field("prev_state")?;
        let state = match state.size {
            8 => u64_at(fields, state.offset)?,
            _ => u64::from(u32_at(fields, state.offset)?),
        };
        Some(KernelEvent::Switch { from, state, to })
    }
}

fn block(at: Nanos, format: &BlockFormat, step: EventStep, fields: &[u8]) -> Option<BlockEvent> {
    /// Offset of the task in every record (`common_pid`).
    const TASK: usize = 4;
    let record = format.read(fields)?;
    let step = match step {
        EventStep::Queued => BlockStep::Queued(u32_at(fields, TASK)?.cast_signed()),
        EventStep::Issued => BlockStep::Issued,
        EventStep::Completed => BlockStep::Completed,
    };
    Some(BlockEvent {
        at,
        step,
        device: record.device,
        sector: record.sector,
        sectors: record.sectors,
        write: record.writes(),
        flush: record.flushes(),
    })
}
