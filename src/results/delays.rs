//! Times in which the program could not do anything.

use serde::{Deserialize, Serialize};

/// How late the controlling thread woke within the measured time. It wakes ten times a second at least;
/// whatever stops the whole program (SIGSTOP, a debugger, a frozen control group, a paused or suspended
/// machine) shows here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delays {
    /// How often it woke late by 50 ms or more.
    pub times: u64,
    /// How late it was all in all, us, those times.
    pub total_us: u64,
    /// How late it was at most, us.
    pub longest_us: u64,
    /// When the longest delay ended, us since measuring began.
    pub longest_at_us: u64,
    /// Whether the process was told to go on (SIGCONT): it had been stopped, by SIGSTOP or by Ctrl-Z.
    pub continued: bool,
    /// How long the machine was suspended meanwhile, us: the clock that the run is timed by stood still.
    pub suspended_us: u64,
}
