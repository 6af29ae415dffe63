//! Lines over time, with the band between the lowest and the highest value of each point.

use super::axis::ChartAxis;
use super::table::FigureTable;
use super::{ChartFigure, Key, Mark, path};
use crate::downsample::Band;
use maud::html;

#[derive(Debug)]
pub struct TimeSeries {
    /// Class of the style sheet.
    pub class: &'static str,
    pub name: String,
    /// Value of each position; `None` = not measured.
    pub values: Vec<Option<Band>>,
    pub through: fn(&Band) -> f64,
    /// Whether to draw a band from the lowest to the highest value.
    pub band: bool,
}

/// Start and end of each point's interval, in s since the start of the measurement.
pub type PointTimes = Vec<(f64, f64)>;

/// Common time axis of the lines of a chart.
#[derive(Debug)]
pub struct LineTimes {
    pub times: PointTimes,
    /// Length of the axis in s.
    pub seconds: f64,
    pub marks: Vec<Mark>,
}

#[derive(Debug)]
pub struct Lines {
    pub id: String,
    pub title: String,
    pub summary: String,
    pub note: String,
    pub y: ChartAxis,
    pub over: LineTimes,
    /// Lines, the most important one last, because it is drawn on top.
    pub lines: Vec<TimeSeries>,
    pub table: FigureTable,
}

impl Lines {
    pub fn chart(self) -> ChartFigure {
        let Lines { id, title, summary, note, y, over, lines, table } = self;
        let LineTimes { times, seconds, marks } = over;
        let x = ChartAxis::time(seconds);
        let middle: Vec<f64> = times.iter().map(|(from, to)| x.scale.place((from + to) / 2.0)).collect();
        let paths = lines.iter().map(|line| {
            let points = middle.iter().zip(&line.values);
            let through = |(at, value): (&f64, &Option<Band>)| {
                value.as_ref().map(|value| (*at, y.scale.place((line.through)(value))))
            };
            let between = |(at, value): (&f64, &Option<Band>)| {
                value.as_ref().map(|value| (*at, y.scale.place(value.min), y.scale.place(value.max)))
            };
            let band: Vec<_> = if line.band { points.clone().map(between).collect() } else { Vec::new() };
            let places: Vec<Option<path::Point>> = points.map(through).collect();
            // What has no neighbour is no line: it is marked, and drawn over the time that it stands for.
            let alone = lone_points(&places);
            let levels = alone.iter().map(|number| {
                let ends = [times[*number].0, times[*number].1].map(|at| x.scale.place(at));
                path::line(ends.map(|at| places[*number].map(|(_, height)| (at, height))))
            });
            let levels: String = levels.collect();
            let dots = path::dots(alone.iter().filter_map(|number| places[*number]));
            (line.class, path::line(places.iter().copied()) + &levels, path::area(&band), dots)
        });
        let paths: Vec<_> = paths.collect();
        let drawing = html! {
            @for (class, _, band, _) in &paths {
                @if !band.is_empty() { path.band.{(class)} d=(band) {} }
            }
            @for (class, line, _, dots) in &paths {
                path.line.{(class)} d=(line) {}
                @if !dots.is_empty() { path.dots.{(class)} d=(dots) {} }
            }
        };
        let key = lines.iter().rev().map(|line| Key::line(line.class, line.name.clone())).collect();
        ChartFigure { kind: "lines", id, title, summary, note, x, y, key, drawing, marks, table }
    }
}

/// Returns the indexes of points without a neighbour.
fn lone_points(places: &[Option<path::Point>]) -> Vec<usize> {
    let is_there = |number: Option<usize>| number.and_then(|number| places.get(number)?.as_ref()).is_some();
    let is_alone = |number: &usize| {
        is_there(Some(*number)) && !is_there(number.checked_sub(1)) && !is_there(number.checked_add(1))
    };
    (0..places.len()).filter(is_alone).collect()
}
