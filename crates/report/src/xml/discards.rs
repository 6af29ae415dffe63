//! Discards: an element that DISKSPD's results don't have (`--xml-verdict`).

use super::flushes::{write_table, write_times};
use super::writer::Writer;
use diskspd_model::results::{DiscardFigures, DiscardTable};

/// `<Discards>` of a time span: all of them, then those of each thread on each target.
pub fn write(out: &mut Writer, table: &DiscardTable) {
    let rows = table.rows.iter().map(|row| (row.thread, &row.path, &row.figures));
    write_table(out, "Discards", &table.total, rows, write_figures);
}

fn write_figures(out: &mut Writer, figures: &DiscardFigures) {
    let DiscardFigures { discards, bytes, per_s, mean, median, p99, p999, max } = figures;
    out.value("Count", discards);
    out.value("Bytes", bytes);
    out.value("PerSecond", format_args!("{per_s:.2}"));
    write_times(out, [*mean, *median, *p99, *p999, *max]);
}
