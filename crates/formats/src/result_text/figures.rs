//! The figures of a time span: its tables, by the names of their columns.

use super::cells::{amount, figure, time};
use super::charts;
use super::lines::{TextLine, TextPiece, unwrapped};
use crate::error::LineError;
use diskspd_results::{DirectionSummary, SpanSummary};
use std::iter::Peekable;

pub(super) const START: &str = "Results for timespan";

/// Reads the results of a time span; `None` = it ended before measuring began.
///
/// # Errors
/// Fails if the text is truncated, or a figure is invalid.
pub(super) fn read(results: TextPiece) -> Result<Option<SpanSummary>, LineError> {
    let mut span = SpanSummary::default();
    let (mut total, mut read, mut write, mut chart) = (false, false, false, false);
    let mut lines = results.lines().filter(|line| !line.text.is_empty()).peekable();
    let (mut last, mut before) = (results.first, "");
    while let Some(line) = lines.next() {
        last = line.number;
        match line.text {
            "Total IO" => read_table(&mut lines, line, &mut span.total, &mut total)?,
            "Read IO" => read_table(&mut lines, line, &mut span.read, &mut read)?,
            "Write IO" => read_table(&mut lines, line, &mut span.write, &mut write)?,
            // Of several targets each has one of its own below its path; that of all comes last.
            text if text.starts_with("%-ile") => {
                chart = charts::read(&mut lines, line, &mut span)? && is_of_all(before);
            }
            // What stands behind is of all time spans, or this program's own.
            text if text == "Totals:" || text.starts_with("Response times of timespan") => break,
            text if text.starts_with("The test was interrupted before the measurements") => return Ok(None),
            _ => of_line(line, &mut span)?,
        }
        before = line.text;
    }
    if !(total && read && write) {
        let what = "the results end before the tables of all, read and written I/Os";
        return Err(LineError::at_line(last, what).hint("was the file cut off?"));
    }
    if span.total.mean_ms.is_some() && !chart {
        let what = "the results end before the latency distribution";
        return Err(LineError::at_line(last, what).hint("was the file cut off?"));
    }
    Ok(Some(span))
}

/// Whether the following latencies cover all I/Os; in the first versions the tables follow here.
fn is_of_all(heading: &str) -> bool {
    matches!(heading, "Total latency distribution:" | "total:" | "Write IO")
}

fn of_line(line: TextLine, span: &mut SpanSummary) -> Result<(), LineError> {
    if let Some(cells) = line.text.strip_prefix("avg.|") {
        let usage = cells.split('|').next().unwrap_or_default();
        span.cpu_percent = figure(usage.trim().trim_end_matches('%'), line.number)?;
    } else if let Some(seconds) = line.text.strip_prefix("actual test time:") {
        span.seconds = figure(seconds.trim().trim_end_matches('s'), line.number)?;
    } else if let Some(threads) = line.text.strip_prefix("thread count:") {
        span.parameters.threads = Some(amount(threads.trim(), line.number)?);
    }
    Ok(())
}

/// Reads a table from its heading to the line of all threads. An earlier table belongs to other results.
fn read_table<'a>(
    lines: &mut Peekable<impl Iterator<Item = TextLine<'a>>>,
    heading: TextLine,
    figures: &mut DirectionSummary,
    is_there: &mut bool,
) -> Result<(), LineError> {
    if *is_there {
        let what = format!("a second table \"{}\" in the results of one time span", heading.text);
        let fault = LineError::at_line(heading.number, what);
        return Err(
            fault.hint("are these figures of another run? keep each report from its \"Command Line:\" on")
        );
    }
    let mut columns = None;
    while let Some(line) = lines.next() {
        if line.text.starts_with("thread |") {
            columns = Some(unwrapped(line, lines, |text| !text.starts_with('-')));
        } else if line.text.starts_with("total:") {
            let Some(columns) = columns else { break };
            let row = unwrapped(line, lines, |text| text.chars().all(|c| "0123456789.| N/A".contains(c)));
            // Bytes stand right behind `total:`, and there is no column for a file.
            let cells = row.trim_start_matches("total:").split('|');
            for (column, cell) in columns.split('|').skip(1).zip(cells) {
                set_figure(figures, column.trim(), cell.trim(), line.number)?;
            }
            // Without samples 0.000 stands there, and no deviation.
            figures.mean_ms = figures.mean_ms.filter(|_| figures.std_dev_ms.is_some());
            *is_there = true;
            return Ok(());
        }
    }
    let what = format!("the table \"{}\" has no line of all threads", heading.text);
    Err(LineError::at_line(heading.number, what).hint("was the file cut off?"))
}

fn set_figure(
    figures: &mut DirectionSummary,
    column: &str,
    cell: &str,
    line: usize,
) -> Result<(), LineError> {
    match column {
        "bytes" => figures.bytes = Some(amount(cell, line)?),
        "I/Os" => figures.ios = Some(amount(cell, line)?),
        // Both are 2^20 bytes per second.
        "MiB/s" | "MB/s" => figures.mib_per_s = figure(cell, line)?,
        "I/O per s" => figures.iops = figure(cell, line)?,
        "AvgLat" => figures.mean_ms = time(cell, line)?,
        "LatStdDev" => figures.std_dev_ms = time(cell, line)?,
        "IopsStdDev" => figures.iops_std_dev = figure(cell, line)?,
        _ => {}
    }
    Ok(())
}
