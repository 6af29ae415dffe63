//! The machine as stored in records: its processors, their topology, and its memory.

use super::quota::MemoryAllowance;
use super::unread_facts::UnreadFacts;
use super::{caches, environment, fingerprint, storage};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct System {
    pub computer_name: String,
    /// When the process began, or the run where it makes several, seconds since 1970-01-01 00:00 UTC; `None`
    /// = unknown, printed as nothing.
    pub start_time: Option<i64>,
    /// Name of the power scheme (the cpufreq governor), with its GUID if known.
    pub power_scheme: PowerScheme,
    pub topology: Topology,
    /// Kernel release, as in `uname -r`.
    #[serde(default)]
    pub kernel: String,
    /// Memory available without swapping in bytes (`MemAvailable`); 0 = unknown.
    #[serde(default)]
    pub memory_available: u64,
    /// Total memory in bytes (`MemTotal`); 0 = unknown.
    #[serde(default)]
    pub memory_total: u64,
    /// Remaining memory by control group limits; `None` = unlimited or unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_allowance: Option<MemoryAllowance>,
    /// CPU model, as in `/proc/cpuinfo`; empty = unknown.
    #[serde(default)]
    pub cpu_model: String,
    /// Page size in bytes; 0 = unknown, as in reports of DISKSPD 2.2.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub page_size: u64,
    /// Identifier of the machine, independent of its kernel and disks; `None` if unavailable. It
    /// distinguishes machines with the same name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Boot ID of the kernel, shared by its containers; `None` = not read (simulated runs).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
    /// Caches of the CPUs, by their first CPU; empty = unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caches: Vec<caches::Cache>,
    /// Storage of the examined targets, by ID, without duplicates. In a record it belongs to the host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<storage::Storage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<environment::Environment>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<UnreadFacts>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<fingerprint::Fingerprint>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PowerScheme {
    /// Name; `None` = unknown.
    pub name: Option<String>,
    /// Windows only.
    pub guid: Option<String>,
}

impl System {
    /// Formats a number of cores, nodes or sockets; assumed numbers print as unknown.
    pub fn processor_figure(&self, figure: impl ToString) -> String {
        match self.unreadable.iter().any(|unread| unread.processors) {
            true => "<unknown>".to_owned(),
            false => figure.to_string(),
        }
    }

    pub fn kernel_log(&self) -> &'static str {
        if self.is_windows() { "Event Viewer: System" } else { "dmesg" }
    }

    pub fn disk_identities(&self) -> Vec<Option<String>> {
        let disks = self.environment.iter().flat_map(|environment| &environment.disks);
        let disks: Vec<Option<String>> = disks.map(|disk| disk.device.identity.clone()).collect();
        if disks.iter().any(Option::is_some) { disks } else { Vec::new() }
    }

    pub fn is_windows(&self) -> bool {
        self.kernel.starts_with("Windows")
    }
}

/// Processor topology in DISKSPD's terms, with masks of CPU numbers within a group of 64.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topology {
    pub groups: Vec<Group>,
    /// NUMA nodes with at least one CPU, ascending.
    pub nodes: Vec<CpuNode>,
    /// Sockets, numbered from 0 in order of their first CPU.
    pub sockets: Vec<CpuNode>,
    /// Physical cores, by group, then first CPU.
    pub cores: Vec<Core>,
    /// Whether any core runs more than one thread (SMT). As in DISKSPD, it is separate from the masks.
    #[serde(default)]
    pub smt: bool,
    /// (group, mask) of the active CPUs that this process may not use (the affinity it was started with,
    /// cpusets included), ascending by group. They are part of the machine all the same: only affinity
    /// leaves them out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disallowed: Vec<(u16, u64)>,
}

/// Processor group; on Linux, group g holds CPUs 64 g to 64 g + 63.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    pub number: u16,
    /// Maximum number of CPUs on this machine.
    pub maximum: u32,
    /// Number of active CPUs: online, whether or not this process may use them.
    pub active: u32,
    pub mask: u64,
}

/// NUMA node or socket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuNode {
    pub number: u32,
    /// (group, mask of its active CPUs), ascending by group.
    pub masks: Vec<(u16, u64)>,
}

/// A physical core, or its CPUs in one group, if they are in several groups (Linux often numbers second
/// threads after all first ones). [`Topology::core_count`] counts such a core once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Core {
    pub group: u16,
    /// Number within the group, from 0.
    pub number: u32,
    /// Mask of its active CPUs within the group.
    pub mask: u64,
    /// 0 = the least capable class on this machine.
    pub efficiency_class: u32,
    /// Whether these are further CPUs of a core that an earlier group has an entry for already.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continued: bool,
}
