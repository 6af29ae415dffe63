//! Flushes: an element that DISKSPD's results don't have (`--xml-verdict`).

use super::writer::Writer;
use diskspd_model::profile::RawText;
use diskspd_model::results::{FlushFigures, FlushTable};
use diskspd_model::units::Millis;

/// `<Flushes>` of a time span: all of them, then those of each thread on each target.
pub fn write(out: &mut Writer, table: &FlushTable) {
    let rows = table.rows.iter().map(|row| (row.thread, &row.path, &row.figures));
    write_table(out, "Flushes", &table.total, rows, write_figures);
}

/// An element of the total, then of each thread on each target.
pub(super) fn write_table<'a, T: 'a>(
    out: &mut Writer,
    name: &str,
    total: &T,
    rows: impl Iterator<Item = (u32, &'a RawText, &'a T)>,
    write_figures: fn(&mut Writer, &T),
) {
    out.open(name);
    write_figures(out, total);
    for (thread, path, figures) in rows {
        out.open("Target");
        out.value("Thread", thread);
        out.text("Path", path.as_bytes());
        write_figures(out, figures);
        out.close("Target");
    }
    out.close(name);
}

fn write_figures(out: &mut Writer, figures: &FlushFigures) {
    let FlushFigures { flushes, per_s, mean, median, p99, p999, max } = figures;
    out.value("Count", flushes);
    out.value("PerSecond", format_args!("{per_s:.2}"));
    write_times(out, [*mean, *median, *p99, *p999, *max]);
}

/// Mean, median, 99th and 99.9th percentile and the longest time, ms.
pub(super) fn write_times(out: &mut Writer, times: [Option<Millis>; 5]) {
    let names = [
        "AverageMilliseconds",
        "MedianMilliseconds",
        "Percentile99Milliseconds",
        "Percentile999Milliseconds",
        "MaxMilliseconds",
    ];
    names.into_iter().zip(times).for_each(|(name, time)| write_time(out, name, time));
}

/// A time, ms, where it is known.
pub(super) fn write_time(out: &mut Writer, name: &str, time: Option<Millis>) {
    if let Some(time) = time {
        out.value(name, time);
    }
}
