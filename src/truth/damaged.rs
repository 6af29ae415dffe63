//! Sectors that didn't hold what was written (`--verify`): worse than any wrong figure.

use super::{Finding, Severity};
use crate::finding::FindingPlace;
use crate::results::{IntegrityRow, IntegrityTable, Record};

/// The finding's name.
pub const NAME: &str = "damaged-sectors";

/// Of every time span, also of those that failed and have no figures: a finding for each target.
pub(super) fn of_run(record: &Record) -> Vec<Finding> {
    if record.whole.is_some() {
        // Each host's were found there.
        return Vec::new();
    }
    let host = record.host();
    let spans = host.results.time_spans.iter().zip(1..);
    let tables = spans.filter_map(|(span, number)| Some((IntegrityTable::new(host, span)?, number)));
    tables
        .flat_map(|(table, number)| table.rows.into_iter().filter_map(move |row| of_target(&row, number)))
        .collect()
}

fn of_target(row: &IntegrityRow, time_span: usize) -> Option<Finding> {
    let IntegrityRow { path, results } = row;
    let counts = &results.counts;
    if counts.wrong() == 0 {
        return None;
    }
    let first = results.failures.iter().min_by_key(|failed| failed.at_us);
    let first = first.map_or(String::new(), |failed| {
        format!("; the first one at offset {} ({})", failed.offset, failed.fault.name())
    });
    let message = format!(
        "--verify: {} sectors that were read from '{path}' were not as they were written: {}{first}",
        counts.wrong(),
        counts.described()
    );
    let place = FindingPlace { time_span: Some(time_span), ..FindingPlace::default() };
    let finding = Finding::new(NAME, Severity::Wrong, place, message).on(path);
    Some(finding.remedy("leave the target as it is; docs/integrity.md says what each of these can come from"))
}
