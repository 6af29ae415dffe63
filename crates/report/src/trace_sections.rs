//! The sections of a trace with DISKSPD's names. The text report and the XML results print the same table.

use diskspd_machine::tracing::TraceEvent::{self, *};
use diskspd_results::EventCount;

pub(super) struct Section {
    pub heading: &'static str,
    /// XML element that contains the counters; `None` = they have no parent.
    pub element: Option<&'static str>,
    /// Counters with their labels and XML elements.
    pub counters: &'static [(TraceEvent, &'static str, &'static str)],
}

impl Section {
    /// Returns its counters with their counts, if the trace has all of them.
    pub(crate) fn counts<'a>(
        &self,
        all: &'a [EventCount],
    ) -> Option<Vec<(&'static str, &'static str, &'a EventCount)>> {
        let found = |(event, label, element): &(TraceEvent, &'static str, &'static str)| {
            Some((*label, *element, all.iter().find(|count| count.event == *event)?))
        };
        self.counters.iter().map(found).collect()
    }
}

/// Returns every section with its counters in `all`, in DISKSPD's order.
pub(super) fn sections(all: &[EventCount]) -> impl Iterator<Item = &'static Section> {
    let faults = all.iter().any(|count| count.event == TransitionFault);
    SECTIONS.iter().filter(move |section| !(faults && section.heading == HARD_FAULTS))
}

const HARD_FAULTS: &str = "Memory Hard Faults";

const SECTIONS: &[Section] = &[
    Section {
        heading: "Disk I/O",
        element: Some("DiskIO"),
        counters: &[(DiskRead, "Read", "Read"), (DiskWrite, "Write", "Write")],
    },
    Section {
        heading: "Memory Page Faults",
        element: Some("MemoryPageFaults"),
        counters: &[
            (CopyOnWriteFault, "Copy on Write", "CopyOnWrite"),
            (DemandZeroFault, "Demand Zero fault", "DemandZeroFault"),
            (GuardPageFault, "Guard Page fault", "GuardPageFault"),
            (HardFault, "Hard page fault", "HardPageFault"),
            (TransitionFault, "Transition fault", "TransitionFault"),
        ],
    },
    Section {
        heading: HARD_FAULTS,
        element: None,
        counters: &[(HardFault, "Hard page fault", "HardPageFault")],
    },
    Section {
        heading: "Network",
        element: Some("Network"),
        counters: &[
            (Accept, "Accept", "Accept"),
            (Connect, "Connect", "Connect"),
            (Disconnect, "Disconnect", "Disconnect"),
            (Reconnect, "Reconnect", "Reconnect"),
            (Retransmit, "Retransmit", "Retransmit"),
            (TcpSend, "TCP/IP Send", "TCPIPSend"),
            (TcpReceive, "TCP/IP Receive", "TCPIPReceive"),
            (UdpSend, "UDP/IP Send", "UDPIPSend"),
            (UdpReceive, "UDP/IP Receive", "UDPIPReceive"),
        ],
    },
    Section {
        heading: "Process",
        element: Some("Process"),
        counters: &[(ProcessStart, "Start", "Start"), (ProcessEnd, "End", "End")],
    },
    Section {
        heading: "Thread",
        element: Some("Thread"),
        counters: &[(ThreadStart, "Start", "Start"), (ThreadEnd, "End", "End")],
    },
];
