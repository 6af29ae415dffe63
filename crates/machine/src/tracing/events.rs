//! The table of events: the Linux counterpart of each DISKSPD counter.

use serde::{Deserialize, Serialize};

/// Class of events of `-e`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TraceClass {
    DiskIo,
    PageFaults,
    /// `MEMORY_HARD_FAULTS`; not together with `MEMORY_PAGE_FAULTS`, which includes them.
    HardFaults,
    Network,
    Process,
    Thread,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceEvent {
    DiskRead,
    DiskWrite,
    /// Copies of shared pages for a writer.
    CopyOnWriteFault,
    DemandZeroFault,
    GuardPageFault,
    /// Page faults that waited for I/O.
    HardFault,
    /// Page faults resolved in memory.
    TransitionFault,
    Accept,
    Connect,
    Disconnect,
    Reconnect,
    /// Retransmitted TCP segments.
    Retransmit,
    /// Sent TCP segments without retransmissions.
    TcpSend,
    TcpReceive,
    UdpSend,
    UdpReceive,
    ProcessStart,
    ProcessEnd,
    /// Started threads, including the first one of each process.
    ThreadStart,
    ThreadEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Tracepoint {
        name: &'static str,
        /// Filter on the event's fields; empty = all.
        filter: &'static str,
    },
    MajorFaults,
    MinorFaults,
    /// Sum of counters in `/proc/net/snmp` and `/proc/net/snmp6`, each a protocol and a name.
    Network(&'static [(&'static str, &'static str)]),
    Nowhere(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventRow {
    pub event: TraceEvent,
    pub class: TraceClass,
    pub source: Source,
}

const fn event_row(class: TraceClass, event: TraceEvent, source: Source) -> EventRow {
    EventRow { event, class, source }
}

const fn tracepoint_source(name: &'static str, filter: &'static str) -> Source {
    Source::Tracepoint { name, filter }
}

/// All kinds of events in the report's order. Numbers in the conditions: TCP states of net/tcp_states.h (1
/// established, 2 SYN sent, 3 SYN received, 7 closed, 10 listening, 12 a new SYN received), protocol 6 is
/// TCP, 65536 is `CLONE_THREAD`.
pub const EVENTS: &[EventRow] = &[
    // `R` and `W` stand for nothing else in these flags. A flush that somebody asks for is a write without
    // sectors there.
    event_row(
        TraceClass::DiskIo,
        TraceEvent::DiskRead,
        tracepoint_source("block/block_rq_complete", "rwbs ~ \"*R*\" && nr_sector > 0"),
    ),
    event_row(
        TraceClass::DiskIo,
        TraceEvent::DiskWrite,
        tracepoint_source("block/block_rq_complete", "rwbs ~ \"*W*\" && nr_sector > 0"),
    ),
    event_row(TraceClass::PageFaults, TraceEvent::CopyOnWriteFault, Source::Nowhere(MINOR_FAULTS_NOTE)),
    event_row(TraceClass::PageFaults, TraceEvent::DemandZeroFault, Source::Nowhere(MINOR_FAULTS_NOTE)),
    event_row(
        TraceClass::PageFaults,
        TraceEvent::GuardPageFault,
        Source::Nowhere("stacks have no guard pages that are counted"),
    ),
    event_row(TraceClass::PageFaults, TraceEvent::HardFault, Source::MajorFaults),
    event_row(TraceClass::PageFaults, TraceEvent::TransitionFault, Source::MinorFaults),
    event_row(TraceClass::HardFaults, TraceEvent::HardFault, Source::MajorFaults),
    event_row(
        TraceClass::Network,
        TraceEvent::Accept,
        tracepoint_source("sock/inet_sock_set_state", "protocol == 6 && oldstate == 3 && newstate == 1"),
    ),
    event_row(
        TraceClass::Network,
        TraceEvent::Connect,
        tracepoint_source("sock/inet_sock_set_state", "protocol == 6 && oldstate == 2 && newstate == 1"),
    ),
    event_row(
        TraceClass::Network,
        TraceEvent::Disconnect,
        tracepoint_source(
            "sock/inet_sock_set_state",
            "protocol == 6 && newstate == 7 && oldstate != 2 && oldstate != 3 && oldstate != 7 && oldstate \
             != 10 && oldstate != 12",
        ),
    ),
    event_row(
        TraceClass::Network,
        TraceEvent::Reconnect,
        Source::Nowhere("a second attempt to connect is a separate connection"),
    ),
    event_row(TraceClass::Network, TraceEvent::Retransmit, Source::Network(&[("Tcp", "RetransSegs")])),
    event_row(TraceClass::Network, TraceEvent::TcpSend, Source::Network(&[("Tcp", "OutSegs")])),
    event_row(TraceClass::Network, TraceEvent::TcpReceive, Source::Network(&[("Tcp", "InSegs")])),
    event_row(
        TraceClass::Network,
        TraceEvent::UdpSend,
        Source::Network(&[("Udp", "OutDatagrams"), ("Udp6", "OutDatagrams")]),
    ),
    event_row(
        TraceClass::Network,
        TraceEvent::UdpReceive,
        Source::Network(&[("Udp", "InDatagrams"), ("Udp6", "InDatagrams")]),
    ),
    event_row(
        TraceClass::Process,
        TraceEvent::ProcessStart,
        tracepoint_source("task/task_newtask", "!(clone_flags & 65536)"),
    ),
    // With the last one of its threads; older kernels don't have the field.
    event_row(
        TraceClass::Process,
        TraceEvent::ProcessEnd,
        tracepoint_source("sched/sched_process_exit", "group_dead == 1"),
    ),
    event_row(TraceClass::Thread, TraceEvent::ThreadStart, tracepoint_source("task/task_newtask", "")),
    event_row(TraceClass::Thread, TraceEvent::ThreadEnd, tracepoint_source("sched/sched_process_exit", "")),
];

const MINOR_FAULTS_NOTE: &str = "Linux counts these among the faults that are solved in memory";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_has_one_row_in_a_class() {
        for (index, row) in EVENTS.iter().enumerate() {
            let same = |other: &&EventRow| (other.class, other.event) == (row.class, row.event);
            assert_eq!(EVENTS.iter().position(|other| same(&other)), Some(index), "{row:?}");
        }
        assert!(EVENTS.is_sorted_by_key(|row| row.class), "a class stands together");
    }
}
