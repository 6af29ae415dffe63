//! A process of a job.

/// Position of a process in a job of several with the same plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobRank {
    /// Zero-based rank.
    pub rank: u32,
    pub of: u32,
}

impl Default for JobRank {
    fn default() -> JobRank {
        JobRank { rank: 0, of: 1 }
    }
}
