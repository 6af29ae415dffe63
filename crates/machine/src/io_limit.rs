//! Effects of control groups on the I/O of this process, by device.

use serde::{Deserialize, Serialize};

/// Limit of a group on a device; `None` = no limit of that kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoLimit {
    pub group: String,
    /// Number of the device, `major:minor`.
    pub device: String,
    pub read_bytes: Option<u64>,
    pub write_bytes: Option<u64>,
    pub reads: Option<u64>,
    pub writes: Option<u64>,
}

/// I/O restrictions without a comparable figure: latency targets of other groups, shares by cost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoControl {
    pub group: String,
    /// Number of the device, `major:minor`.
    pub device: String,
    /// File and setting: `io.latency target=10000`.
    pub setting: String,
}

/// Effects of cost-based shares (io.cost) on a group's device: `cost.*` of `io.stat`
/// (Documentation/admin-guide/cgroup-v2.rst). All except the first need the module parameter
/// `blk_cgroup.blkcg_debug_stats`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoCost {
    pub group: String,
    /// Number of the device, `major:minor`.
    pub device: String,
    /// Estimated device time of the group's I/O in µs.
    pub usage_us: u64,
    /// Total wait of the group's I/Os in µs; `None` = not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_us: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indebt_us: Option<u64>,
    /// Total delay of its threads in µs; `None` = not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indelay_us: Option<u64>,
}

impl IoCost {
    pub fn since(&self, earlier: &IoCost) -> Option<IoCost> {
        let both = |now: Option<u64>, earlier: Option<u64>| now?.checked_sub(earlier?);
        Some(IoCost {
            usage_us: self.usage_us.checked_sub(earlier.usage_us)?,
            wait_us: both(self.wait_us, earlier.wait_us),
            indebt_us: both(self.indebt_us, earlier.indebt_us),
            indelay_us: both(self.indelay_us, earlier.indelay_us),
            ..self.clone()
        })
    }

    /// Returns the delay of the group's I/O in µs; `None` = not reported.
    pub fn held_back_us(&self) -> Option<u64> {
        let told = [self.wait_us, self.indelay_us];
        told.iter().any(Option::is_some).then(|| told.into_iter().flatten().fold(0, u64::saturating_add))
    }
}

impl IoLimit {
    /// Returns the kernel's names of the limits, with their values per second.
    pub fn named_limits(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let limits = [
            ("rbps", self.read_bytes),
            ("wbps", self.write_bytes),
            ("riops", self.reads),
            ("wiops", self.writes),
        ];
        limits.into_iter().filter_map(|(name, limit)| Some((name, limit?)))
    }
}
