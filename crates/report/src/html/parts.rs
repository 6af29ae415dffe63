//! Tables of what DISKSPD's figures don't tell apart, or don't have: parts of a mix and sizes, other
//! operations than reads and writes, verified sectors. Each is there where there is something to show.

use super::headline::amount_of;
use crate::integrity_text::held;
use crate::number::{exact, exact_time, grouped, number};
use diskspd_model::profile::RawText;
use diskspd_model::results::{
    FailedSector, IntegrityRow, IntegrityTable, Measured, OtherFigures, PartRow, PartTable,
};
use diskspd_model::units::seconds_of_us;
use maud::{Markup, html};

/// Rows of a table at most.
const MOST: usize = 256;

/// The tables of a time span.
pub fn tables(measured: &Measured) -> Markup {
    html! {
        @if let Some(table) = &measured.parts { (parts(table)) }
        @for table in &measured.others.0 {
            @let rows = table.rows.iter().map(|row| (row.thread, &row.path, cells(&row.figures)));
            (by_thread(table.row.title, rows.collect(), cells(&table.total)))
        }
        @if let Some(table) = &measured.integrity { (verified(table)) }
    }
}

fn parts(table: &PartTable) -> Markup {
    let row = |row: &PartRow| {
        let figures = &row.figures;
        html! {
            tr {
                th scope="row" { (row.part) }
                td { (amount_of(row.block_size.into())) }
                td { (count(figures.ios)) }
                td { (exact(figures.share, |share| format!("{share:.2} %"))) }
                td { (count(figures.writes)) }
                td { (amount_of(figures.bytes)) }
                td { (exact(Some(figures.iops), number)) }
                @for ms in [figures.mean, figures.median, figures.p99, figures.p999] {
                    td { (exact_time(ms)) }
                }
                td { (row.path) }
            }
        }
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label="Figures by part" {
            table.figures {
                caption { "By part and size" }
                thead { tr {
                    @for name in [
                        "part", "block", "I/Os", "share", "writes", "amount", "IOPS", "mean", "50 %", "99 %",
                        "99.9 %", "target",
                    ] { th scope="col" { (name) } }
                } }
                tbody { @for part in table.rows.iter().take(MOST) { (row(part)) } }
            }
        }
    }
}

/// Sectors that were verified, by target, and those that were wrong.
fn verified(table: &IntegrityTable) -> Markup {
    fn failed(row: &IntegrityRow) -> impl Iterator<Item = (&RawText, &FailedSector)> {
        row.results.failures.iter().map(|failed| (&row.path, failed))
    }
    let failures: Vec<(&RawText, &FailedSector)> = table.rows.iter().flat_map(failed).collect();
    html! {
        div.scroll tabindex="0" role="region" aria-label="Verified sectors" {
            table.figures {
                caption { "Verified sectors, from the start signal on" }
                thead { tr {
                    @for name in
                        ["target", "stamped", "verified", "unknown", "undecided", "acknowledged", "wrong"]
                    { th scope="col" { (name) } }
                } }
                tbody { @for row in table.rows.iter().take(MOST) {
                    @let of = &row.results.counts;
                    tr {
                        th scope="row" { (row.path) }
                        @for number in
                            [of.stamped, of.verified, of.unknown, of.undecided, of.acknowledged, of.wrong()]
                        { td { (count(number)) } }
                    }
                } }
            }
        }
        @if !failures.is_empty() {
            div.scroll tabindex="0" role="region" aria-label="Sectors that were wrong" {
                table.figures {
                    caption { "Sectors that were not as they were written, the first of each thread" }
                    thead { tr {
                        @for name in
                            ["target", "what", "offset", "version at least", "found after", "it holds"]
                        { th scope="col" { (name) } }
                    } }
                    tbody { @for (path, failed) in failures.iter().take(MOST) {
                        tr {
                            th scope="row" { (path) }
                            td { (failed.fault.name()) }
                            td { (count(failed.offset)) }
                            td { (count(failed.expected)) }
                            td { (format!("{:.3} s", seconds_of_us(failed.at_us))) }
                            td { (held(failed)) }
                        }
                    } }
                }
            }
        }
    }
}

/// A table of what threads did beside reading and writing.
fn by_thread(what: &str, rows: Vec<(u32, &RawText, Markup)>, total: Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label={ (what) " by thread" } {
            table.figures {
                caption { (what) ": in no other figure" }
                thead { tr {
                    @for name in [
                        "thread", "number", "amount", "per s", "mean", "50 %", "99 %", "99.9 %", "longest",
                        "target",
                    ] { th scope="col" { (name) } }
                } }
                tbody {
                    @if rows.len() > 1 { tr { th scope="row" { "all" } (total) td {} } }
                    @for (thread, path, cells) in rows.iter().take(MOST) {
                        tr { th scope="row" { (thread) } (cells) td { (path) } }
                    }
                }
            }
        }
    }
}

fn cells(figures: &OtherFigures) -> Markup {
    html! {
        td { (count(figures.count)) }
        td { @if let Some(bytes) = figures.bytes { (amount_of(bytes)) } }
        td { (exact(Some(figures.per_s), number)) }
        @for ms in figures.times() { td { (exact_time(ms)) } }
    }
}

fn count(count: u64) -> Markup {
    html! { data value=(count) { (grouped(count as f64)) } }
}
