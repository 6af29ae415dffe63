//! Waiting time of workers, and the number of I/Os per wait.

use serde::{Deserialize, Serialize};

/// Counters of a thread for the wait statistics (`-vs`), a separate section of the report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitStatistics {
    /// Waits without a time limit, with all requests in flight.
    pub completion_waits: u64,
    /// Waits with a time limit, with all idle requests throttled.
    pub throttle_waits: u64,
    /// Sleeps without I/O in flight, with all requests throttled.
    pub throttle_sleeps: u64,
    /// Polls for completions between two dispatches.
    pub lookasides: u64,
    /// Number of polls that returned 0, 1, .. 6, and at least 7 completions.
    pub lookaside_completions: [u64; 8],
    /// Number of waits, with or without a limit, by returned completions: 0, 1, .. 6, and 7 or more; all 0 =
    /// not counted (DISKSPD 2.2).
    #[serde(default, skip_serializing_if = "is_empty")]
    pub wait_completions: [u64; 8],
}

fn is_empty(counts: &[u64; 8]) -> bool {
    *counts == [0; 8]
}
