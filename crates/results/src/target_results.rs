//! Results of a thread on a target.

use super::aux_results::AuxResults;
use super::direction::DirectionResults;
use super::effective_range::EffectiveRange;
use super::integrity::IntegrityResults;
use super::paced::Overdue;
use super::part_results::PartResults;
use diskspd_base::operation::{Direction, Operation};
use diskspd_profile::TargetId;
use serde::{Deserialize, Serialize};

/// Raw results of one thread on one target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetResults {
    pub target: TargetId,
    /// Size of the target in bytes when the thread opened it.
    pub size: u64,
    pub read: DirectionResults,
    pub write: DirectionResults,
    /// Effective ranges of random I/O (`-rd`); empty = no distribution.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub distribution: Vec<EffectiveRange>,
    /// `-g`: I/Os that were due at the end but not started; `None` = none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_submitted: Option<Box<Overdue>>,
    /// `--verify`: stamped and checked sectors over the whole time span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integrity: Option<Box<IntegrityResults>>,
    /// Results of other operations (`--fsync-every`, `--trim`).
    #[serde(flatten)]
    pub others: AuxResults,
    /// Ages in ns of I/Os in flight at the end of measuring that exceed the thread's longest counted
    /// latency: oldest first, at most 1024.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<u64>,
    /// `--mix`, `--bs-split`: results of each part and size, without series; their sum is the total. Empty
    /// without parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartResults>,
}

impl TargetResults {
    /// Returns the results of an operation other than reads and writes; `None` = not requested.
    pub fn aux_results(&self, op: Operation) -> Option<&DirectionResults> {
        self.others.results(op)
    }
}

/// Failed I/Os with the same operation and error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoErrors {
    pub target: TargetId,
    pub direction: Direction,
    /// Error number of the kernel; for NVMe pass-through, 65536 plus the status of the command.
    pub errno: i32,
    pub count: u64,
    /// Byte offset of the first failed I/O.
    pub first_offset: u64,
    /// When they came back, us since measuring began (negative = before), ascending: the first 1023 and the
    /// last one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at_us: Vec<i64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_target_results_are_small() {
        // Its text has 79 bytes. A reader may take four times that, with the list that holds the row.
        let size = size_of::<TargetResults>();
        assert!(size < 4 * 79, "{size} bytes, of {} for each direction", size_of::<DirectionResults>());
    }
}
