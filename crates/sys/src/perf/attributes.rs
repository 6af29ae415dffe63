//! Attributes of perf_event_open(2): `struct perf_event_attr` in its length of Linux 4.8.

use super::Event;

const TYPE_SOFTWARE: u32 = 1;
const TYPE_TRACEPOINT: u32 = 2;
const SOFTWARE_MINOR_FAULTS: u64 = 5;
const SOFTWARE_MAJOR_FAULTS: u64 = 6;
const FORMAT_GROUP: u64 = 1 << 3;
/// Bit of `flags`: the event does not count before it is started.
const DISABLED: u64 = 1;
/// Bit of `flags`: children of the thread inherit the event.
const INHERITED: u64 = 1 << 1;

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
    /// Returns a counter; a leader waits for the start, the others start with it.
    pub(super) fn counter(event: &Event, leads: bool) -> Attributes {
        let flags = if leads { DISABLED } else { 0 };
        Attributes { read_format: FORMAT_GROUP, flags, ..Attributes::new(event) }
    }

    /// Returns a counter of a thread and its descendants, which waits for the start.
    pub(super) fn for_children(event: &Event) -> Attributes {
        Attributes { flags: DISABLED | INHERITED, ..Attributes::new(event) }
    }

    fn new(event: &Event) -> Attributes {
        let (kind, config) = match event {
            Event::MinorFaults => (TYPE_SOFTWARE, SOFTWARE_MINOR_FAULTS),
            Event::MajorFaults => (TYPE_SOFTWARE, SOFTWARE_MAJOR_FAULTS),
            Event::Tracepoint(point) => (TYPE_TRACEPOINT, point.id),
        };
        Attributes { kind, size: size_of::<Attributes>() as u32, config, ..Attributes::default() }
    }
}
