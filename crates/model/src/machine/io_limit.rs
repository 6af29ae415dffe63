//! What control groups do to the I/O of this process, by device.

use serde::{Deserialize, Serialize};

/// A limit of a group on a device; `None` = none of that kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoLimit {
    pub group: String,
    /// Number of the device, `major:minor`.
    pub device: String,
    /// Bytes read per second.
    pub read_bytes: Option<u64>,
    /// Bytes written per second.
    pub write_bytes: Option<u64>,
    /// Reads per second.
    pub reads: Option<u64>,
    /// Writes per second.
    pub writes: Option<u64>,
}

/// What holds I/O back without a figure to compare it with: latency targets of other groups, shares by cost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoControl {
    pub group: String,
    /// Number of the device, `major:minor`.
    pub device: String,
    /// File and setting: `io.latency target=10000`.
    pub setting: String,
}

/// What shares by cost (io.cost) did to a group on a device: `cost.*` of `io.stat`
/// (Documentation/admin-guide/cgroup-v2.rst; all but the first only with the module parameter
/// `blk_cgroup.blkcg_debug_stats`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoCost {
    pub group: String,
    /// Number of the device, `major:minor`.
    pub device: String,
    /// Time of the device that the group's I/O was reckoned to take, us.
    pub usage_us: u64,
    /// How long the group's I/Os waited for their share, all together, us; `None` = not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_us: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indebt_us: Option<u64>,
    /// How long its threads were held up for that, us; `None` = not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indelay_us: Option<u64>,
}

impl IoCost {
    /// What was counted since an earlier look; `None` = a counter went back.
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

    /// How long it held the group's I/O back, us; `None` = not told.
    pub fn held_back_us(&self) -> Option<u64> {
        let told = [self.wait_us, self.indelay_us];
        told.iter().any(Option::is_some).then(|| told.into_iter().flatten().fold(0, u64::saturating_add))
    }
}

impl IoLimit {
    /// What is limited, as the kernel names it, and to how much a second.
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
