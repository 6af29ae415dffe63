//! A process of a job.

/// The place of a process in a job of several that run the same plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobRank {
    /// Zero-based.
    pub rank: u32,
    pub of: u32,
}

impl Default for JobRank {
    fn default() -> JobRank {
        JobRank { rank: 0, of: 1 }
    }
}
