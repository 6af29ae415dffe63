//! Response times at the end of the text report, behind all that DISKSPD's has.

use super::text_tables::LABELS;
use crate::results::{ChartRow, Measured, PacedLatency, Summary};

/// Appends a section for each time span whose I/Os had times to start at and were timed (`-L`).
pub(super) fn write_response_times(out: &mut Vec<u8>, summary: &Summary) {
    for (index, span) in summary.time_spans.iter().enumerate() {
        if let Some(measured) = span {
            write_section(out, index + 1, measured);
        }
    }
}

fn write_section(out: &mut Vec<u8>, number: usize, measured: &Measured) {
    let Some(paced) = &measured.paced else { return };
    let (Some(response), Some(service)) = (&paced.response, &paced.service) else { return };
    put!(out, "\n\nResponse times of timespan {number}:\n{}\n\n", "*".repeat(79));
    put!(out, "offered rate:\t\t{:.2} I/O per s\n", paced.offered_iops);
    put!(out, "reached rate:\t\t{:.2} I/O per s\n", paced.iops);
    put!(out, "started late:\t\t{} of {} I/Os (more than 1 ms after they were due)\n", paced.late, paced.ios);
    put!(out, "never started:\t\t{} I/Os that were due\n\n", paced.overdue);
    put!(out, "        |  response, from when an I/O was due  |   service, from when it started\n");
    let columns = " |  Read (ms) | Write (ms) | Total (ms)".repeat(2);
    put!(out, "  %-ile{columns}\n{}\n", "-".repeat(7 + columns.len()));
    let labels = ["mean", "min"].into_iter().chain(LABELS).chain(["max"]);
    for (label, (response, service)) in labels.zip(rows(response).zip(rows(service))) {
        put!(out, "{label:>7}{}{}\n", cells(response), cells(service));
    }
}

/// Mean, minimum, percentiles, maximum.
fn rows(latency: &PacedLatency) -> impl Iterator<Item = ChartRow> {
    let PacedLatency { read, write, total, chart } = latency;
    let mean = ChartRow { read: read.mean, write: write.mean, total: total.mean };
    [mean, chart.min].into_iter().chain(chart.percentiles.iter().copied()).chain([chart.max])
}

fn cells(row: ChartRow) -> String {
    let cell = |ms: Option<f64>| ms.map_or_else(|| "N/A".into(), |ms| format!("{ms:.3}"));
    let cells = [row.read, row.write, row.total].map(|ms| format!(" | {:>10}", cell(ms)));
    cells.concat()
}
