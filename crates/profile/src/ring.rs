//! DISKSPD 2.3 settings for I/O submission and buffer placement.

use serde::{Deserialize, Serialize};

/// `-u`: batched submission through io_uring (IoRing on Windows) in all threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoRing {
    /// Number of completions to wait for after the submission of a batch.
    pub batch: RingBatch,
    /// Whether the buffers are registered, so that they are pinned once and not by each I/O.
    pub register_buffers: bool,
}

/// Maximum number of completions per wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RingBatch {
    Count(u32),
    /// Percentage of the thread's outstanding I/Os, rounded up; 1 to 100.
    Percent(u32),
}

impl Default for IoRing {
    fn default() -> Self {
        IoRing { batch: RingBatch::Percent(25), register_buffers: true }
    }
}

impl RingBatch {
    pub fn entries_for(self, requests: u32) -> u32 {
        match self {
            RingBatch::Count(count) => count,
            RingBatch::Percent(percent) => {
                let count = (u64::from(requests) * u64::from(percent)).div_ceil(100).max(1);
                u32::try_from(count).unwrap_or(u32::MAX)
            }
        }
    }
}

/// Placement of the threads' I/O buffers (`-bs`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BufferSeparation {
    /// `-bsn`: page alignment.
    SystemDefault,
    /// `-bsp`: distance at which buffers do not share a cache line of page directory entries.
    PageDirectories,
}

/// BypassIO (`-Sy`, `-SY`): Windows' way past the drivers above a file system, of which Linux has nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BypassIo {
    Partial,
    /// `-SY`: all features.
    Full,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batch_percentages_are_rounded_up() {
        let table =
            [(25, 1, 1), (25, 2, 1), (25, 5, 2), (25, 10, 3), (25, 32, 8), (1, 65536, 656), (100, 7, 7)];
        for (percent, requests, expected) in table {
            assert_eq!(
                RingBatch::Percent(percent).entries_for(requests),
                expected,
                "{percent} % of {requests}"
            );
        }
        assert_eq!(RingBatch::Count(8).entries_for(4), 8, "a wait waits for no more than there are");
    }
}
