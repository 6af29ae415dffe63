//! Other operations than reads and writes: elements that DISKSPD's results don't have (`--xml-verdict`).

use super::writer::Writer;
use diskspd_model::results::{AuxFigures, AuxTable};
use diskspd_model::units::Millis;

/// Writes `<Discards>` or another operation of a time span: the total, then each thread on each target.
pub fn write(out: &mut Writer, table: &AuxTable) {
    out.open(table.row.element);
    write_figures(out, &table.total);
    for row in &table.rows {
        out.open("Target");
        out.value("Thread", row.thread);
        out.text("Path", row.path.as_bytes());
        write_figures(out, &row.figures);
        out.close("Target");
    }
    out.close(table.row.element);
}

fn write_figures(out: &mut Writer, figures: &AuxFigures) {
    out.value("Count", figures.count);
    if let Some(bytes) = figures.bytes {
        out.value("Bytes", bytes);
    }
    out.value("PerSecond", format_args!("{:.2}", figures.per_s));
    let names = [
        "AverageMilliseconds",
        "MedianMilliseconds",
        "Percentile99Milliseconds",
        "Percentile999Milliseconds",
        "MaxMilliseconds",
    ];
    names.into_iter().zip(figures.times()).for_each(|(name, time)| write_time(out, name, time));
}

/// A time, ms, where it is known.
pub(super) fn write_time(out: &mut Writer, name: &str, time: Option<Millis>) {
    if let Some(time) = time {
        out.value(name, time);
    }
}
