//! Damaged sectors: sentences in the text report, elements in XML, a table on pages.

use super::table::{SecondaryRow, UNRULED, column, words};
use diskspd_figures::units::seconds_of_us;
use diskspd_figures::units::table::{Cell, TableColumn};
use diskspd_profile::RawText;
use diskspd_results::{FailedSector, FoundStamp, IntegrityRow, PartRow, SectorState};

impl SecondaryRow for PartRow {
    fn path(&self) -> &RawText {
        &self.path
    }
}

impl SecondaryRow for IntegrityRow {
    fn path(&self) -> &RawText {
        &self.path
    }

    fn write_details(&self, out: &mut Vec<u8>) {
        let counts = &self.results.counts;
        if counts.wrong() == 0 {
            return;
        }
        put!(out, "\n'{}': {}\n", self.path, counts.described());
        for failed in &self.results.failures {
            put!(
                out,
                "{:<10} sector at offset {}: expected version {} or later, {:.3} s after the start; found \
                 {}\n",
                failed.fault.name(),
                failed.offset,
                failed.expected,
                seconds_of_us(failed.at_us),
                held_text(failed)
            );
        }
    }

    fn failures(&self) -> &[FailedSector] {
        &self.results.failures
    }
}

/// Damaged sector and its target.
pub struct FailedSectorRow {
    pub path: RawText,
    pub failed: FailedSector,
}

pub const FAILED: &[TableColumn<FailedSectorRow>] = &[
    words("target", |line| Cell::name_cell(line.path.to_string())),
    TableColumn {
        is_number: false,
        ..column("what", "Fault", UNRULED, |line: &FailedSectorRow| {
            Cell::text(Some(line.failed.fault.name()))
        })
    },
    column("offset", "Offset", UNRULED, |line| Cell::Whole(line.failed.offset)),
    column("version at least", "Version", UNRULED, |line| Cell::Whole(line.failed.expected)),
    column("", "FoundVersion", UNRULED, |line| found_cell(line, |found| found.generation)),
    column("", "FoundOffset", UNRULED, |line| found_cell(line, |found| found.offset)),
    column("", "FoundTarget", UNRULED, |line| found_cell(line, |found| found.target.into())),
    column("", "Writer", UNRULED, |line| found_cell(line, |found| found.writer.into())),
    column("found after", "", UNRULED, |line| {
        Cell::Text(format!("{:.3} s", seconds_of_us(line.failed.at_us)))
    }),
    column("", "AtMicroseconds", UNRULED, |line| Cell::Whole(line.failed.at_us)),
    words("it holds", |line| Cell::Text(held_text(&line.failed))),
];

fn found_cell(line: &FailedSectorRow, figure: fn(&FoundStamp) -> u64) -> Cell {
    Cell::number_cell(line.failed.found.as_ref().map(figure))
}

pub fn held_text(failed: &FailedSector) -> String {
    let Some(found) = &failed.found else {
        return match failed.fault {
            SectorState::Unreadable => "unreadable data".into(),
            SectorState::Unwritten => "zeros".into(),
            _ => "no stamp".into(),
        };
    };
    let run = if found.of_this_run { "" } else { "of another run " };
    let place = format!("offset {} of target {}", found.offset, u64::from(found.target) + 1);
    let checksum = if failed.fault == SectorState::Corrupt { ", with a wrong checksum" } else { "" };
    format!(
        "version {} {run}for {place}, write {} of thread {}{checksum}",
        found.generation, found.write, found.writer
    )
}
