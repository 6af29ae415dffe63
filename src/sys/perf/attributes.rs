//! What perf_event_open(2) is told: `struct perf_event_attr`, as long as Linux 4.8 knew it.

use super::{Event, StampClock, Tracepoint};
use std::ops::BitOr;

const TYPE_SOFTWARE: u32 = 1;
const TYPE_TRACEPOINT: u32 = 2;
const SOFTWARE_MINOR_FAULTS: u64 = 5;
const SOFTWARE_MAJOR_FAULTS: u64 = 6;
const SAMPLE_TIME: u64 = 1 << 2;
const SAMPLE_RAW: u64 = 1 << 10;
const FORMAT_GROUP: u64 = 1 << 3;

/// The bit field behind `read_format`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flags(pub(super) u64);

impl Flags {
    pub(super) const DISABLED: Flags = Flags(1);
    /// `wakeup` counts bytes, not events.
    pub(super) const WATERMARK: Flags = Flags(1 << 14);
    pub(super) const CLOCK: Flags = Flags(1 << 25);
}

impl BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

/// `struct perf_event_attr` of linux/perf_event.h (`PERF_ATTR_SIZE_VER5`).
#[repr(C)]
#[derive(Debug, Clone, Default)]
pub(super) struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup: u32,
    breakpoint_type: u32,
    config1: u64,
    config2: u64,
    branch_sample_type: u64,
    sample_regs_user: u64,
    sample_stack_user: u32,
    clock: i32,
    sample_regs_intr: u64,
    aux_watermark: u32,
    sample_max_stack: u16,
    reserved: u16,
}

impl Attributes {
    /// A counter; one that leads a group waits to be started, the others go with it.
    pub(super) fn counter(event: &Event, leads: bool) -> Attributes {
        let (kind, config) = match event {
            Event::MinorFaults => (TYPE_SOFTWARE, SOFTWARE_MINOR_FAULTS),
            Event::MajorFaults => (TYPE_SOFTWARE, SOFTWARE_MAJOR_FAULTS),
            Event::Tracepoint(point) => (TYPE_TRACEPOINT, point.id),
        };
        let flags = if leads { Flags::DISABLED } else { Flags::default() };
        Attributes { read_format: FORMAT_GROUP, flags: flags.0, ..Attributes::new(kind, config) }
    }

    /// A recorder of every event with its time and its fields, whose reader is woken by so many bytes.
    pub(super) fn recorder(point: &Tracepoint, clock: StampClock, watermark: u32) -> Attributes {
        Attributes {
            sample_period: 1,
            sample_type: SAMPLE_TIME | SAMPLE_RAW,
            flags: (Flags::DISABLED | Flags::WATERMARK | Flags::CLOCK).0,
            wakeup: watermark,
            clock: clock.id(),
            ..Attributes::new(TYPE_TRACEPOINT, point.id)
        }
    }

    fn new(kind: u32, config: u64) -> Attributes {
        Attributes { kind, size: size_of::<Attributes>() as u32, config, ..Attributes::default() }
    }
}
