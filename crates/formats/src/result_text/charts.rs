//! Latency at percentiles.

use super::cells::time;
use super::lines::TextLine;
use crate::error::LineError;
use diskspd_results::TEXT_PERCENTS;
use diskspd_results::{ChartRow, PercentileSummary, SpanSummary};

const LABELS: [&str; TEXT_PERCENTS.len()] = [
    "25th", "50th", "75th", "90th", "95th", "99th", "3-nines", "4-nines", "5-nines", "6-nines", "7-nines",
    "8-nines", "9-nines",
];

pub(super) fn read<'a>(
    lines: &mut impl Iterator<Item = TextLine<'a>>,
    heading: TextLine,
    span: &mut SpanSummary,
) -> Result<bool, LineError> {
    span.percentiles.clear();
    for line in lines {
        let mut cells = line.text.split('|').map(str::trim);
        let label = cells.next().unwrap_or_default();
        let percent = LABELS.iter().position(|known| *known == label).map(|place| TEXT_PERCENTS[place]);
        if percent.is_none() && !matches!(label, "min" | "max") {
            continue;
        }
        let mut next = || time(cells.next().unwrap_or_default(), line.number);
        let mut row = ChartRow { read: next()?, write: next()?, total: next()? };
        // Without any samples 0.000 stands there.
        row.total = row.total.filter(|_| row.read.is_some() || row.write.is_some());
        match percent {
            Some(percent) if row != ChartRow::default() => {
                span.percentiles.push(PercentileSummary { percent, latency: row });
            }
            Some(_) => {}
            None if label == "min" => {
                (span.read.min_ms, span.write.min_ms, span.total.min_ms) = (row.read, row.write, row.total);
            }
            None => {
                (span.read.max_ms, span.write.max_ms, span.total.max_ms) = (row.read, row.write, row.total);
                return Ok(true);
            }
        }
    }
    Err(LineError::at_line(heading.number, "the latency table has no 'max' row")
        .hint("was the file cut off?"))
}
