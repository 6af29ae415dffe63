//! Changes of several figures, a row each: how large, between what, against the zone that counts as the same.

use super::axis::{ChartAxis, row};
use super::table::FigureTable;
use super::{ChartFigure, Key, path};
use maud::html;

/// Changes, in percent.
#[derive(Debug)]
pub struct Shifts {
    /// Its own on the page.
    pub id: String,
    /// For the heading.
    pub title: String,
    /// For those who don't see it.
    pub summary: String,
    /// To be read below.
    pub note: String,
    /// What changed against what.
    pub label: String,
    /// So near 0 is the same.
    pub same: f64,
    /// The figures.
    pub rows: Vec<ShiftRow>,
    /// What it is drawn from, without places; they are added.
    pub table: FigureTable,
}

/// A figure's change.
#[derive(Debug)]
pub struct ShiftRow {
    /// The class that gives its look.
    pub class: &'static str,
    /// What stands above it.
    pub name: String,
    /// The change; `None` = there is nothing to draw.
    pub change: Option<f64>,
    /// Where the true change lies.
    pub interval: Option<(f64, f64)>,
}

/// Where a row's drawing is, share of the row from above: below its name.
const HEIGHT: f64 = 0.7;
/// Half of the height of an end of an interval, share of the row.
const END: f64 = 0.1;

impl Shifts {
    /// The chart.
    pub fn chart(self) -> ChartFigure {
        let Shifts { id, title, summary, note, label, same, rows, mut table } = self;
        let ends = |row: &ShiftRow| row.interval.map(|(low, high)| [low, high]);
        let changes =
            rows.iter().flat_map(|row| row.change.into_iter().chain(ends(row).into_iter().flatten()));
        let x = ChartAxis::changes(label, changes.chain([-1.5 * same, 1.5 * same]));
        let count = rows.len();
        let at = |change: f64| x.scale.place(change);
        let height = |number: usize| row(number, count) - HEIGHT / count as f64;
        let end = END / count as f64;
        let whisker = |number: usize, (low, high): (f64, f64)| {
            let (low, high, middle) = (at(low), at(high), height(number));
            let upright = |at: f64| path::line([Some((at, middle - end)), Some((at, middle + end))]);
            path::line([Some((low, middle)), Some((high, middle))]) + &upright(low) + &upright(high)
        };
        let upright = |change: f64| path::line([Some((at(change), 0.0)), Some((at(change), 1.0))]);
        let grid: String =
            x.ticks.iter().map(|tick| path::line([0.0, 1.0].map(|y| Some((tick.at, y))))).collect();
        let drawing = html! {
            path.grid d=(grid) {}
            path.zone d=(path::boxes([((at(-same), 0.0), (at(same), 1.0))])) {}
            path.zero d=(upright(0.0)) {}
            @for (number, row) in rows.iter().enumerate() {
                @if let Some(interval) = row.interval {
                    path.interval.{(row.class)} d=(whisker(number, interval)) {}
                }
                @if let Some(change) = row.change {
                    path.dots.{(row.class)} d=(path::dots([(at(change), height(number))])) {}
                }
            }
        };
        for (number, line) in table.rows.iter_mut().enumerate() {
            line.at = (number as f64 + HEIGHT) / count as f64;
        }
        let key = vec![Key::area("zone", format!("the same: within ±{same} %"))];
        let kind = if count > 3 { "shifts" } else { "shifts few" };
        let y = ChartAxis::rows(rows.into_iter().map(|row| row.name).collect());
        ChartFigure { kind, id, title, summary, note, x, y, key, drawing, marks: Vec::new(), table }
    }
}
