//! Counted operations of a target, for the advice.

use diskspd_results::TargetResults;

/// Returns the I/Os of both directions.
pub(super) fn reads_and_writes(row: &TargetResults) -> u64 {
    row.read.ios.saturating_add(row.write.ios)
}

pub(super) fn reads(row: &TargetResults) -> u64 {
    row.read.ios
}

pub(super) fn writes(row: &TargetResults) -> u64 {
    row.write.ios
}
