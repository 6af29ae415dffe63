//! Flushes (`--fsync-every`) at the end of the text report, behind all that DISKSPD's has.

use super::timed_text::{TIMES, times, write_section};
use diskspd_model::results::{FlushFigures, FlushTable, Measured, Summary};

/// Appends a section for each time span that was to flush.
pub(super) fn write_flushes(out: &mut Vec<u8>, summary: &Summary) {
    for (index, span) in summary.time_spans.iter().enumerate() {
        if let Some(Measured { flushes: Some(FlushTable { rows, total }), .. }) = span {
            let title = format!("Flushes of timespan {}", index + 1);
            let head = format!("   flushes   |  per s   | {TIMES}");
            let rows = rows.iter().map(|row| (row.thread, &row.path, cells(&row.figures)));
            write_section(out, &title, &head, rows, &cells(total));
        }
    }
}

fn cells(figures: &FlushFigures) -> String {
    let FlushFigures { mean, median, p99, p999, max, .. } = figures;
    let times = times([*mean, *median, *p99, *p999, *max]);
    format!("{:12} | {:8.2} | {}", figures.flushes, figures.per_s, times)
}
