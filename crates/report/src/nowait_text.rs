//! I/Os that would have waited (`--nowait`) at the end of the text report, after DISKSPD's part.

use super::timed_text::write_section;
use diskspd_model::results::{NowaitCounts, NowaitFigures, Summary};

/// Heads of the cells of a row.
const HEAD: &str = "    reads    |   misses    |    %    |   writes    |   misses    |    %   ";

pub(super) fn write_nowait(out: &mut Vec<u8>, summary: &Summary) {
    for (index, span) in summary.time_spans.iter().enumerate() {
        let Some(table) = span.as_ref().and_then(|span| span.nowait.as_ref()) else { continue };
        let title = format!("I/Os that would have waited (--nowait) of timespan {}", index + 1);
        let rows = table.rows.iter().map(|row| (row.thread, &row.path, figure_cells(&row.figures)));
        write_section(out, &title, HEAD, rows, &figure_cells(&table.total));
    }
}

fn figure_cells(figures: &NowaitFigures) -> String {
    let of = |counts: &NowaitCounts| {
        let percent = counts.percent.map_or("N/A".to_owned(), |percent| format!("{percent:.2}"));
        format!("{:>11} | {:>11} | {percent:>7}", counts.ios, counts.misses)
    };
    format!("{} | {}", of(&figures.read), of(&figures.write))
}
