//! Processors and memory that control groups leave to this process.

use serde::{Deserialize, Serialize};

/// CPU quota with its number of throttled periods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CpuQuota {
    pub group: String,
    /// Number of CPUs that it permits; 0 = no limit.
    pub cpus: f64,
    pub periods: u64,
    pub throttled_periods: u64,
    /// Throttled time in ns; in cgroup version 1 the sum over CPUs.
    pub throttled: u64,
}

impl CpuQuota {
    fn subtract_earlier(&self, earlier: &CpuQuota) -> CpuQuota {
        CpuQuota {
            periods: self.periods.saturating_sub(earlier.periods),
            throttled_periods: self.throttled_periods.saturating_sub(earlier.throttled_periods),
            throttled: self.throttled.saturating_sub(earlier.throttled),
            ..self.clone()
        }
    }
}

/// Returns the counts of each group between its first and last reading, without groups that never had a
/// quota.
pub fn quotas_seen(looks: &[(CpuQuota, CpuQuota)]) -> Vec<CpuQuota> {
    let limited = looks.iter().filter(|(_, last)| last.cpus > 0.0);
    limited.map(|(first, last)| last.subtract_earlier(first)).collect()
}

/// Adds a reading of all groups, and keeps the tightest quota of each group.
pub fn see_quotas(looks: &mut Vec<(CpuQuota, CpuQuota)>, now: Vec<CpuQuota>) {
    let tightest = |had: f64, has: f64| match (had, has) {
        (had, 0.0) => had,
        (0.0, has) => has,
        (had, has) => had.min(has),
    };
    merge_readings(
        looks,
        now,
        |quota| &quota.group,
        |(_, last), quota| {
            *last = CpuQuota { cpus: tightest(last.cpus, quota.cpus), ..quota };
        },
    );
}

/// Adds a reading of the memory of all groups. `after_us`, `seen_us`: times of the previous reading and of
/// this one; at most `most` changes of a group are kept.
pub fn see_memory(
    looks: &mut Vec<(MemoryLimit, MemoryLimit)>,
    now: Vec<MemoryLimit>,
    (after_us, seen_us): (u64, u64),
    most: usize,
) {
    merge_readings(
        looks,
        now,
        |limit| &limit.group,
        |(first, last), limit| {
            if limit.bytes != last.bytes && first.changes.len() < most {
                first.changes.push(MemoryLimitChange { after_us, observed_us: seen_us, bytes: limit.bytes });
            }
            *last = limit;
        },
    );
}

fn merge_readings<T: Clone>(
    looks: &mut Vec<(T, T)>,
    now: Vec<T>,
    group: impl Fn(&T) -> &str,
    mut again: impl FnMut(&mut (T, T), T),
) {
    for found in now {
        match looks.iter_mut().find(|(first, _)| group(first) == group(&found)) {
            Some(known) => again(known, found),
            None => looks.push((found.clone(), found)),
        }
    }
}

/// A control group's limit of memory, its page cache included, and what keeping it took in a window.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryLimit {
    pub group: String,
    /// Lower of `memory.high` and `memory.max` at the first check in bytes; `None` = no limit.
    pub bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<MemoryLimitChange>,
    /// Number of times that the limit was reached and the kernel reclaimed memory.
    pub reached: u64,
    /// Time that all runnable threads of the group waited for memory, us; `None` = not counted by the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalled_us: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryLimitChange {
    /// Time of the last check with the old limit, in µs since the start of the measurement.
    pub after_us: u64,
    pub observed_us: u64,
    /// New limit in bytes; `None` = removed.
    pub bytes: Option<u64>,
}

impl MemoryLimit {
    /// Returns all values of the limit in order, in bytes.
    pub fn values(&self) -> impl Iterator<Item = Option<u64>> {
        std::iter::once(self.bytes).chain(self.changes.iter().map(|change| change.bytes))
    }

    pub fn until(self, last: &MemoryLimit) -> Option<MemoryLimit> {
        let limited = self.values().any(|bytes| bytes.is_some());
        limited.then(|| MemoryLimit {
            reached: last.reached.saturating_sub(self.reached),
            stalled_us: last.stalled_us.zip(self.stalled_us).map(|(last, first)| last.saturating_sub(first)),
            ..self
        })
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryAllowance {
    pub group: String,
    pub limit: u64,
    /// Available bytes: free memory, and reclaimable page cache.
    pub left: u64,
}
