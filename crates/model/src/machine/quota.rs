//! What control groups leave this process of processors and memory.

use serde::{Deserialize, Serialize};

/// A CPU quota and how often it stopped the group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CpuQuota {
    /// The group's directory.
    pub group: String,
    /// CPUs that it may use; 0 = all that it can get.
    pub cpus: f64,
    /// Periods in which it ran.
    pub periods: u64,
    /// Periods in which it was stopped.
    pub throttled_periods: u64,
    /// How long it was stopped, ns; version 1 adds up the CPUs.
    pub throttled: u64,
}

impl CpuQuota {
    /// What was counted since an earlier look at the same group.
    fn since(&self, earlier: &CpuQuota) -> CpuQuota {
        CpuQuota {
            periods: self.periods.saturating_sub(earlier.periods),
            throttled_periods: self.throttled_periods.saturating_sub(earlier.throttled_periods),
            throttled: self.throttled.saturating_sub(earlier.throttled),
            ..self.clone()
        }
    }
}

/// What was counted of each group from its first look to its last; without those that never had a quota.
pub fn quotas_seen(looks: &[(CpuQuota, CpuQuota)]) -> Vec<CpuQuota> {
    let limited = looks.iter().filter(|(_, last)| last.cpus > 0.0);
    limited.map(|(first, last)| last.since(first)).collect()
}

/// Adds a look at all groups to the first and the last of each. The tightest of a group's quotas counts.
pub fn see_quotas(looks: &mut Vec<(CpuQuota, CpuQuota)>, now: Vec<CpuQuota>) {
    for quota in now {
        let Some((_, last)) = looks.iter_mut().find(|(first, _)| first.group == quota.group) else {
            looks.push((quota.clone(), quota));
            continue;
        };
        let cpus = match (last.cpus, quota.cpus) {
            (had, 0.0) => had,
            (0.0, has) => has,
            (had, has) => had.min(has),
        };
        *last = CpuQuota { cpus, ..quota };
    }
}

/// What a control group leaves of its limit of memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryAllowance {
    /// The group's directory.
    pub group: String,
    /// Its limit, bytes.
    pub limit: u64,
    /// What can be had of it: what is free, and what the kernel may take back from the page cache, bytes.
    pub left: u64,
}
