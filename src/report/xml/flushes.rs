//! Flushes: an element that DISKSPD's results don't have (`--xml-verdict`).

use super::writer::Writer;
use crate::results::{FlushFigures, FlushTable};

/// `<Flushes>` of a time span: all of them, then those of each thread on each target.
pub fn write(out: &mut Writer, table: &FlushTable) {
    out.open("Flushes");
    write_figures(out, &table.total);
    for row in &table.rows {
        out.open("Target");
        out.value("Thread", row.thread);
        out.text("Path", row.path.as_bytes());
        write_figures(out, &row.figures);
        out.close("Target");
    }
    out.close("Flushes");
}

fn write_figures(out: &mut Writer, figures: &FlushFigures) {
    let FlushFigures { flushes, per_s, mean, median, p99, p999, max } = figures;
    out.value("Count", flushes);
    out.value("PerSecond", format_args!("{per_s:.2}"));
    let times = [
        ("AverageMilliseconds", mean),
        ("MedianMilliseconds", median),
        ("Percentile99Milliseconds", p99),
        ("Percentile999Milliseconds", p999),
        ("MaxMilliseconds", max),
    ];
    for (name, ms) in times {
        if let Some(ms) = ms {
            out.value(name, format_args!("{ms:.3}"));
        }
    }
}
