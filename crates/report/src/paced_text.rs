//! Response times at the end of the text report, after DISKSPD's part.

use super::text_tables::LABELS;
use crate::number::time_or;
use diskspd_figures::units::Millis;
use diskspd_results::{ChartRow, LATENESS, Measured, PacedLatency, Summary};

/// Appends a section for each time span whose I/Os had times to start at and were timed (`-L`).
pub(super) fn write_response_times(out: &mut Vec<u8>, summary: &Summary) {
    for (index, span) in summary.time_spans.iter().enumerate() {
        if let Some(measured) = span {
            write_lateness(out, index + 1, measured);
            write_section(out, index + 1, measured);
        }
    }
}

fn write_lateness(out: &mut Vec<u8>, number: usize, measured: &Measured) {
    let Some(paced) = measured.paced.as_ref().filter(|paced| !paced.later_than.is_empty()) else { return };
    put!(out, "\n\nLateness of timespan {number}:\n{}\n\n", "*".repeat(79));
    put!(
        out,
        "recorded I/Os that were started: {}; due and never started: {}\n\n",
        paced.ios,
        paced.not_submitted
    );
    put!(out, "started after they were due |        I/Os |  percent\n{}\n", "-".repeat(51));
    let mut row = |label: String, ios: u64| {
        let percent = ios as f64 * 100.0 / paced.ios.max(1) as f64;
        put!(out, "{label:>27} | {ios:>11} | {percent:>8.3}\n");
    };
    let mut before = paced.ios;
    for ((_, name), later) in LATENESS.iter().zip(&paced.later_than) {
        row(format!("up to {name}"), before.saturating_sub(*later));
        before = *later;
    }
    row("later".into(), before);
    let ms = |time: Option<Millis>| time.map_or_else(|| "N/A".into(), |time| format!("{time} ms"));
    put!(out, "\nmean {}, longest {}\n", ms(paced.mean_delay), ms(paced.max_delay));
}

fn write_section(out: &mut Vec<u8>, number: usize, measured: &Measured) {
    let Some(paced) = &measured.paced else { return };
    let (Some(response), Some(service)) = (&paced.response, &paced.service) else { return };
    put!(out, "\n\nResponse times of timespan {number}:\n{}\n\n", "*".repeat(79));
    put!(out, "offered rate:\t\t{:.2} I/O per s\n", paced.offered_iops);
    put!(out, "reached rate:\t\t{:.2} I/O per s\n", paced.iops);
    put!(
        out,
        "started late:\t\t{} of {} I/Os (more than 1 ms after they were due)\n",
        paced.late_starts,
        paced.ios
    );
    put!(out, "never started:\t\t{} I/Os that were due\n\n", paced.not_submitted);
    put!(out, "        |  response, from when an I/O was due  |   service, from when it started\n");
    let columns = " |  Read (ms) | Write (ms) | Total (ms)".repeat(2);
    put!(out, "  %-ile{columns}\n{}\n", "-".repeat(7 + columns.len()));
    let labels = ["mean", "min"].into_iter().chain(LABELS).chain(["max"]);
    for (label, (response, service)) in labels.zip(latency_rows(response).zip(latency_rows(service))) {
        put!(out, "{label:>7}{}{}\n", row_cells(response), row_cells(service));
    }
}

fn latency_rows(latency: &PacedLatency) -> impl Iterator<Item = ChartRow> {
    let PacedLatency { read, write, total, chart } = latency;
    let mean = ChartRow { read: read.mean, write: write.mean, total: total.mean };
    [mean, chart.min].into_iter().chain(chart.percentiles.iter().copied()).chain([chart.max])
}

fn row_cells(row: ChartRow) -> String {
    let cells = [row.read, row.write, row.total].map(|time| format!(" | {:>10}", time_or("N/A", time)));
    cells.concat()
}
