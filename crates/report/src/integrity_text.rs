//! Verified sectors (`--verify`) at the end of the text report, after DISKSPD's part.

use diskspd_model::results::{FailedSector, IntegrityRow, Measured, SectorFault, Summary};
use diskspd_model::units::seconds_of_us;

/// Appends a section for each time span that was verified.
pub(super) fn write_integrity(out: &mut Vec<u8>, summary: &Summary) {
    for (index, span) in summary.time_spans.iter().enumerate() {
        if let Some(Measured { integrity: Some(table), .. }) = span {
            put!(out, "\n\nVerified sectors of timespan {}:\n{}\n\n", index + 1, "*".repeat(79));
            let header =
                "    stamped   |   verified   |   unknown    |  undecided   |durable writes|    failed   ";
            put!(out, "{header} |  file\n{}\n", "-".repeat(header.len() + 8));
            table.rows.iter().for_each(|row| write_row(out, row));
            table.rows.iter().for_each(|row| write_failures(out, row));
        }
    }
}

fn write_row(out: &mut Vec<u8>, row: &IntegrityRow) {
    let counts = &row.results.counts;
    let cells = [counts.stamped, counts.verified, counts.unknown, counts.undecided, counts.acknowledged];
    cells.iter().for_each(|cell| put!(out, "{cell:>13} |"));
    put!(out, "{:>13} | ", counts.wrong());
    out.extend_from_slice(row.path.as_bytes());
    out.push(b'\n');
}

fn write_failures(out: &mut Vec<u8>, row: &IntegrityRow) {
    let counts = &row.results.counts;
    if counts.wrong() == 0 {
        return;
    }
    put!(out, "\n'{}': {}\n", row.path, counts.described());
    for failed in &row.results.failures {
        put!(
            out,
            "{:<10} sector at offset {}: expected version {} or later, {:.3} s after the start; found {}\n",
            failed.fault.name(),
            failed.offset,
            failed.expected,
            seconds_of_us(failed.at_us),
            held_text(failed)
        );
    }
}

pub fn held_text(failed: &FailedSector) -> String {
    let Some(found) = &failed.found else {
        return match failed.fault {
            SectorFault::Unreadable => "unreadable data".into(),
            SectorFault::Unwritten => "zeros".into(),
            _ => "no stamp".into(),
        };
    };
    let run = if found.of_this_run { "" } else { "of another run " };
    let place = format!("offset {} of target {}", found.offset, u64::from(found.target) + 1);
    let checksum = if failed.fault == SectorFault::Corrupt { ", with a wrong checksum" } else { "" };
    format!(
        "version {} {run}for {place}, write {} of thread {}{checksum}",
        found.generation, found.write, found.writer
    )
}
