//! Single figures as points, in their order, and the levels that they are at.

use super::axis::ChartAxis;
use super::path::Point;
use super::table::FigureTable;
use super::{ChartFigure, Key, Mark, path};
use maud::html;

/// Figures, and what is told of them.
#[derive(Debug)]
pub struct Points {
    /// Its own on the page.
    pub id: String,
    /// For the heading.
    pub title: String,
    /// For those who don't see it.
    pub summary: String,
    /// To be read below.
    pub note: String,
    /// Below.
    pub x: ChartAxis,
    /// At the left.
    pub y: ChartAxis,
    /// What stands side by side, or after each other.
    pub groups: Vec<PointGroup>,
    /// Those that are ringed, and what for.
    pub ringed: Option<(String, Vec<Point>)>,
    /// What is marked.
    pub marks: Vec<Mark>,
    /// What it is drawn from.
    pub table: FigureTable,
}

/// Points of one look. All are in the figures of the axes.
#[derive(Debug)]
pub struct PointGroup {
    /// The class that gives their look.
    pub class: &'static str,
    /// What they are.
    pub name: String,
    /// Where they are.
    pub points: Vec<Point>,
    /// (from, to, how high) of each level.
    pub levels: Vec<(f64, f64, f64)>,
}

impl Points {
    /// The chart.
    pub fn chart(self) -> ChartFigure {
        let Points { id, title, summary, note, x, y, groups, ringed, marks, table } = self;
        let place = |(at, figure): &Point| (x.scale.place(*at), y.scale.place(*figure));
        let level = |(from, to, figure): &(f64, f64, f64)| {
            path::line([(*from, *figure), (*to, *figure)].map(|end| Some(place(&end))))
        };
        let drawing = html! {
            @if let Some((_, points)) = &ringed {
                path.ring d=(path::dots(points.iter().map(place))) {}
                path.hole d=(path::dots(points.iter().map(place))) {}
            }
            @for group in &groups {
                path.dots.{(group.class)} d=(path::dots(group.points.iter().map(place))) {}
                path.level.{(group.class)} d=(group.levels.iter().map(level).collect::<String>()) {}
            }
        };
        let key = groups.iter().map(|group| Key::line(group.class, group.name.clone()));
        let key = key.chain(ringed.map(|(name, _)| Key::dot("ring", name))).collect();
        ChartFigure { kind: "points", id, title, summary, note, x, y, key, drawing, marks, table }
    }
}
