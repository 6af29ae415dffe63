use diskspd_figures::stats::Histogram;
use serde::{Deserialize, Serialize};

/// Minimum delay of a late start in ns. Sleeping and waking up take about 10 to 100 us, so ten times that
/// is not normal scheduling.
pub const LATE_START_NS: u64 = 1_000_000;

/// Lateness thresholds of recorded I/Os in ns, with their names.
pub const LATENESS: [(u64, &str); 6] = [
    (10_000, "10 us"),
    (100_000, "100 us"),
    (1_000_000, "1 ms"),
    (10_000_000, "10 ms"),
    (100_000_000, "100 ms"),
    (1_000_000_000, "1 s"),
];

/// Counted I/Os of one direction with scheduled start times.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PacedIos {
    /// Delay of the submission in ns.
    pub delay: Histogram,
    /// `-L`: response times, from the scheduled start to completion, in ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Histogram>,
}

/// I/Os that were due when measuring ended and had not been submitted. They are in no other figure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overdue {
    pub ios: u64,
    /// Maximum lateness in ns.
    pub longest: u64,
}
