//! Resource use of a time span on this machine, and possible delays.

use diskspd_base::engines::EngineKind;
use diskspd_machine::io_limit::{IoControl, IoCost, IoLimit};
use diskspd_machine::quota::{CpuQuota, MemoryLimit};
use diskspd_machine::tasks::OtherTasks;
use diskspd_machine::threads::ThreadTimes;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ResourceUsage {
    pub workers: Vec<WorkerUsage>,
    /// CPU time of the process in ns, including kernel threads that work for it.
    pub process: u64,
    pub tool: Option<ToolCost>,
    /// CPU quotas of the process's control groups, with their counts in the window.
    #[serde(default)]
    pub quotas: Vec<CpuQuota>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<MemoryLimit>,
    /// I/O limits at the start of the measurement.
    #[serde(default)]
    pub io_limits: Vec<IoLimit>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limit_changes: Vec<LimitChange>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub io_controls: Vec<IoControl>,
    /// Effects of cost-based shares on the process's group during the window, by device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub io_costs: Vec<IoCost>,
    /// Other users of the CPUs; missing = not observed, or too many to examine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_processes: Option<OtherTasks>,
}

/// Change of limits of control groups during the measurement.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LimitChange {
    /// Time of the last check with the old limits, in µs since the start of the measurement.
    pub after_us: u64,
    pub observed_us: u64,
    /// Whether the process moved to another group.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub group_changed: bool,
    /// I/O limits after the change.
    pub io_limits: Vec<IoLimit>,
    /// CPU limits of each group with a quota after the change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<CpuLimit>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuLimit {
    pub group: String,
    pub cpus: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerUsage {
    pub engine: EngineKind,
    pub depth: u32,
    /// Kernel number of the bound CPU; `None` = unbound, or a record from an older program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<u32>,
    /// External change of the affinity; missing = none, or a record from an older program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affinity_change: Option<AffinityChange>,
    pub times: Option<ThreadTimes>,
}

/// A thread that was found to be allowed other CPUs than it began with: the first time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AffinityChange {
    /// Time of the last check with the old affinity, in µs since the start of the measurement.
    pub after_us: u64,
    pub observed_us: u64,
    pub cpus: Vec<u32>,
}

impl ResourceUsage {
    /// Maximum I/Os in flight of all workers together.
    pub fn reachable_depth(&self) -> u64 {
        self.workers.iter().map(|worker| u64::from(worker.reachable_depth())).sum()
    }
}

impl WorkerUsage {
    /// Returns the permanently bound CPU; `None` without one.
    pub fn bound_to(&self) -> Option<u32> {
        self.cpu.filter(|_| self.affinity_change.is_none())
    }

    /// Returns the known share of a window of `window_us` us in which both threads were bound to the same
    /// CPU.
    pub fn combined_usage(&self, other: &WorkerUsage, window_us: u64) -> f64 {
        let both = |(cpu, from, to): (u32, u64, u64)| {
            let there =
                other.bound_times(window_us).into_iter().flatten().filter(move |there| there.0 == cpu);
            there.map(|there| to.min(there.2).saturating_sub(from.max(there.1))).sum::<u64>()
        };
        let shared: u64 = self.bound_times(window_us).into_iter().flatten().map(both).sum();
        shared as f64 / window_us.max(1) as f64
    }

    /// Returns the CPUs to which the thread was bound, with the shares of a window of `window_us` us.
    pub fn bound_shares(&self, window_us: u64) -> impl Iterator<Item = (u32, f64)> {
        let share = move |time: u64| time as f64 / window_us.max(1) as f64;
        let times = self.bound_times(window_us).into_iter().flatten();
        times.map(move |(cpu, from, to)| (cpu, share(to.saturating_sub(from))))
    }

    fn bound_times(&self, window_us: u64) -> [Option<(u32, u64, u64)>; 2] {
        let Some(rebound) = &self.affinity_change else {
            return [self.cpu.map(|cpu| (cpu, 0, window_us)), None];
        };
        let then = match rebound.cpus[..] {
            [cpu] => Some((cpu, rebound.observed_us, window_us)),
            _ => None,
        };
        [self.cpu.map(|cpu| (cpu, 0, rebound.after_us)), then]
    }

    /// Returns the maximum I/Os in flight: one for a sequential engine.
    pub fn reachable_depth(&self) -> u32 {
        if self.engine.is_synchronous() { 1 } else { self.depth }
    }
}

/// Costs of the program's own steps on this machine in ns each, without CPU sharing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ToolCost {
    pub clock: f64,
    /// Time of an entry in a latency histogram.
    pub histogram: f64,
    /// Time of an I/O through the null engine.
    pub io: Option<f64>,
    /// An I/O that does nothing through an io_uring, 32 at a time; `None` = there is no io_uring here.
    pub ring_noop: Option<f64>,
}
