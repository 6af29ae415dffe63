//! Tables of separately counted and timed operations, flushes and discards, at the end of the text report.

use crate::number::time_or;
use diskspd_model::profile::RawText;
use diskspd_model::units::Millis;

/// Heads of the cells of [`times`].
pub(super) const TIMES: &str = "mean (ms) |  50th (ms) |  99th (ms) | 3-nines (ms) |  max (ms)";

/// Appends a section: a line for each row (thread, target, cells), and one for the total. `head`: the heads
/// of the cells.
pub(super) fn write_section<'a>(
    out: &mut Vec<u8>,
    title: &str,
    head: &str,
    rows: impl Iterator<Item = (u32, &'a RawText, String)>,
    total: &str,
) {
    put!(out, "\n\n{title}:\n{}\n\n", "*".repeat(79));
    let header = format!("thread | {head}");
    put!(out, "{header} |  file\n{}\n", "-".repeat(header.len() + 8));
    for (thread, path, cells) in rows {
        put!(out, "{thread:6} | {cells} | ");
        out.extend_from_slice(path.as_bytes());
        out.push(b'\n');
    }
    put!(out, "{}\ntotal: | {total}\n", "-".repeat(header.len() + 8));
}

/// Cells of mean, median, 99th and 99.9th percentile and the longest time, ms.
pub(super) fn times(times: [Option<Millis>; 5]) -> String {
    let [mean, median, p99, p999, max] = times.map(|time| time_or("N/A", time));
    format!("{mean:>9} | {median:>10} | {p99:>10} | {p999:>12} | {max:>9}")
}
