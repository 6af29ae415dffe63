//! Times in which the program could not do anything.

use serde::{Deserialize, Serialize};

/// Delays of the controlling thread within the measured time. It wakes at least fifty times a second, so
/// it detects any stop of the whole program: SIGSTOP, a debugger, a frozen control group, a paused or
/// suspended machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delays {
    /// Number of wake-ups that were at least 50 ms late.
    pub times: u64,
    pub total_us: u64,
    /// Maximum lateness in µs.
    pub longest_us: u64,
    /// End of the longest delay in µs since the start of the measurement.
    pub longest_at_us: u64,
    /// Whether the process had been stopped, by SIGSTOP or by Ctrl-Z: it got SIGCONT after a pause.
    pub was_stopped: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sigcont_count: Option<u64>,
    /// Total delay in us of wake-ups that were at least 2 ms late without a CPU wait, so the thread was
    /// stopped. Missing if not observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_us: Option<u64>,
    /// Part of [`Delays::late_us`] in us with continuous worker I/O, or too little expected I/O for a
    /// conclusion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_workers_active_us: Option<u64>,
    /// Part of [`Delays::total_us`] in us with continuous worker I/O.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers_active_us: Option<u64>,
    /// Time in us that the control group was frozen; missing if the kernel does not count it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frozen_us: Option<u64>,
    /// Time in µs in suspend, which stops the clock of the run.
    pub suspended_us: u64,
}
