//! Discards: an element that DISKSPD's results don't have (`--xml-verdict`).

use super::flushes::write_times;
use super::writer::Writer;
use crate::results::{DiscardFigures, DiscardTable};

/// `<Discards>` of a time span: all of them, then those of each thread on each target.
pub fn write(out: &mut Writer, table: &DiscardTable) {
    out.open("Discards");
    write_figures(out, &table.total);
    for row in &table.rows {
        out.open("Target");
        out.value("Thread", row.thread);
        out.text("Path", row.path.as_bytes());
        write_figures(out, &row.figures);
        out.close("Target");
    }
    out.close("Discards");
}

fn write_figures(out: &mut Writer, figures: &DiscardFigures) {
    let DiscardFigures { discards, bytes, per_s, mean, median, p99, p999, max } = figures;
    out.value("Count", discards);
    out.value("Bytes", bytes);
    out.value("PerSecond", format_args!("{per_s:.2}"));
    write_times(out, [*mean, *median, *p99, *p999, *max]);
}
