//! CPU utilisation over the measured time, one row for every active CPU.

use super::CpuTimes;
use diskspd_machine::{CpuLocation, Topology};
use serde::{Deserialize, Serialize};

/// Share of the measured time in percent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CpuUsage {
    pub usage: f64,
    pub user: f64,
    pub kernel: f64,
    pub idle: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CpuRow {
    #[serde(flatten)]
    pub place: CpuLocation,
    /// Whether the core has the highest class of the machine.
    pub performance: bool,
    pub usage: CpuUsage,
}

/// Optional columns of a table; columns with a single value on the machine are hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuColumns {
    pub socket: bool,
    pub node: bool,
    pub group: bool,
    /// Whether a core runs more than one thread.
    pub core: bool,
    pub class: bool,
}

/// All active CPUs and their mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CpuTable {
    pub columns: CpuColumns,
    /// CPUs by group and number, ascending.
    pub rows: Vec<CpuRow>,
    pub average: CpuUsage,
}

impl CpuTable {
    /// Mean utilization in percent; `None` if the times of the CPUs are unknown.
    pub fn mean_usage(&self) -> Option<f64> {
        (!self.rows.is_empty()).then_some(self.average.usage)
    }
}

impl CpuUsage {
    /// Treats a CPU without any time as idle.
    fn from_times(times: CpuTimes) -> CpuUsage {
        let (idle, kernel, user) = (times.idle as f64, times.kernel as f64, times.user as f64);
        let total = idle + kernel + user;
        if total == 0.0 {
            return CpuUsage { usage: 0.0, user: 0.0, kernel: 0.0, idle: 100.0 };
        }
        // As DISKSPD derives it from kernel times that include idle: the last printed digit depends on it.
        let idle_percent = 100.0 * idle / total;
        let user = 100.0 * user / total;
        let kernel = 100.0 * (idle + kernel) / total - idle_percent;
        CpuUsage { usage: kernel + user, user, kernel, idle: idle_percent }
    }
}

impl CpuTable {
    /// The table of `times`, which follow the order of the active CPUs; CPUs without times were idle. Without
    /// any times the table is empty.
    pub(super) fn new(topology: &Topology, times: &[CpuTimes]) -> CpuTable {
        let highest = topology.cores.iter().map(|core| core.efficiency_class).max().unwrap_or(0);
        let is_known = !times.is_empty();
        let times = times.iter().copied().chain(std::iter::repeat(CpuTimes::default()));
        let row = |(place, times): (CpuLocation, CpuTimes)| CpuRow {
            place,
            performance: place.class == highest,
            usage: CpuUsage::from_times(times),
        };
        let places = if is_known { topology.rows() } else { Vec::new() };
        let rows: Vec<CpuRow> = places.into_iter().zip(times).map(row).collect();
        let mean = |figure: fn(&CpuUsage) -> f64| {
            rows.iter().map(|row| figure(&row.usage)).fold(0.0, |sum, x| sum + x) / rows.len().max(1) as f64
        };
        let average = CpuUsage {
            usage: mean(|usage| usage.usage),
            user: mean(|usage| usage.user),
            kernel: mean(|usage| usage.kernel),
            idle: mean(|usage| usage.idle),
        };
        let columns = CpuColumns {
            socket: topology.sockets.len() > 1,
            node: topology.nodes.len() > 1,
            group: topology.groups.len() > 1,
            core: topology.smt,
            class: is_heterogeneous(topology),
        };
        CpuTable { columns, rows, average }
    }
}

pub fn is_heterogeneous(topology: &Topology) -> bool {
    topology.cores.windows(2).any(|pair| pair[0].efficiency_class != pair[1].efficiency_class)
}
