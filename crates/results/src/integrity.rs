//! Verified sectors (`--verify`): their number, and the errors.

use super::Accumulate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SectorState {
    /// Older version, although other sectors of the same write have the new one.
    Torn,
    /// Version differs from the first sector of its block, although each write was atomic.
    NotAtomic,
    /// Previous version: the last write is missing.
    Lost,
    /// Version older than the required one.
    Stale,
    Unwritten,
    Misplaced,
    Foreign,
    /// Stamp with a wrong checksum.
    Corrupt,
    Unreadable,
}

impl SectorState {
    pub fn name(self) -> &'static str {
        match self {
            SectorState::Torn => "torn",
            SectorState::NotAtomic => "not atomic",
            SectorState::Lost => "lost",
            SectorState::Stale => "stale",
            SectorState::Unwritten => "unwritten",
            SectorState::Misplaced => "misplaced",
            SectorState::Foreign => "foreign",
            SectorState::Corrupt => "corrupt",
            SectorState::Unreadable => "unreadable",
        }
    }
}

/// Sectors of a thread on a target, over the whole life of a time span, warm-up and cool-down included.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IntegrityCounts {
    pub stamped: u64,
    pub verified: u64,
    pub unknown: u64,
    /// Sectors read during a write to the same place, with parts of both versions.
    pub undecided: u64,
    /// Number of units in writes that the journal lists as durable.
    pub acknowledged: u64,
    /// Read, and wrong; each sector counts once in a time span, for the first fault that was found.
    pub failed: BTreeMap<SectorState, u64>,
    #[serde(skip_serializing_if = "is_zero")]
    pub failed_again: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct IntegrityResults {
    #[serde(flatten)]
    pub counts: IntegrityCounts,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailedSector>,
    /// Number of a read-only target in the run that stamped most of it, from 0. `None` without a stamp, or
    /// if this run wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamped_as: Option<u32>,
}

impl IntegrityResults {
    /// Maximum number of detailed failures per thread and target.
    pub const MAX_LISTED_FAILURES: usize = 32;

    /// Counts a damaged sector, and stores the first ones.
    pub fn fail(&mut self, failed: FailedSector) {
        self.fail_all(failed.fault, 1, |_| failed.clone());
    }

    /// Records a number of sectors with the same fault; `sector` returns each by its index.
    pub fn fail_all(&mut self, fault: SectorState, sectors: u64, sector: impl Fn(u64) -> FailedSector) {
        let failed = self.counts.failed.entry(fault).or_default();
        *failed = failed.saturating_add(sectors);
        let room = IntegrityResults::MAX_LISTED_FAILURES.saturating_sub(self.failures.len());
        self.failures.extend((0..sectors).take(room).map(sector));
    }

    /// Adds other results of the same target; keeps the failures with the lowest offsets.
    pub fn add_thread(&mut self, other: IntegrityResults) {
        self.counts.add(&other.counts);
        self.stamped_as = self.stamped_as.or(other.stamped_as);
        self.failures.extend(other.failures);
        self.failures.sort_by_key(|failed| failed.offset);
        self.failures.truncate(IntegrityResults::MAX_LISTED_FAILURES);
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedSector {
    pub fault: SectorState,
    /// Byte offset in the target.
    pub offset: u64,
    /// Minimum required version; 0 = any.
    pub expected: u64,
    /// Stamp found in the sector; `None` without a stamp.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<FoundStamp>,
    /// Time of detection in µs since the start signal of the time span.
    pub at_us: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundStamp {
    pub of_this_run: bool,
    pub target: u32,
    pub offset: u64,
    pub generation: u64,
    pub writer: u32,
    pub write: u64,
}

impl Accumulate for IntegrityCounts {
    fn add(&mut self, other: &IntegrityCounts) {
        self.stamped.add(&other.stamped);
        self.verified.add(&other.verified);
        self.unknown.add(&other.unknown);
        self.undecided.add(&other.undecided);
        self.acknowledged.add(&other.acknowledged);
        self.failed_again.add(&other.failed_again);
        for (fault, sectors) in &other.failed {
            self.failed.entry(*fault).or_default().add(sectors);
        }
    }
}

impl IntegrityCounts {
    pub fn wrong(&self) -> u64 {
        self.failed.values().fold(0, |sum, sectors| sum.saturating_add(*sectors))
    }

    /// Lists the damaged sectors by fault: `2 torn, 1 stale, in 40 reads`.
    pub fn described(&self) -> String {
        let each = self.failed.iter().map(|(fault, sectors)| format!("{sectors} {}", fault.name()));
        let reads = self.wrong().saturating_add(self.failed_again);
        let reads = (self.failed_again > 0).then(|| format!("in {reads} reads"));
        each.chain(reads).collect::<Vec<_>>().join(", ")
    }
}
