//! Other operations than reads and writes (`--fsync-every`, `--trim`) at the end of the text report, after
//! DISKSPD's part.

use super::timed_text::{TIMES, times, write_section};
use diskspd_model::operation::Operation;
use diskspd_model::results::{AuxFigures, Summary};

pub(super) fn write_others(out: &mut Vec<u8>, summary: &Summary) {
    Operation::others().for_each(|(op, _)| write_other(out, summary, op));
}

fn write_other(out: &mut Vec<u8>, summary: &Summary, op: Operation) {
    for (index, span) in summary.time_spans.iter().enumerate() {
        let Some(table) = span.as_ref().and_then(|span| span.others.table(op)) else { continue };
        let title = format!("{} of timespan {}", table.row.title, index + 1);
        let bytes = if table.total.bytes.is_some() { "      bytes     | " } else { "" };
        let head = format!("{:^13}| {bytes} per s   | {TIMES}", table.row.plural);
        let rows = table.rows.iter().map(|row| (row.thread, &row.path, figure_cells(&row.figures)));
        write_section(out, &title, &head, rows, &figure_cells(&table.total));
    }
}

fn figure_cells(figures: &AuxFigures) -> String {
    let bytes = figures.bytes.map_or(String::new(), |bytes| format!("{bytes:15} | "));
    format!("{:12} | {bytes}{:8.2} | {}", figures.count, figures.per_s, times(figures.times()))
}
