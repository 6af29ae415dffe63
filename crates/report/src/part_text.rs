//! Parts of a mix and sizes (`--mix`, `--bs-split`) at the end of the text report, after DISKSPD's part.

use crate::number::time_or;
use diskspd_model::results::{Measured, PartRow, PartTable, Summary};

/// Appends a section for each time span that had some.
pub(super) fn write_parts(out: &mut Vec<u8>, summary: &Summary) {
    for (index, span) in summary.time_spans.iter().enumerate() {
        if let Some(Measured { parts: Some(table), .. }) = span {
            write_section(out, index + 1, table);
        }
    }
}

fn write_section(out: &mut Vec<u8>, number: usize, table: &PartTable) {
    put!(out, "\n\nParts of timespan {number}:\n{}\n\n", "*".repeat(79));
    let header = "part | block size |     I/Os     |    writes    |  share   |    MiB    |  I/O per s  \
                  |  mean (ms) |  50th (ms) |  99th (ms) | 3-nines (ms)";
    put!(out, "{header} |  file\n{}\n", "-".repeat(header.len() + 8));
    for row in &table.rows {
        put!(out, "{} | ", row_cells(row));
        out.extend_from_slice(row.path.as_bytes());
        out.push(b'\n');
    }
}

fn row_cells(row: &PartRow) -> String {
    let figures = &row.figures;
    let cell = |time| time_or("N/A", time);
    format!(
        "{:4} | {:10} | {:12} | {:12} | {:>6} % | {:9.2} | {:11.2} | {:>10} | {:>10} | {:>10} | {:>12}",
        row.part,
        row.block_size,
        figures.ios,
        figures.writes,
        figures.share.map_or_else(|| "N/A".into(), |share| format!("{share:.2}")),
        figures.bytes as f64 / f64::from(1 << 20),
        figures.iops,
        cell(figures.mean),
        cell(figures.median),
        cell(figures.p99),
        cell(figures.p999)
    )
}
