//! Times in which the program could not do anything.

use serde::{Deserialize, Serialize};

/// How late the controlling thread woke within the measured time. It wakes fifty times a second at least;
/// whatever stops the whole program (SIGSTOP, a debugger, a frozen control group, a paused or suspended
/// machine) shows here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delays {
    /// How often it woke late by 50 ms or more.
    pub times: u64,
    pub total_us: u64,
    /// How late it was at most, us.
    pub longest_us: u64,
    /// When the longest delay ended, us since measuring began.
    pub longest_at_us: u64,
    /// Whether the process had been stopped, by SIGSTOP or by Ctrl-Z: it got SIGCONT after a pause.
    pub was_stopped: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sigcont_count: Option<u64>,
    /// How late it was all in all, us, whenever it was late by 2 ms or more and had not been waiting for a
    /// CPU: then it was kept from running. Missing = nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_us: Option<u64>,
    /// Of `lost_us`, us: the workers did I/O all the while, or too little was expected of them to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_workers_active_us: Option<u64>,
    /// Of `total_us`, us: the workers did I/O all the while.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers_active_us: Option<u64>,
    /// How long the control group was frozen meanwhile, us; missing = the kernel doesn't count it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frozen_us: Option<u64>,
    /// How long the machine was suspended meanwhile, us: the clock that the run is timed by stood still.
    pub suspended_us: u64,
}
