//! The columns of figures that CSV tables of runs have in common.

use super::{LatencyRow, RunRow};
use diskspd_figures::units::Millis;
use diskspd_figures::units::table::{Cell, TableColumn};

pub(crate) trait RunContext {
    /// Figures of the run; `None` = it failed.
    fn run_line(&self) -> Option<&RunRow>;
}

pub(crate) fn figures<R: RunContext>() -> [TableColumn<R>; 13] {
    [
        TableColumn::number("iops", |row: &R| figure_cell(row, |line| Some(line.iops), 3)),
        TableColumn::number("mib_per_s", |row: &R| figure_cell(row, |line| Some(line.mib_per_s), 3)),
        TableColumn::number("avg_latency_ms", |row: &R| service_cell(row, |of| of.mean_ms)),
        TableColumn::number("p99_latency_ms", |row: &R| service_cell(row, |of| of.p99_ms)),
        TableColumn::number("p99_9_latency_ms", |row: &R| service_cell(row, |of| of.p999_ms)),
        TableColumn::number("avg_response_ms", |row: &R| response_cell(row, |of| of.mean_ms)),
        TableColumn::number("p99_response_ms", |row: &R| response_cell(row, |of| of.p99_ms)),
        TableColumn::number("p99_9_response_ms", |row: &R| response_cell(row, |of| of.p999_ms)),
        TableColumn::number("cpu_percent", |row: &R| figure_cell(row, |line| line.cpu, 2)),
        TableColumn::number("hottest_cpu_percent", |row: &R| figure_cell(row, |line| line.hottest, 2)),
        TableColumn::words("limited_by", |row: &R| {
            Cell::text(row.run_line().and_then(|line| Some(line.limited_by?.name())))
        }),
        TableColumn::words("verdict", |row: &R| {
            row.run_line().map_or(Cell::Missing, |line| line.verdict.verdict_cell())
        }),
        TableColumn::words("severity", |row: &R| {
            row.run_line().map_or(Cell::Missing, |line| line.verdict.severity_cell())
        }),
    ]
}

fn figure_cell(row: &impl RunContext, of: fn(&RunRow) -> Option<f64>, decimals: usize) -> Cell {
    row.run_line().and_then(of).map_or(Cell::Missing, |figure| Cell::Rounded(figure, decimals))
}

fn service_cell(row: &impl RunContext, of: fn(LatencyRow) -> Millis) -> Cell {
    in_full(row.run_line().and_then(|line| line.latency), of)
}

fn response_cell(row: &impl RunContext, of: fn(LatencyRow) -> Millis) -> Cell {
    in_full(row.run_line().and_then(|line| line.response), of)
}

fn in_full(latency: Option<LatencyRow>, of: fn(LatencyRow) -> Millis) -> Cell {
    let written = |latency: LatencyRow| match latency.cell(of(latency)) {
        bound @ Cell::AtLeast(_) => bound,
        _ => Cell::Text(of(latency).in_full()),
    };
    latency.map_or(Cell::Missing, written)
}
