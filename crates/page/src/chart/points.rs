//! Single figures as points in their order, and their levels.

use super::axis::ChartAxis;
use super::path::Point;
use super::table::FigureTable;
use super::{ChartFigure, Key, Mark, path};
use maud::html;

#[derive(Debug)]
pub struct Points {
    pub id: String,
    pub title: String,
    pub summary: String,
    pub note: String,
    pub x: ChartAxis,
    pub y: ChartAxis,
    pub groups: Vec<PointGroup>,
    pub ringed: Option<(String, Vec<Point>)>,
    pub marks: Vec<Mark>,
    pub table: FigureTable,
}

/// Points with the same style, in the units of the axes.
#[derive(Debug)]
pub struct PointGroup {
    /// Class that determines their appearance.
    pub class: &'static str,
    pub name: String,
    pub points: Vec<Point>,
    pub levels: Vec<(f64, f64, f64)>,
}

impl Points {
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
