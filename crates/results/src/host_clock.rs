//! Measured times of one of several hosts: its clock relative to the common one.

use serde::{Deserialize, Serialize};

/// Clock of a host relative to the common clock, and its measured times on that clock.
///
/// The common clock counts nanoseconds since 1970-01-01 00:00 UTC. It starts with rank 0's wall clock when
/// the ranks met, and continues by rank 0's monotonic clock. For runs started by other means it is the
/// wall clocks themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostClock {
    /// Lead of the host's wall clock over the common clock in ns; negative = lag.
    pub offset_ns: i64,
    /// The host's times on the common clock may be wrong by this, ns: half of the smallest round trip of a
    /// message. 0 on rank 0, whose clock it is.
    pub uncertainty_ns: u64,
    /// Gain of its monotonic clock over rank 0's during the run in ns; `None` without a second comparison.
    pub drift_ns: Option<i64>,
    /// `uncertainty_ns` of the second time, which the drift is known to together with the first; `None` = as
    /// `drift_ns`.
    pub uncertainty_after_ns: Option<u64>,
    /// Measured time of each time span in the profile. `None` if not measured, or not in real time.
    pub windows: Vec<Option<CommonWindow>>,
}

/// Measured time on the common clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommonWindow {
    /// Start of accounting in ns since 1970-01-01 00:00 UTC.
    pub start_ns: i64,
    pub end_ns: i64,
}
