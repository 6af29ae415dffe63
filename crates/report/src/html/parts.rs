//! Tables of figures that DISKSPD does not have or separate: parts of a mix and sizes, other operations
//! than reads and writes, I/Os that would have waited, verified sectors. Empty tables are omitted.

use super::table::PageTable;
use crate::integrity_text::held_text;
use diskspd_model::profile::RawText;
use diskspd_model::results::{
    AuxFigures, AuxTable, FailedSector, IntegrityCounts, IntegrityRow, IntegrityTable, Measured,
    NowaitCounts, NowaitFigures, NowaitTable, PartRow, PartTable,
};
use diskspd_model::units::seconds_of_us;
use diskspd_model::units::table::{Cell, TableColumn};
use maud::{Markup, html};

/// Rows of a table at most.
const MOST: usize = 256;

/// The tables of a time span.
pub fn tables(measured: &Measured) -> Markup {
    html! {
        @if let Some(table) = &measured.parts { (render_parts(table)) }
        @for table in &measured.others.0 { (by_thread(table)) }
        @if let Some(table) = &measured.nowait { (render_nowait(table)) }
        @if let Some(table) = &measured.integrity { (render_integrity(table)) }
    }
}

const PARTS: [TableColumn<PartRow>; 12] = [
    TableColumn::<PartRow>::words("part", |row| Cell::named(row.part.to_string())).paged(),
    TableColumn::<PartRow>::number("block", |row| Cell::Size(row.block_size.into())).paged(),
    TableColumn::<PartRow>::number("I/Os", |row| Cell::Whole(row.figures.ios)).paged(),
    TableColumn::<PartRow>::number("share", |row| {
        row.figures.share.map_or(Cell::Missing, |share| Cell::Share(share, 2))
    })
    .paged(),
    TableColumn::<PartRow>::number("writes", |row| Cell::Whole(row.figures.writes)).paged(),
    TableColumn::<PartRow>::number("amount", |row| Cell::Size(row.figures.bytes)).paged(),
    TableColumn::<PartRow>::number("IOPS", |row| Cell::Figure(row.figures.iops, 2)).paged(),
    TableColumn::<PartRow>::number("mean", |row| Cell::time(row.figures.mean)).paged(),
    TableColumn::<PartRow>::number("50 %", |row| Cell::time(row.figures.median)).paged(),
    TableColumn::<PartRow>::number("99 %", |row| Cell::time(row.figures.p99)).paged(),
    TableColumn::<PartRow>::number("99.9 %", |row| Cell::time(row.figures.p999)).paged(),
    TableColumn::<PartRow>::words("target", |row| Cell::Text(row.path.to_string())).paged(),
];

fn render_parts(table: &PartTable) -> Markup {
    PageTable::captioned("By part and size").render(&PARTS, first_rows(&table.rows))
}

fn first_rows<R>(rows: &[R]) -> &[R] {
    &rows[..rows.len().min(MOST)]
}

const VERIFIED: [TableColumn<IntegrityRow>; 7] = [
    TableColumn::<IntegrityRow>::words("target", |row| Cell::named(row.path.to_string())).paged(),
    TableColumn::<IntegrityRow>::number("stamped", |row| count_cell(row, |of| of.stamped)).paged(),
    TableColumn::<IntegrityRow>::number("verified", |row| count_cell(row, |of| of.verified)).paged(),
    TableColumn::<IntegrityRow>::number("unknown", |row| count_cell(row, |of| of.unknown)).paged(),
    TableColumn::<IntegrityRow>::number("undecided", |row| count_cell(row, |of| of.undecided)).paged(),
    TableColumn::<IntegrityRow>::number("acknowledged", |row| count_cell(row, |of| of.acknowledged)).paged(),
    TableColumn::<IntegrityRow>::number("wrong", |row| count_cell(row, IntegrityCounts::wrong)).paged(),
];

fn count_cell(row: &IntegrityRow, of: fn(&IntegrityCounts) -> u64) -> Cell {
    Cell::Whole(of(&row.results.counts))
}

/// A sector that was wrong, and its target.
struct FailedLine<'a> {
    path: &'a RawText,
    failed: &'a FailedSector,
}

impl<'a> FailedLine<'a> {
    const COLUMNS: &'a [TableColumn<FailedLine<'a>>] = &[
        TableColumn::<FailedLine>::words("target", |line| Cell::named(line.path.to_string())).paged(),
        TableColumn::<FailedLine>::words("what", |line| Cell::text(Some(line.failed.fault.name()))).paged(),
        TableColumn::<FailedLine>::number("offset", |line| Cell::Whole(line.failed.offset)).paged(),
        TableColumn::<FailedLine>::number("version at least", |line| Cell::Whole(line.failed.expected))
            .paged(),
        TableColumn::<FailedLine>::number("found after", |line| {
            Cell::Text(format!("{:.3} s", seconds_of_us(line.failed.at_us)))
        })
        .paged(),
        TableColumn::<FailedLine>::words("it holds", |line| Cell::Text(held_text(line.failed))).paged(),
    ];
}

fn render_integrity(table: &IntegrityTable) -> Markup {
    fn of_row(row: &IntegrityRow) -> impl Iterator<Item = FailedLine<'_>> {
        row.results.failures.iter().map(|failed| FailedLine { path: &row.path, failed })
    }
    let failures: Vec<FailedLine> = table.rows.iter().flat_map(of_row).collect();
    let wrong = "Corrupt sectors, the first ones of each thread";
    html! {
        (PageTable::captioned("Verified sectors, from the start signal on")
                .render(&VERIFIED, first_rows(&table.rows)))
        @if !failures.is_empty() {
                (PageTable::captioned(wrong).render(FailedLine::COLUMNS, first_rows(&failures)))
            }
    }
}

struct ThreadLine<'a> {
    name: String,
    figures: &'a AuxFigures,
    path: String,
}

impl<'a> ThreadLine<'a> {
    const COLUMNS: &'a [TableColumn<ThreadLine<'a>>] = &[
        TableColumn::<ThreadLine>::words("thread", |line| Cell::named(&line.name)).paged(),
        TableColumn::<ThreadLine>::number("number", |line| Cell::Whole(line.figures.count)).paged(),
        TableColumn::<ThreadLine>::number("amount", |line| Cell::size(line.figures.bytes)).optional().paged(),
        TableColumn::<ThreadLine>::number("per s", |line| Cell::Figure(line.figures.per_s, 2)).paged(),
        TableColumn::<ThreadLine>::number("mean", |line| Cell::time(line.figures.times()[0])).paged(),
        TableColumn::<ThreadLine>::number("50 %", |line| Cell::time(line.figures.times()[1])).paged(),
        TableColumn::<ThreadLine>::number("99 %", |line| Cell::time(line.figures.times()[2])).paged(),
        TableColumn::<ThreadLine>::number("99.9 %", |line| Cell::time(line.figures.times()[3])).paged(),
        TableColumn::<ThreadLine>::number("longest", |line| Cell::time(line.figures.times()[4])).paged(),
        TableColumn::<ThreadLine>::words("target", |line| Cell::Text(line.path.clone())).paged(),
    ];
}

fn by_thread(table: &AuxTable) -> Markup {
    let all = ThreadLine { name: "all".to_owned(), figures: &table.total, path: String::new() };
    let mut lines: Vec<ThreadLine> = Vec::new();
    lines.extend((table.rows.len() > 1).then_some(all));
    lines.extend(table.rows.iter().take(MOST).map(|row| ThreadLine {
        name: row.thread.to_string(),
        figures: &row.figures,
        path: row.path.to_string(),
    }));
    let caption = format!("{}: not counted in any other figure", table.row.title);
    PageTable::captioned(&caption).render(ThreadLine::COLUMNS, &lines)
}

struct NowaitLine {
    name: String,
    figures: NowaitFigures,
    path: String,
}

const NOWAIT: [TableColumn<NowaitLine>; 8] = [
    TableColumn::<NowaitLine>::words("thread", |line| Cell::named(&line.name)).paged(),
    TableColumn::<NowaitLine>::number("reads", |line| Cell::Whole(line.figures.read.ios)).paged(),
    TableColumn::<NowaitLine>::number("misses", |line| Cell::Whole(line.figures.read.misses)).paged(),
    TableColumn::<NowaitLine>::number("of reads", |line| missed_cell(line.figures.read)).paged(),
    TableColumn::<NowaitLine>::number("writes", |line| Cell::Whole(line.figures.write.ios)).paged(),
    TableColumn::<NowaitLine>::number("write misses", |line| Cell::Whole(line.figures.write.misses)).paged(),
    TableColumn::<NowaitLine>::number("of writes", |line| missed_cell(line.figures.write)).paged(),
    TableColumn::<NowaitLine>::words("target", |line| Cell::Text(line.path.clone())).paged(),
];

fn missed_cell(counts: NowaitCounts) -> Cell {
    counts.percent.map_or(Cell::Missing, |percent| Cell::Share(percent, 2))
}

/// I/Os that would have waited, by thread and target.
fn render_nowait(table: &NowaitTable) -> Markup {
    let all = NowaitLine { name: "all".to_owned(), figures: table.total, path: String::new() };
    let mut lines: Vec<NowaitLine> = Vec::new();
    lines.extend((table.rows.len() > 1).then_some(all));
    lines.extend(table.rows.iter().take(MOST).map(|row| NowaitLine {
        name: row.thread.to_string(),
        figures: row.figures,
        path: row.path.to_string(),
    }));
    PageTable::captioned("I/Os that would have waited (--nowait), repeated without the flag")
        .render(&NOWAIT, &lines)
}
