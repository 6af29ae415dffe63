//! Columns that tables of time spans have in common.

use diskspd_figures::units::table::{Cell, TableColumn};
use diskspd_results::SpanSummary;

/// Row of a table about a time span.
pub(crate) trait SpanRow {
    fn span(&self) -> Option<&SpanSummary>;
}

/// Returns the column of I/Os per second; without measurement, a note replaces all figures.
pub(crate) const fn iops<R: SpanRow>() -> TableColumn<R> {
    TableColumn::number("IOPS", |row: &R| match row.span() {
        Some(span) => Cell::figure(span.total.iops, 2),
        None => Cell::Instead("ended before measuring began".to_owned()),
    })
    .paged()
}

/// Returns the column of 2^20 bytes per second.
pub(crate) const fn mib_per_s<R: SpanRow>() -> TableColumn<R> {
    TableColumn::number("MiB/s", |row: &R| Cell::figure(row.span().and_then(|span| span.total.mib_per_s), 2))
        .paged()
}

pub(crate) const fn mean<R: SpanRow>() -> TableColumn<R> {
    TableColumn::number("mean", |row: &R| Cell::time(row.span().and_then(|span| span.total.mean_ms))).paged()
}

/// Returns the column of the 99th percentile.
pub(crate) const fn p99<R: SpanRow>() -> TableColumn<R> {
    TableColumn::number("99 %", |row: &R| percentile(row, 99.0)).paged()
}

/// Returns the column of the 99.9th percentile.
pub(crate) const fn p999<R: SpanRow>() -> TableColumn<R> {
    TableColumn::number("99.9 %", |row: &R| percentile(row, 99.9)).paged()
}

/// Returns the column of the mean CPU usage.
pub(crate) const fn cpus<R: SpanRow>() -> TableColumn<R> {
    TableColumn::number("CPUs, %", |row: &R| Cell::figure(row.span().and_then(|span| span.cpu_percent), 2))
        .paged()
}

fn percentile(row: &impl SpanRow, percent: f64) -> Cell {
    row.span().map_or(Cell::Missing, |span| {
        span.percentile_cell(span.percentile(percent).and_then(|row| row.total))
    })
}
