//! The machine as it is stored: its processors, how they belong together, and its memory.

use super::quota::MemoryAllowance;
use super::unread_facts::UnreadFacts;
use super::{caches, environment, fingerprint, storage};
use serde::{Deserialize, Serialize};

/// The machine a run took place on, as far as reports and plans need it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct System {
    pub computer_name: String,
    /// When the process began, or the run where it makes several, seconds since 1970-01-01 00:00 UTC; `None`
    /// = unknown, printed as nothing.
    pub start_time: Option<i64>,
    /// Name of the power scheme (the cpufreq governor) and, where known, its GUID.
    pub power_scheme: PowerScheme,
    pub topology: Topology,
    /// Kernel release, as `uname -r` says.
    #[serde(default)]
    pub kernel: String,
    /// Memory that can be had without swapping, bytes (`MemAvailable`); 0 = unknown.
    #[serde(default)]
    pub memory_available: u64,
    /// All memory, bytes (`MemTotal`); 0 = unknown.
    #[serde(default)]
    pub memory_total: u64,
    /// What control groups leave of that; `None` = there is no limit, or nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_allowance: Option<MemoryAllowance>,
    /// Model of the processors, as `/proc/cpuinfo` says; empty = unknown.
    #[serde(default)]
    pub cpu_model: String,
    /// Size of a page of memory, bytes; 0 = nobody looked: reports of DISKSPD 2.2 don't have it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub page_size: u64,
    /// A number that stands for the machine and stays when its kernel or its disks change; `None` = it has
    /// none. It tells machines of the same name apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// What tells the running kernel from all others: its boot id, which containers on it share. `None` =
    /// nobody looked (simulated runs).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
    /// Caches of the processors, by their first CPU; empty = nobody looked, or the kernel doesn't tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caches: Vec<caches::Cache>,
    /// What the targets that were looked at lie on, each once, by their ids. In a record they are the host's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<storage::Storage>,
    /// What else there is about the machine that figures depend on; `None` = nobody looked (simulated runs).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<environment::Environment>,
    /// Facts that could not be read.
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
    /// `None` = unknown.
    pub name: Option<String>,
    /// Windows only.
    pub guid: Option<String>,
}

impl System {
    /// A figure about cores, nodes and sockets as reports print it: assumed ones are unknown.
    pub fn processor_figure(&self, figure: impl ToString) -> String {
        match self.unreadable.iter().any(|unread| unread.processors) {
            true => "<unknown>".to_owned(),
            false => figure.to_string(),
        }
    }

    pub fn kernel_log(&self) -> &'static str {
        if self.is_windows() { "Event Viewer: System" } else { "dmesg" }
    }

    /// What tells each disk beneath the targets from any other; empty = of none is it known.
    pub fn disk_identities(&self) -> Vec<Option<String>> {
        let disks = self.environment.iter().flat_map(|environment| &environment.disks);
        let disks: Vec<Option<String>> = disks.map(|disk| disk.device.identity.clone()).collect();
        if disks.iter().any(Option::is_some) { disks } else { Vec::new() }
    }

    pub fn is_windows(&self) -> bool {
        self.kernel.starts_with("Windows")
    }
}

/// Processor topology in DISKSPD's terms: masks are of CPU numbers within a group of 64.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topology {
    pub groups: Vec<Group>,
    /// NUMA nodes with at least one CPU, ascending.
    pub nodes: Vec<Place>,
    /// Sockets, numbered 0, 1, .. in order of their first CPU.
    pub sockets: Vec<Place>,
    /// Physical cores, by group, then first CPU.
    pub cores: Vec<Core>,
    /// Whether any core runs more than one thread (SMT). A fact of its own, as in DISKSPD: it isn't derived
    /// from masks.
    #[serde(default)]
    pub smt: bool,
    /// (group, mask) of the active CPUs that this process may not use (the affinity it was started with,
    /// cpusets included), ascending by group. They are part of the machine all the same: only affinity
    /// leaves them out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disallowed: Vec<(u16, u64)>,
}

/// A processor group: on Linux group g holds CPUs 64 g to 64 g + 63.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    pub number: u16,
    /// CPUs it could hold on this machine.
    pub maximum: u32,
    /// CPUs that are active: online, whether this process may use them or not.
    pub active: u32,
    /// Mask of the active CPUs.
    pub mask: u64,
}

/// A NUMA node or a socket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub number: u32,
    /// (group, mask of its active CPUs), ascending by group.
    pub masks: Vec<(u16, u64)>,
}

/// A physical core; or those of its CPUs that are in one group, when its CPUs are in several (the kernel
/// likes to number the second threads of all cores after the first ones). [`Topology::core_count`] counts
/// such a core once.
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
