//! Tables of what DISKSPD's figures don't tell apart, or don't have: parts of a mix and sizes, flushes,
//! discards. Each is there where there is something to show.

use super::headline::amount_of;
use super::number::{exact, grouped, latency, number};
use crate::profile::RawText;
use crate::results::{DiscardFigures, FlushFigures, Measured, PartRow, PartTable};
use maud::{Markup, html};

/// Rows of a table at most.
const MOST: usize = 256;

/// The tables of a time span.
pub fn tables(measured: &Measured) -> Markup {
    html! {
        @if let Some(table) = &measured.parts { (parts(table)) }
        @if let Some(table) = &measured.flushes {
            @let rows = table.rows.iter().map(|row| (row.thread, &row.path, flush_cells(&row.figures)));
            (by_thread("Flushes", rows.collect(), flush_cells(&table.total)))
        }
        @if let Some(table) = &measured.discards {
            @let rows = table.rows.iter().map(|row| (row.thread, &row.path, discard_cells(&row.figures)));
            (by_thread("Discards", rows.collect(), discard_cells(&table.total)))
        }
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
                    td { (exact(ms, latency)) }
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

fn flush_cells(figures: &FlushFigures) -> Markup {
    let FlushFigures { flushes, per_s, mean, median, p99, p999, max } = figures;
    html! {
        td { (count(*flushes)) }
        td {}
        (times(*per_s, [*mean, *median, *p99, *p999, *max]))
    }
}

fn discard_cells(figures: &DiscardFigures) -> Markup {
    let DiscardFigures { discards, bytes, per_s, mean, median, p99, p999, max } = figures;
    html! {
        td { (count(*discards)) }
        td { (amount_of(*bytes)) }
        (times(*per_s, [*mean, *median, *p99, *p999, *max]))
    }
}

fn times(per_s: f64, times: [Option<f64>; 5]) -> Markup {
    html! {
        td { (exact(Some(per_s), number)) }
        @for ms in times { td { (exact(ms, latency)) } }
    }
}

fn count(count: u64) -> Markup {
    html! { data value=(count) { (grouped(count as f64)) } }
}
