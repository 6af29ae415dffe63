//! Discards (`--trim`) at the end of the text report, behind all that DISKSPD's has.

use crate::results::{DiscardFigures, DiscardTable, Measured, Summary};

/// Appends a section for each time span that was to discard.
pub(super) fn write_discards(out: &mut Vec<u8>, summary: &Summary) {
    for (index, span) in summary.time_spans.iter().enumerate() {
        if let Some(Measured { discards: Some(table), .. }) = span {
            write_section(out, index + 1, table);
        }
    }
}

fn write_section(out: &mut Vec<u8>, number: usize, table: &DiscardTable) {
    put!(out, "\n\nDiscards of timespan {number}:\n{}\n\n", "*".repeat(79));
    let header = "thread |   discards   |       bytes     |  per s   | mean (ms) |  50th (ms) |  99th (ms) | \
                  3-nines (ms) |  max (ms)";
    put!(out, "{header} |  file\n{}\n", "-".repeat(header.len() + 8));
    for row in &table.rows {
        put!(out, "{:6} | {} | ", row.thread, cells(&row.figures));
        out.extend_from_slice(row.path.as_bytes());
        out.push(b'\n');
    }
    put!(out, "{}\ntotal: | {}\n", "-".repeat(header.len() + 8), cells(&table.total));
}

fn cells(figures: &DiscardFigures) -> String {
    let cell = |ms: Option<f64>| ms.map_or_else(|| "N/A".into(), |ms| format!("{ms:.3}"));
    format!(
        "{:12} | {:15} | {:8.2} | {:>9} | {:>10} | {:>10} | {:>12} | {:>9}",
        figures.discards,
        figures.bytes,
        figures.per_s,
        cell(figures.mean),
        cell(figures.median),
        cell(figures.p99),
        cell(figures.p999),
        cell(figures.max)
    )
}
