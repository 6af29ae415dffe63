//! Sectors with wrong content (`--verify`), the most severe kind of finding.

use super::{Finding, Severity};
use diskspd_base::finding::FindingLocation;
use diskspd_results::{FailedSector, IntegrityRow, IntegrityTable, Record, SectorState};

pub const NAME: &str = "damaged-sectors";

pub(super) fn of_run(record: &Record) -> Vec<Finding> {
    if record.merged.is_some() {
        // Each host's were found there.
        return Vec::new();
    }
    let host = record.host();
    let spans = host.results.time_spans.iter().zip(1..);
    let tables = spans.filter_map(|(span, number)| Some((IntegrityTable::new(host, span)?, number)));
    tables
        .flat_map(|(table, number)| {
            table.rows.iter().filter_map(|row| of_target(row, &table, number)).collect::<Vec<_>>()
        })
        .collect()
}

fn of_target(row: &IntegrityRow, table: &IntegrityTable, time_span: usize) -> Option<Finding> {
    let IntegrityRow { path, results, .. } = row;
    let counts = &results.counts;
    if counts.wrong() == 0 {
        return None;
    }
    let first = results.failures.iter().min_by_key(|failed| failed.at_us);
    let first = first.map_or(String::new(), |failed| {
        format!(
            "; the first one at offset {} ({}{})",
            failed.offset,
            failed.fault.name(),
            data_owner_text(row, failed)
        )
    });
    let sectors = match counts.wrong() {
        1 => "1 sector read from '".to_owned(),
        sectors => format!("{sectors} sectors read from '"),
    };
    let differ = if counts.wrong() == 1 { "differs" } else { "differ" };
    let message =
        format!("--verify: {sectors}{path}' {differ} from the data written: {}{first}", counts.described());
    let place = FindingLocation { time_span: Some(time_span), ..FindingLocation::default() };
    let finding = Finding::new(NAME, Severity::Wrong, place, message).on_target(path);
    let keep = "leave the target unchanged; docs/reference/integrity.md lists the possible causes of each";
    Some(match other_order(row, table) {
        Some(order) => finding.remedy(format!(
            "if this run names the targets in another order than the writing run, pass \
             --verify=read:{order}; else {keep}"
        )),
        None => finding.remedy(keep),
    })
}

/// Returns the origin of the data, such as `: target 1's data in target 2`, for reads with stamps only.
fn data_owner_text(row: &IntegrityRow, failed: &FailedSector) -> String {
    let misplaced = failed.fault == SectorState::Misplaced;
    let Some(found) = failed.found.filter(|found| misplaced && !found.of_this_run) else {
        return String::new();
    };
    // What the target is taken for; where all of it is another one's that is the wrong one.
    let place = row.results.stamped_as.filter(|taken| *taken != found.target).unwrap_or(row.target.0);
    let number = |number: u32| u64::from(number) + 1;
    match place == found.target {
        true => format!(": it belongs at offset {}", found.offset),
        false => format!(": target {}'s data in target {}", number(found.target), number(place)),
    }
}

/// Returns the correct target order if all reads of this target belong to another one.
fn other_order(row: &IntegrityRow, table: &IntegrityTable) -> Option<String> {
    let counts = &row.results.counts;
    if counts.verified > 0 || !counts.failed.keys().eq([&SectorState::Misplaced]) {
        return None;
    }
    let numbers: Option<Vec<u32>> = table.rows.iter().map(|row| row.results.stamped_as).collect();
    let numbers = numbers?;
    let rises = numbers.windows(2).all(|pair| pair[0] < pair[1]);
    let repeats = numbers.iter().enumerate().any(|(at, number)| numbers[..at].contains(number));
    let text = |number: &u32| (u64::from(*number) + 1).to_string();
    (!rises && !repeats).then(|| numbers.iter().map(text).collect::<Vec<_>>().join(","))
}
