//! A chart of two lines of characters with its scale, from zero to the highest figure.
//!
//! ```text
//!     131k │     ▂▅▇█▇▇
//!   IOPS 0 │▂▄▆█████████
//! ```

use crate::report::spark;
use crate::sys::terminal::{DrawnLine, StyledText, TextStyle, width};

const ROWS: usize = 2;
const SCALE: usize = 9;
/// Columns between adjacent charts.
const CHART_GAP: usize = 2;
/// Minimum columns of a useful chart.
const MIN_CHART_WIDTH: usize = 12;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct LiveChart {
    pub name: &'static str,
    pub unit: &'static str,
    pub figures: Vec<Option<f64>>,
    pub ink: TextStyle,
    pub heading: &'static str,
}

impl LiveChart {
    pub(super) fn with_heading(self, heading: &'static str) -> LiveChart {
        LiveChart { heading, ..self }
    }
}

/// Charts side by side, each in its part of the columns; empty if the columns do not suffice. `blocks`: with
/// block characters, otherwise in ASCII.
pub(super) fn lines(charts: &[LiveChart], columns: usize, blocks: bool) -> Vec<DrawnLine> {
    let each = (columns + CHART_GAP) / charts.len().max(1);
    let Some(room) = each.checked_sub(CHART_GAP + SCALE + "| ".len()).filter(|room| *room >= MIN_CHART_WIDTH)
    else {
        return Vec::new();
    };
    let drawn: Vec<[DrawnLine; ROWS]> = charts.iter().map(|chart| draw_chart(chart, room, blocks)).collect();
    let heading = |chart: &LiveChart| {
        vec![StyledText { ink: TextStyle::Faint, text: format!("{:SCALE$}  {}", "", chart.heading) }]
    };
    let headings = charts.iter().any(|chart| !chart.heading.is_empty());
    let mut lines = Vec::new();
    lines.extend(headings.then(|| join_lines(charts.iter().map(heading), each)));
    lines.extend((0..ROWS).map(|row| join_lines(drawn.iter().map(|chart| chart[row].clone()), each)));
    lines
}

fn join_lines(lines: impl Iterator<Item = DrawnLine>, each: usize) -> DrawnLine {
    let mut whole = DrawnLine::new();
    for (number, line) in lines.enumerate() {
        let taken: usize = whole.iter().map(|piece| width(&piece.text)).sum();
        whole.push(StyledText {
            ink: TextStyle::Plain,
            text: " ".repeat((number * each).saturating_sub(taken)),
        });
        whole.extend(line);
    }
    whole.retain(|piece| !piece.text.is_empty());
    whole
}

fn draw_chart(chart: &LiveChart, columns: usize, blocks: bool) -> [DrawnLine; ROWS] {
    let known = spread_figures(&chart.figures, columns);
    let top = known.iter().flatten().copied().fold(0.0, f64::max);
    let names = [format!("{}{}", short_figure(top), chart.unit), format!("{} 0", chart.name)];
    let axis = if blocks { "│" } else { "|" };
    let mut bars = draw_bars(&known, top, blocks).into_iter();
    names.map(|name| {
        let bars = bars.next().unwrap_or_default();
        vec![
            StyledText { ink: TextStyle::Faint, text: format!("{name:>SCALE$} {axis}") },
            StyledText { ink: chart.ink, text: bars.trim_end().to_owned() },
        ]
    })
}

fn spread_figures(figures: &[Option<f64>], columns: usize) -> Vec<Option<f64>> {
    let count = figures.len();
    let column = |at: usize| {
        let first = at * count / columns;
        let behind = ((at + 1) * count / columns).clamp(first + 1, count);
        figures[first..behind].iter().flatten().copied().reduce(f64::max)
    };
    if count == 0 { Vec::new() } else { (0..columns).map(column).collect() }
}

fn draw_bars(figures: &[Option<f64>], top: f64, blocks: bool) -> [String; ROWS] {
    let levels = spark::levels(blocks);
    let steps = levels.len() - 1;
    let heights: Vec<usize> =
        figures.iter().map(|figure| spark::height(*figure, top, ROWS * steps)).collect();
    let row = |from: usize| heights.iter().map(|h| levels[h.saturating_sub(from).min(steps)]).collect();
    [row(steps), row(0)]
}

/// Formats three digits: `0`, `0.125`, `98.1`, `131k`, `1.31M`.
fn short_figure(figure: f64) -> String {
    let scales = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    // 999.6 would be rounded to four digits.
    let (by, unit) = scales.into_iter().find(|(by, _)| figure >= by * 0.9995).unwrap_or((1.0, ""));
    let scaled = figure / by;
    let digits = match scaled {
        0.0 => 0,
        99.95.. => 0,
        9.995.. => 1,
        0.9995.. => 2,
        _ => 3,
    };
    format!("{scaled:.digits$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_chart(figures: &[f64]) -> LiveChart {
        // Less than nothing stands for what is not known.
        let figures = figures.iter().map(|figure| (*figure >= 0.0).then_some(*figure)).collect();
        LiveChart { name: "IOPS", unit: "", figures, ink: TextStyle::Rate, heading: "" }
    }

    fn line_texts(lines: &[DrawnLine]) -> Vec<String> {
        lines.iter().map(|line| line.iter().map(|piece| piece.text.as_str()).collect()).collect()
    }

    #[test]
    fn chart_axis_spans_zero_to_highest_figure() {
        let rising: Vec<f64> = (0..17).map(|step| f64::from(step) * 1000.0).collect();
        for (figures, columns, blocks, expected) in [
            (&rising[..], 28, true, ["    16.0k │         ▁▂▃▄▅▆▇█", "   IOPS 0 │ ▁▂▃▄▅▆▇█████████"]),
            (&rising[..], 28, false, ["    16.0k |          ..:::##", "   IOPS 0 | ...:::##########"]),
            // Unknown values, and values near zero.
            (&[1.0, 16.0, 0.0, -1.0], 23, true, ["     16.0 │   ███", "   IOPS 0 │▁▁▁███"]),
            (&[], 23, true, ["        0 │", "   IOPS 0 │"]),
            (&[0.0, 0.0], 23, true, ["        0 │", "   IOPS 0 │"]),
        ] {
            assert_eq!(
                line_texts(&lines(&[sample_chart(figures)], columns, blocks)),
                expected,
                "{figures:?}"
            );
        }
        assert!(lines(&[sample_chart(&rising)], 22, true).is_empty(), "too narrow");
    }

    #[test]
    fn narrow_chart_keeps_its_peak() {
        let mut figures = vec![Some(1.0); 1000];
        figures[777] = Some(16.0);
        let columns = spread_figures(&figures, 12);
        assert_eq!(columns.iter().filter(|figure| **figure == Some(16.0)).count(), 1);
        assert_eq!((columns.len(), columns[9]), (12, Some(16.0)));
    }

    #[test]
    fn charts_stand_side_by_side_within_their_columns() {
        let both = [
            sample_chart(&[1.0, 2.0]),
            LiveChart { name: "p99", unit: " ms", ..sample_chart(&[16.0, 0.25]) },
        ];
        for columns in 0..200 {
            let lines = line_texts(&lines(&both, columns, true));
            assert_eq!(lines.is_empty(), columns < 48, "{columns}");
            assert!(lines.iter().all(|line| width(line) <= columns), "{columns}: {lines:?}");
        }
        assert_eq!(
            line_texts(&lines(&both, 48, true)),
            [
                "     2.00 │      ██████    16.0 ms │██████",
                "   IOPS 0 │████████████      p99 0 │██████▁▁▁▁▁▁"
            ]
        );
    }

    #[test]
    fn figures_have_three_digits() {
        for (figure, expected) in [
            (0.0, "0"),
            (0.0994, "0.099"),
            (0.9996, "1.00"),
            (9.994, "9.99"),
            (12.34, "12.3"),
            (99.96, "100"),
            (512.4, "512"),
            (999.6, "1.00k"),
            (131_072.0, "131k"),
            (1_310_720.0, "1.31M"),
            (2.5e9, "2.50G"),
        ] {
            assert_eq!(short_figure(figure), expected, "{figure}");
        }
    }
}
