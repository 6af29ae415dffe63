//! Warns before runs that cannot give an answer.

use crate::commands::shared::runs::message_filter;
use crate::experiments::compare::{PlannedPower, PlannedRuns, foreseen};
use crate::finding::Finding;

/// Prints the limits of the planned runs, and the sufficient number of runs, in the words of `remedy`.
/// `deciding`: figures that decide, which share one error rate.
pub(crate) fn warn(
    planned: PlannedRuns,
    deciding: usize,
    is_quiet: bool,
    remedy: impl FnOnce(&PlannedPower) -> String,
) {
    let Some(found) = foreseen(planned, deciding) else { return };
    let remedy = remedy(&found);
    let finding = match found.detects_nothing {
        true => Finding::warning(&found.message),
        false => Finding::note(&found.message),
    };
    message_filter::report_finding(&finding.remedy(remedy), is_quiet);
}
