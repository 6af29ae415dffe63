//! Horizontal bars, each below its name, for long names.

use super::axis::{ChartAxis, row};
use super::table::FigureTable;
use super::{ChartFigure, Key, path};
use maud::html;

#[derive(Debug)]
pub struct CategoryBars {
    pub id: String,
    pub title: String,
    pub summary: String,
    pub note: String,
    /// Names of the bars, complete in the table.
    pub names: Vec<String>,
    pub x: ChartAxis,
    /// (class, name, amounts by bar) of each part, the leftmost first.
    pub parts: Vec<(&'static str, String, Vec<f64>)>,
    pub table: FigureTable,
}

/// Start and end of a bar as shares of its row from the top: below its name.
const BAR: [f64; 2] = [0.52, 0.84];

/// Maximum letters of a name on a phone.
const MAX_NAME_LENGTH: usize = 40;

impl CategoryBars {
    pub fn chart(self) -> ChartFigure {
        let CategoryBars { id, title, summary, note, names, x, parts, mut table } = self;
        let count = names.len();
        let height = |number: usize, share: f64| row(number, count) - share / count.max(1) as f64;
        let mut before = vec![0.0; count];
        let mut paths = Vec::new();
        for (class, _, amounts) in &parts {
            let mut corners = Vec::new();
            for (number, (amount, before)) in amounts.iter().zip(&mut before).enumerate() {
                let behind = *before + amount;
                let ends = [x.scale.place(*before), x.scale.place(behind)];
                corners.push(((ends[0], height(number, BAR[1])), (ends[1], height(number, BAR[0]))));
                *before = behind;
            }
            paths.push((*class, path::boxes(corners)));
        }
        for (number, line) in table.rows.iter_mut().enumerate() {
            line.at = (number as f64 + (BAR[0] + BAR[1]) / 2.0) / count.max(1) as f64;
        }
        let drawing = html! { @for (class, path) in &paths { path.bar.{(class)} d=(path) {} } };
        let key = match parts.len() {
            0 | 1 => Vec::new(),
            _ => parts.iter().map(|(class, name, _)| Key::area(class, name.clone())).collect(),
        };
        let y = ChartAxis::rows(names.iter().map(|name| shortened(name)).collect());
        ChartFigure { kind: "rows", id, title, summary, note, x, y, key, drawing, marks: Vec::new(), table }
    }
}

fn shortened(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= MAX_NAME_LENGTH {
        return name.to_owned();
    }
    let begin: String = letters[..MAX_NAME_LENGTH / 4].iter().collect();
    let end: String = letters[letters.len() - (MAX_NAME_LENGTH - MAX_NAME_LENGTH / 4 - 1)..].iter().collect();
    format!("{begin}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_begin_and_end() {
        assert_eq!(shortened("/dev/nvme0n1"), "/dev/nvme0n1");
        let name = format!("/mnt/{}/part-7.dat", "folder/".repeat(20));
        let short = shortened(&name);
        assert_eq!(short.chars().count(), MAX_NAME_LENGTH);
        assert!(short.starts_with("/mnt/folde…") && short.ends_with("/part-7.dat"), "{short}");
    }

    #[test]
    fn bars_follow_names_and_parts_are_stacked() {
        let mut table = FigureTable::new(&["target", "IOPS"]);
        for name in ["a", "b"] {
            table.row(0.0, [name.to_owned(), "3".into()]);
        }
        let bars = CategoryBars {
            id: "n".into(),
            title: String::new(),
            summary: String::new(),
            note: String::new(),
            names: vec!["a".into(), "b".into()],
            x: ChartAxis::amounts("", 4.0),
            parts: vec![("read", "read".into(), vec![1.0, 0.0]), ("write", "write".into(), vec![2.0, 4.0])],
            table,
        };
        let chart = bars.chart();
        let drawn = chart.drawing.into_string();
        // The first row goes from 0 to 500: its name from 0 to 260, its bar from 260 to 420.
        assert!(drawn.contains("M0 420L0 260L250 260L250 420Z"), "{drawn}");
        assert!(drawn.contains("M250 420L250 260L750 260L750 420Z"), "{drawn}");
        assert!(drawn.contains("M0 920L0 760L1000 760L1000 920Z"), "{drawn}");
        let places = chart.table.rows.iter().map(|row| (row.at * 1e4).round());
        assert_eq!(places.collect::<Vec<_>>(), [3400.0, 8400.0]);
    }
}
