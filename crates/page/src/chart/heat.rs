//! A heat map of latencies over time, by number of I/Os.

use super::axis::ChartAxis;
use super::scale::AxisScale;
use super::table::FigureTable;
use super::{ChartFigure, Key, Mark, path};
use diskspd_report::number::{clock, grouped, latency};
use maud::html;

/// Maximum number of latency bands.
const BANDS: usize = 26;

/// Lower bounds of the colors: shares of the I/Os of an interval in percent.
const COLOR_STEPS: [f64; 5] = [0.1, 1.0, 5.0, 20.0, 50.0];

/// Classes of the colors, the palest first.
const CLASSES: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];

/// Latencies of one period.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Column {
    pub from: f64,
    pub to: f64,
    /// (latency in ms, I/Os).
    pub counts: Vec<(f64, u64)>,
}

/// Returns the chart; `None` = there are no latencies.
pub fn chart(id: String, columns: &[Column], seconds: f64, marks: Vec<Mark>) -> Option<ChartFigure> {
    let all = columns.iter().flat_map(|column| &column.counts).map(|(ms, _)| *ms);
    all.clone().next()?;
    let y = ChartAxis::latencies("latency", all);
    let x = ChartAxis::time(seconds);
    let counted: Vec<[u64; BANDS]> = columns.iter().map(|column| count(column, y.scale)).collect();
    let mut corners: [Vec<_>; CLASSES.len()] = Default::default();
    for (column, counts) in columns.iter().zip(&counted) {
        let (left, right) = (x.scale.place(column.from), x.scale.place(column.to));
        let all = counts.iter().fold(0, |sum: u64, ios| sum.saturating_add(*ios)).max(1) as f64;
        for (band, ios) in counts.iter().enumerate().filter(|(_, ios)| **ios > 0) {
            let share = 100.0 * *ios as f64 / all;
            let level = COLOR_STEPS.iter().filter(|step| share >= **step).count();
            corners[level].push(((left, low_end(band)), (right, low_end(band + 1))));
        }
    }
    let drawing = html! {
        @for (class, corners) in CLASSES.into_iter().zip(corners) {
            path.cell.{(class)} d=(path::boxes(corners)) {}
        }
    };
    let summary = format!("Latencies of {} time slices, in {BANDS} bands from short to long.", columns.len());
    let note = "The darker (on black: the brighter), the more of a slice's I/Os fall into the \
                band."
        .to_owned();
    let table = figure_table(columns, &counted, &x, &y, seconds);
    let title = "Latency over time, every I/O".to_owned();
    Some(ChartFigure {
        kind: "heat",
        id,
        title,
        summary,
        note,
        x,
        y,
        key: legend_keys(),
        drawing,
        marks,
        table,
    })
}

fn low_end(band: usize) -> f64 {
    band as f64 / BANDS as f64
}

fn count(column: &Column, scale: AxisScale) -> [u64; BANDS] {
    let mut counts = [0u64; BANDS];
    for (ms, ios) in &column.counts {
        let band = (scale.place(*ms) * BANDS as f64).clamp(0.0, BANDS as f64 - 1.0) as usize;
        counts[band] = counts[band].saturating_add(*ios);
    }
    counts
}

fn legend_keys() -> Vec<Key> {
    let first = Key::area(CLASSES[0], format!("< {} %", COLOR_STEPS[0]));
    let others = CLASSES
        .into_iter()
        .skip(1)
        .zip(COLOR_STEPS)
        .map(|(class, step)| Key::area(class, format!("≥ {step} %")));
    [first].into_iter().chain(others).collect()
}

/// Returns the counts by interval and band, without empty bands.
fn figure_table(
    columns: &[Column],
    counted: &[[u64; BANDS]],
    x: &ChartAxis,
    y: &ChartAxis,
    seconds: f64,
) -> FigureTable {
    let used: Vec<usize> = (0..BANDS).filter(|band| counted.iter().any(|counts| counts[*band] > 0)).collect();
    let begin = |band: usize| match y.scale {
        AxisScale::Log { from, to } => from * (to / from).powf(low_end(band)),
        AxisScale::Linear { from, to } => from + (to - from) * low_end(band),
    };
    let mut table = FigureTable::new(&["from"]);
    table.head.extend(used.iter().map(|band| format!("from {}", latency(begin(*band)))));
    for (column, counts) in columns.iter().zip(counted) {
        let ios = used.iter().map(|band| match counts[*band] {
            0 => String::new(),
            ios => grouped(ios as f64),
        });
        let middle = x.scale.place((column.from + column.to) / 2.0);
        table.row(middle, [clock(column.from, seconds)].into_iter().chain(ios));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_io_counts_in_one_band() {
        let column = Column { from: 0.0, to: 1.0, counts: vec![(0.01, 3), (0.1, 7), (100.0, 1)] };
        let chart = chart("h".into(), &[column], 1.0, Vec::new()).unwrap_or_else(|| panic!("no chart"));
        let row = &chart.table.rows[0];
        let ios: Vec<&str> = row.cells.iter().skip(1).map(String::as_str).collect();
        assert_eq!(ios, ["3", "7", "1"]);
        assert_eq!(chart.table.head.len(), row.cells.len());
    }

    #[test]
    fn saturated_io_counts_are_drawn() {
        let column = Column { from: 0.0, to: 1.0, counts: vec![(0.01, u64::MAX), (100.0, u64::MAX)] };
        let chart = chart("h".into(), &[column], 1.0, Vec::new()).unwrap_or_else(|| panic!("no chart"));
        assert_eq!(chart.table.head.len(), 3);
    }

    #[test]
    fn heat_map_needs_latencies() {
        assert!(chart("h".into(), &[Column::default()], 1.0, Vec::new()).is_none());
    }
}
