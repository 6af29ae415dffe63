//! When a host of several measured: its clock against the one that all of them share.

use serde::{Deserialize, Serialize};

/// A host's clock against the common one, and its measured times on that.
///
/// The common clock counts nanoseconds since 1970-01-01 00:00 UTC: what rank 0's wall clock said when the
/// ranks met, and from there on by rank 0's monotonic clock. Of runs that were started by other means it is
/// the wall clocks themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostClock {
    /// How far the host's wall clock was ahead of the common one, ns; negative = behind.
    pub offset_ns: i64,
    /// The host's times on the common clock may be wrong by this, ns: half of the smallest round trip of a
    /// message. 0 on rank 0, whose clock it is.
    pub uncertainty_ns: u64,
    /// What its monotonic clock gained on rank 0's from before the run to after it, ns; `None` = it was not
    /// asked again.
    pub drift_ns: Option<i64>,
    /// `uncertainty_ns` of the second time, which the drift is known to together with the first; `None` = as
    /// `drift_ns`.
    pub uncertainty_after_ns: Option<u64>,
    /// Of each time span of the profile: when it was measured. `None` = it wasn't, or not in real time.
    pub windows: Vec<Option<CommonWindow>>,
}

/// A measured time on the common clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommonWindow {
    /// When accounting began, ns since 1970-01-01 00:00 UTC.
    pub start_ns: i64,
    pub end_ns: i64,
}
