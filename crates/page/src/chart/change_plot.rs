//! Changes of several figures, one row each: the size of the change, its interval, and the zone of
//! insignificant changes.

use super::axis::{ChartAxis, MAX_LOSS_PERCENT, row};
use super::curve::CUT;
use super::table::FigureTable;
use super::{ChartFigure, Key, path};
use maud::html;

#[derive(Debug)]
pub struct Shifts {
    pub id: String,
    pub title: String,
    pub summary: String,
    pub note: String,
    pub label: String,
    pub same: f64,
    pub rows: Vec<ShiftRow>,
    pub table: FigureTable,
}

#[derive(Debug)]
pub struct ShiftRow {
    /// Class of the style sheet.
    pub class: &'static str,
    pub name: String,
    /// Change; `None` = nothing is drawn.
    pub change: Option<f64>,
    pub interval: Option<(f64, f64)>,
}

/// Vertical position of a row's drawing, below its name, as a share of the row.
const HEIGHT: f64 = 0.7;
const NAME: f64 = 0.45;
/// Half of the height of an interval's end mark, as a share of the row.
const END_HEIGHT_SHARE: f64 = 0.1;

/// Limit of displayed intervals in percent, or twice the largest change. A few runs have intervals a
/// hundred times as wide, which would hide the rest.
const MAX_SHOWN_PERCENT: f64 = 100.0;

impl Shifts {
    pub fn chart(self) -> ChartFigure {
        let Shifts { id, title, summary, note, label, same, rows, mut table } = self;
        let far = MAX_SHOWN_PERCENT
            .max(2.0 * rows.iter().filter_map(|row| row.change).map(f64::abs).fold(0.0, f64::max));
        let within = |end: f64| end.clamp(MAX_LOSS_PERCENT, far);
        let interval = |row: &ShiftRow| row.interval.map(|(low, high)| [within(low), within(high)]);
        let changes =
            rows.iter().flat_map(|row| row.change.into_iter().chain(interval(row).into_iter().flatten()));
        let x = ChartAxis::changes(label, changes.chain([-1.5 * same, 1.5 * same]));
        let count = rows.len();
        let at = |change: f64| x.scale.place(change);
        let is_shown = |end: f64| (0.0..=1.0).contains(&at(end));
        let mut all_ends = rows.iter().filter_map(|row| row.interval).flat_map(|(low, high)| [low, high]);
        let note = if all_ends.all(is_shown) { note } else { format!("{note} {CUT}") };
        let height = |number: usize| row(number, count) - HEIGHT / count as f64;
        let end = END_HEIGHT_SHARE / count as f64;
        let whisker = |number: usize, (low, high): (f64, f64)| {
            let middle = height(number);
            let edge = |end: f64| Some((at(end).clamp(0.0, 1.0), middle));
            let shown = [low, high].into_iter().filter(|end| is_shown(*end));
            let uprights = shown.map(|shown| [middle - end, middle + end].map(|y| Some((at(shown), y))));
            path::line([edge(low), edge(high)]) + &uprights.map(path::line).collect::<String>()
        };
        // Interrupted by the names, which no line crosses.
        let ends = |number: usize| [row(number, count) - NAME / count as f64, row(number + 1, count)];
        let upright = |at: f64| -> String {
            (0..count).map(|number| path::line(ends(number).map(|height| Some((at, height))))).collect()
        };
        let zone = (0..count).map(|number| {
            let [high, low] = ends(number);
            ((at(-same), low), (at(same), high))
        });
        let grid: String = x.ticks.iter().map(|tick| upright(tick.at)).collect();
        let drawing = html! {
            path.grid d=(grid) {}
            path.zone d=(path::boxes(zone)) {}
            path.zero d=(upright(at(0.0))) {}
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
        let y = ChartAxis::rows(rows.into_iter().map(|row| row.name).collect());
        ChartFigure { kind: "rows", id, title, summary, note, x, y, key, drawing, marks: Vec::new(), table }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::scale::AxisScale;

    /// Returns the heights of all corners of a path from above, in thousandths.
    fn corner_heights(path: &str) -> Vec<f64> {
        let places = path.split(['M', 'L', 'Z']).filter(|place| !place.is_empty());
        places.map(|place| place.split([' ', 'h']).nth(1).unwrap().parse().unwrap()).collect()
    }

    fn chart(changes: &[(f64, Option<(f64, f64)>)]) -> ChartFigure {
        let rows = changes.iter().map(|(change, interval)| ShiftRow {
            class: "good",
            name: "figure".into(),
            change: Some(*change),
            interval: *interval,
        });
        let text = String::new;
        let mut table = FigureTable::new(&["figure"]);
        changes.iter().for_each(|_| table.row(0.0, [text()]));
        let (id, title, summary, note, label) = (text(), text(), text(), text(), text());
        Shifts { id, title, summary, note, label, same: 2.0, rows: rows.collect(), table }.chart()
    }

    #[test]
    fn axis_of_changes_ends_at_total_loss() {
        for (change, interval, from, to) in [
            (-100.0, None, -100.0, 50.0),
            (-99.0, Some((-100.0, 400.0)), -100.0, 198.0),
            (300.0, Some((-60.0, 90_000.0)), -100.0, 600.0),
            (5000.0, Some((-100.0, 1e9)), -100.0, 10_000.0),
            (-3.0, Some((-150.0, 1.0)), -100.0, 50.0),
        ] {
            let x = chart(&[(change, interval)]).x;
            let AxisScale::Linear { from: begin, to: end } = x.scale else { panic!("{:?}", x.scale) };
            assert_eq!(begin, from, "{change} {interval:?}");
            assert!(end >= change && end <= 1.25 * to, "{change} {interval:?}: {end}");
            assert!(x.ticks.iter().all(|tick| (0.0..=1.0 + 1e-9).contains(&tick.at)), "{:?}", x.ticks);
        }
    }

    #[test]
    fn no_line_crosses_the_name_of_a_row() {
        let count = 4;
        let rows = (0..count).map(|number| ShiftRow {
            class: "good",
            name: format!("{number} with a name that is as long as the chart is wide"),
            change: Some(number as f64),
            interval: Some((-1.0, 5.0)),
        });
        let mut table = FigureTable::new(&["figure"]);
        (0..count).for_each(|number| table.row(0.0, [number.to_string()]));
        let chart = Shifts {
            id: "s".into(),
            title: String::new(),
            summary: String::new(),
            note: String::new(),
            label: String::new(),
            same: 2.0,
            rows: rows.collect(),
            table,
        };
        let drawn = chart.chart().drawing.into_string();
        for class in ["grid", "zone", "zero", "interval good", "dots good"] {
            let begin = format!("<path class=\"{class}\" d=\"");
            let paths: Vec<&str> =
                drawn.split(&begin).skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
            let all: Vec<f64> = paths.into_iter().flat_map(corner_heights).collect();
            assert!(all.len() >= count, "{class}: {drawn}");
            // The lower end of a row is the upper end of the next one, which its name doesn't touch.
            let in_name =
                |height: &&f64| (0.5..1000.0 * NAME / count as f64 - 0.5).contains(&(**height % 250.0));
            assert_eq!(all.iter().find(in_name), None, "{class}: {all:?}");
        }
        // Each line is interrupted: no piece of it is longer than what is below a name.
        let zero = drawn.split("class=\"zero\" d=\"").nth(1).unwrap().split('"').next().unwrap();
        let all = corner_heights(zero);
        for ends in all.chunks(2) {
            assert!((ends[1] - ends[0] - 1000.0 * (1.0 - NAME) / count as f64).abs() < 0.2, "{all:?}");
        }
        assert_eq!(all.len(), 2 * count);
    }
}
