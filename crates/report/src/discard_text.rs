//! Discards (`--trim`) at the end of the text report, behind all that DISKSPD's has.

use super::timed_text::{TIMES, times, write_section};
use diskspd_model::results::{DiscardFigures, DiscardTable, Measured, Summary};

/// Appends a section for each time span that was to discard.
pub(super) fn write_discards(out: &mut Vec<u8>, summary: &Summary) {
    for (index, span) in summary.time_spans.iter().enumerate() {
        if let Some(Measured { discards: Some(DiscardTable { rows, total }), .. }) = span {
            let title = format!("Discards of timespan {}", index + 1);
            let head = format!("  discards   |       bytes     |  per s   | {TIMES}");
            let rows = rows.iter().map(|row| (row.thread, &row.path, cells(&row.figures)));
            write_section(out, &title, &head, rows, &cells(total));
        }
    }
}

fn cells(figures: &DiscardFigures) -> String {
    let DiscardFigures { mean, median, p99, p999, max, .. } = figures;
    let times = times([*mean, *median, *p99, *p999, *max]);
    format!("{:12} | {:15} | {:8.2} | {}", figures.discards, figures.bytes, figures.per_s, times)
}
