//! The hosts of a merged run: a table that can be sorted and searched, and when each did less than usual.

use super::chart::axis::ChartAxis;
use super::chart::table::FigureTable;
use super::chart::{ChartFigure, Key, path};
use super::page::heading;
use super::span::{RecordedSpan, Span};
use diskspd_figures::stats::median;
use diskspd_figures::units::seconds_of_ns;
use diskspd_report::hosts::{HostRow, rows};
use diskspd_report::number::{clock, number};
use diskspd_report::page_table::PageTable;
use diskspd_results::SpanResults;
use maud::{Markup, html};
use std::collections::HashMap;

/// Maximum number of columns of the map.
const SLICES: usize = 240;
/// Maximum number of rows of the map, which shows the slowest hosts.
const MAX_ROWS: usize = 250;

/// Upper bounds of the colors: shares of a host's median rate in percent.
const COLOR_STEPS: [(f64, &str); 4] = [(75.0, "h3"), (50.0, "h4"), (25.0, "h5"), (5.0, "h6")];

/// Returns `None` for a single host.
pub(crate) fn section(span: &Span) -> Option<Markup> {
    let detail = span.detail.as_ref()?;
    detail.judged.record.merged.as_ref()?;
    let rows = rows(detail.judged.record, detail.index);
    let map = detail.results().and_then(|results| map(span, detail, results, &rows));
    (rows.len() > 1).then(|| {
        html! {
            section {
                (heading(span.level, "Hosts"))
                (PageTable::new("sortable", "Hosts, sorted by IOPS").high().render(HostRow::COLUMNS, &rows))
                @if let Some(map) = map { div.charts { (map.markup(span.level + 1)) } }
            }
        }
    })
}

/// The I/Os of each interval, by the place of the host in `rows`; `None` = without `-D`.
fn counts(detail: &RecordedSpan, results: &SpanResults, rows: &[HostRow]) -> Option<(f64, Vec<Vec<u64>>)> {
    let host = detail.judged.record.host();
    let places: HashMap<&str, usize> = rows.iter().enumerate().map(|(at, row)| (row.name, at)).collect();
    let mut counts: Vec<Vec<u64>> = vec![Vec::new(); rows.len()];
    let mut width = 0;
    for target in results.threads.iter().flat_map(|thread| &thread.targets) {
        let path = host.path(target.target).to_string();
        let Some(at) = path.split_once(':').and_then(|(name, _)| places.get(name)) else { continue };
        for series in [&target.read, &target.write].into_iter().filter_map(|done| done.series.as_ref()) {
            width = series.width();
            for (interval, moments) in series.valid().enumerate() {
                if counts[*at].len() <= interval {
                    counts[*at].push(0);
                }
                counts[*at][interval] = counts[*at][interval].saturating_add(moments.count());
            }
        }
    }
    (width > 0).then(|| (seconds_of_ns(width), counts))
}

struct HostSeries {
    /// Median I/Os of its intervals.
    usual: f64,
    counts: Vec<u64>,
}

impl HostSeries {
    fn new(counts: Vec<u64>) -> HostSeries {
        HostSeries { usual: median(counts.iter().map(|count| *count as f64)), counts }
    }

    /// Returns the percentage of the median.
    fn share(&self, count: u64) -> f64 {
        if self.usual > 0.0 { 100.0 * count as f64 / self.usual } else { 100.0 }
    }

    fn cells(&self, name: &str, width_s: f64) -> [String; 5] {
        let lowest = self.counts.iter().enumerate().min_by_key(|(_, count)| **count);
        let (at, least) = lowest.map_or((0, 0), |(at, count)| (at, *count));
        let stalled = self.counts.iter().filter(|count| self.share(**count) < 25.0).count();
        [
            name.to_owned(),
            number(self.usual / width_s),
            number(least as f64 / width_s),
            clock(at as f64 * width_s, self.counts.len() as f64 * width_s),
            stalled.to_string(),
        ]
    }
}

fn map(span: &Span, detail: &RecordedSpan, results: &SpanResults, rows: &[HostRow]) -> Option<ChartFigure> {
    let rows = &rows[..rows.len().min(MAX_ROWS)];
    let (width_s, counts) = counts(detail, results, rows)?;
    let courses: Vec<HostSeries> = counts.into_iter().map(HostSeries::new).collect();
    let longest = courses.iter().map(|course| course.counts.len()).max().filter(|longest| *longest > 1)?;
    let x = ChartAxis::time(longest as f64 * width_s);
    let named = [(0.5, "fastest".to_owned()), (rows.len() as f64 - 0.5, "slowest".to_owned())];
    let y = ChartAxis::places("host", rows.len() as f64, named.into());
    let mut table = FigureTable::new(&["host", "median IOPS", "lowest IOPS", "at", "intervals below 25 %"]);
    for (row, course) in rows.iter().zip(&courses) {
        table.row(0.0, course.cells(row.name, width_s));
    }
    let drawing = drawing(&courses, longest.div_ceil(SLICES), width_s, &x, &y);
    let key =
        COLOR_STEPS.into_iter().map(|(below, class)| Key::area(class, format!("< {below} %"))).collect();
    let is_part = detail.judged.record.hosts.len() > rows.len();
    Some(ChartFigure {
        kind: "heat",
        id: span.id("hosts"),
        title: "Hosts by time: intervals below the host's own median rate".to_owned(),
        summary: format!("{} hosts, the slowest at the top, by time.", rows.len()),
        note: if is_part { format!("The {MAX_ROWS} slowest hosts are shown.") } else { String::new() },
        x,
        y,
        key,
        drawing,
        marks: Vec::new(),
        table,
    })
}

/// `slice` = intervals per column, of which the lowest counts.
fn drawing(courses: &[HostSeries], slice: usize, width_s: f64, x: &ChartAxis, y: &ChartAxis) -> Markup {
    let mut corners: [Vec<_>; COLOR_STEPS.len()] = Default::default();
    for (place, course) in courses.iter().enumerate() {
        let edge = |above: usize| y.scale.place((courses.len() - place - 1 + above) as f64);
        for (number, chunk) in course.counts.chunks(slice).enumerate() {
            let least = chunk.iter().copied().min().map_or(100.0, |count| course.share(count));
            let from = (number * slice) as f64 * width_s;
            let to = from + chunk.len() as f64 * width_s;
            if let Some(level) = COLOR_STEPS.iter().rposition(|(below, _)| least < *below) {
                corners[level].push(((x.scale.place(from), edge(0)), (x.scale.place(to), edge(1))));
            }
        }
    }
    html! {
        @for ((_, class), corners) in COLOR_STEPS.into_iter().zip(corners) {
            path.cell.{(class)} d=(path::boxes(corners)) {}
        }
    }
}
