//! Adjacent bars, each of one part or of several stacked parts.

use super::axis::ChartAxis;
use super::table::FigureTable;
use super::{ChartFigure, Key, path};
use maud::html;

#[derive(Debug)]
pub struct Bars {
    pub id: String,
    pub title: String,
    pub summary: String,
    pub note: String,
    pub of: String,
    pub names: Vec<String>,
    pub y: ChartAxis,
    /// (class, name, amounts by bar) of each part, the lowest first.
    pub parts: Vec<(&'static str, String, Vec<f64>)>,
    pub table: FigureTable,
}

/// Width of a bar as a share of its space.
const BAR_WIDTH_SHARE: f64 = 0.72;

impl Bars {
    pub fn chart(self) -> ChartFigure {
        let Bars { id, title, summary, note, of, names, y, parts, mut table } = self;
        let x = ChartAxis::names(of, &names);
        let room = 1.0 / names.len().max(1) as f64;
        let left = |bar: usize| (bar as f64 + (1.0 - BAR_WIDTH_SHARE) / 2.0) * room;
        let mut below = vec![0.0; names.len()];
        let mut paths = Vec::new();
        for (class, _, amounts) in &parts {
            let mut corners = Vec::new();
            for (bar, (amount, below)) in amounts.iter().zip(&mut below).enumerate() {
                let above = *below + amount;
                let (low, high) = (y.scale.place(*below), y.scale.place(above));
                corners.push(((left(bar), low), (left(bar) + BAR_WIDTH_SHARE * room, high)));
                *below = above;
            }
            paths.push((*class, path::boxes(corners)));
        }
        for (bar, row) in table.rows.iter_mut().enumerate() {
            row.at = (bar as f64 + 0.5) * room;
        }
        let drawing = html! { @for (class, path) in &paths { path.bar.{(class)} d=(path) {} } };
        let key = match parts.len() {
            0 | 1 => Vec::new(),
            _ => parts.iter().map(|(class, name, _)| Key::area(class, name.clone())).collect(),
        };
        ChartFigure { kind: "bars", id, title, summary, note, x, y, key, drawing, marks: Vec::new(), table }
    }
}
