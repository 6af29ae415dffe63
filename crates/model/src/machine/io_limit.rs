//! What control groups do to the I/O of this process, by device.

use serde::{Deserialize, Serialize};

/// A limit of a group on a device; `None` = none of that kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoLimit {
    /// The group's directory.
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
    /// The group that has it.
    pub group: String,
    /// Number of the device, `major:minor`.
    pub device: String,
    /// File and setting: `io.latency target=10000`.
    pub setting: String,
}

impl IoLimit {
    /// What is limited, as the kernel names it, and to how much a second.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let limits = [
            ("rbps", self.read_bytes),
            ("wbps", self.write_bytes),
            ("riops", self.reads),
            ("wiops", self.writes),
        ];
        limits.into_iter().filter_map(|(name, limit)| Some((name, limit?)))
    }
}
