//! Axes: the labels of a chart, and its grid lines.

use super::scale::{AxisScale, time_step};
use diskspd_report::number::{clock, latency, short};
use maud::{Markup, html};

#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    pub at: f64,
    pub text: String,
}

#[derive(Debug, Clone)]
pub struct ChartAxis {
    pub label: String,
    pub scale: AxisScale,
    pub ticks: Vec<Tick>,
    pub kind: AxisKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisKind {
    /// Figures, or positions of which some have names.
    Figures,
    /// Seconds, which scripts can zoom.
    Time,
    /// Positions with names, in several rows if there are many.
    Named,
    /// Rows from top to bottom with their names in the chart, above their bars.
    Rows,
}

const NAME_HEIGHT: usize = 14;
/// Maximum letters in a row below the chart on a phone.
const LETTERS_OF_ROW: usize = 38;

/// Change in percent of a figure that falls to 0.
pub const MAX_LOSS_PERCENT: f64 = -100.0;

impl ChartAxis {
    fn new(
        label: impl Into<String>,
        scale: AxisScale,
        at: Vec<f64>,
        text: impl Fn(f64) -> String,
    ) -> ChartAxis {
        let ticks = at.into_iter().map(|figure| Tick { at: scale.place(figure), text: text(figure) });
        ChartAxis::with_ticks(label, scale, ticks.collect())
    }

    fn with_ticks(label: impl Into<String>, scale: AxisScale, ticks: Vec<Tick>) -> ChartAxis {
        ChartAxis { label: label.into(), scale, ticks, kind: AxisKind::Figures }
    }

    pub fn time(seconds: f64) -> ChartAxis {
        let seconds = seconds.max(1e-3);
        let step = time_step(seconds);
        let figures = (0..=(seconds / step + 1e-9) as u32).map(|number| f64::from(number) * step).collect();
        let label = if seconds > 120.0 { "time, h:min:s" } else { "time, s" };
        let scale = AxisScale::Linear { from: 0.0, to: seconds };
        ChartAxis { kind: AxisKind::Time, ..ChartAxis::new(label, scale, figures, |at| clock(at, seconds)) }
    }

    pub fn amounts(label: impl Into<String>, highest: f64) -> ChartAxis {
        let scale = AxisScale::from_zero(highest);
        ChartAxis::new(label, scale, scale.round_figures(4.0), short)
    }

    pub fn percent(label: impl Into<String>) -> ChartAxis {
        let figures = vec![0.0, 25.0, 50.0, 75.0, 100.0];
        ChartAxis::new(label, AxisScale::Linear { from: 0.0, to: 100.0 }, figures, |share| {
            format!("{share} %")
        })
    }

    /// Creates a logarithmic axis of latencies in ms.
    pub fn latencies(label: impl Into<String>, figures: impl IntoIterator<Item = f64>) -> ChartAxis {
        let scale = AxisScale::log(figures);
        ChartAxis::new(label, scale, scale.round_figures(4.0), short_latency)
    }

    /// Shares of I/Os that took no longer, by the number of their nines; `nines` = how many the axis has.
    pub fn nines(nines: f64) -> ChartAxis {
        let whole = nines.max(1.0);
        let mut ticks = vec![("0", 0.0), ("50", 0.5f64.log10().abs())];
        const NINES: [&str; 12] = [
            "90",
            "99",
            "99.9",
            "99.99",
            "99.999",
            "99.9999",
            "99.99999",
            "99.999999",
            "9 nines",
            "10 nines",
            "11 nines",
            "12 nines",
        ];
        ticks.extend(NINES.into_iter().zip(1..).map(|(text, number)| (text, f64::from(number))));
        let on = ticks.into_iter().filter(|(_, at)| *at <= whole + 1e-9);
        let ticks = on.map(|(text, at)| Tick { at: at / whole, text: text.into() });
        let scale = AxisScale::Linear { from: 0.0, to: whole };
        ChartAxis::with_ticks("percent of I/Os that took no longer", scale, ticks.collect())
    }

    /// Creates an axis with adjacent names or numbers, of which only some are printed if there are many.
    pub fn names(label: impl Into<String>, names: &[String]) -> ChartAxis {
        let every = names.len().div_ceil(16).max(1);
        let middle = |number: usize| (number as f64 + 0.5) / names.len().max(1) as f64;
        let written = names.iter().enumerate().step_by(every);
        let ticks = written.map(|(number, name)| Tick { at: middle(number), text: name.clone() }).collect();
        let scale = AxisScale::Linear { from: 0.0, to: names.len().max(1) as f64 };
        ChartAxis::with_ticks(label, scale, ticks)
    }

    /// Creates an axis of positions in a row with their names.
    pub fn named_axis(label: impl Into<String>, names: &[String]) -> ChartAxis {
        let end = names.len().max(1) as f64;
        let named = names.iter().enumerate().map(|(number, name)| (number as f64 + 0.5, name.clone()));
        ChartAxis { kind: AxisKind::Named, ..ChartAxis::places(label, end, named.collect()) }
    }

    /// Creates an axis of positions from 0 to `end`, of which some have names.
    pub fn places(label: impl Into<String>, end: f64, named: Vec<(f64, String)>) -> ChartAxis {
        let scale = AxisScale::Linear { from: 0.0, to: end.max(1.0) };
        let ticks = named.into_iter().map(|(at, text)| Tick { at: scale.place(at), text });
        ChartAxis::with_ticks(label, scale, ticks.collect())
    }

    /// Creates an axis of rows with these names; row `n` extends down from [`row`]`(n, count)`.
    pub fn rows(names: Vec<String>) -> ChartAxis {
        let count = names.len();
        let tick = |(number, text)| Tick { at: row(number, count), text };
        let ticks = names.into_iter().enumerate().map(tick).collect();
        let scale = AxisScale::Linear { from: 0.0, to: 1.0 };
        ChartAxis { kind: AxisKind::Rows, ..ChartAxis::with_ticks("", scale, ticks) }
    }

    /// Creates an axis of changes in percent, including 0. No figure falls by more than [`MAX_LOSS_PERCENT`].
    pub fn changes(label: impl Into<String>, changes: impl IntoIterator<Item = f64>) -> ChartAxis {
        let scale = match AxisScale::to_round(changes.into_iter().chain([0.0])) {
            AxisScale::Linear { from, to } => AxisScale::Linear { from: from.max(MAX_LOSS_PERCENT), to },
            scale @ AxisScale::Log { .. } => scale,
        };
        ChartAxis::new(label, scale, scale.round_figures(4.0), |change| match change {
            0.0 => "0".into(),
            change => format!("{}{} %", if change > 0.0 { "+" } else { "−" }, short(change.abs())),
        })
    }

    /// Creates an axis for figures greater than 0 with visible differences, so it does not begin at 0.
    pub fn axis_near(
        label: impl Into<String>,
        figures: impl IntoIterator<Item = f64>,
        text: fn(f64) -> String,
    ) -> ChartAxis {
        let scale = AxisScale::scale_near(figures);
        ChartAxis::new(label, scale, scale.round_figures(4.0), text)
    }

    pub fn below(&self) -> Markup {
        // On a phone every second one has room.
        let crowded = self.ticks.len() > 6 && self.kind != AxisKind::Named;
        let rows = self.rows_of_names();
        let down = |number: usize| 18 + NAME_HEIGHT * (number % rows);
        html! {
            g.x {
                @for (number, tick) in self.ticks.iter().enumerate() {
                    text.odd[crowded && number % 2 == 1] x=(percent(tick.at)) y="100%" dy=(down(number)) {
                        (tick.text)
                    }
                }
            }
            text.unit.end x="100%" y="100%" dy=(36 + NAME_HEIGHT * (rows - 1)) { (self.label) }
        }
    }

    /// Returns the number of rows for the names below, which would overlap in one row on a phone.
    fn rows_of_names(&self) -> usize {
        let longest = self.ticks.iter().map(|tick| tick.text.chars().count() + 1).max().unwrap_or(0);
        match self.kind {
            AxisKind::Named => (self.ticks.len() * longest).div_ceil(LETTERS_OF_ROW).max(1),
            _ => 1,
        }
    }

    /// Returns the height of names below in px, if they need more than one row.
    pub fn more_below(&self) -> Option<usize> {
        Some(NAME_HEIGHT * (self.rows_of_names() - 1)).filter(|height| *height > 0)
    }

    pub fn at_left(&self) -> Markup {
        if self.kind == AxisKind::Rows {
            return self.render_grid();
        }
        html! {
            g.grid {
                @for tick in &self.ticks {
                    line x1="0" x2="100%" y1=(percent(1.0 - tick.at)) y2=(percent(1.0 - tick.at)) {}
                }
            }
            g.y {
                @for tick in &self.ticks {
                    text x="-8" y=(percent(1.0 - tick.at)) dy="4" { (tick.text) }
                }
            }
            text.unit x="-48" y="-24" { (self.label) }
        }
    }

    /// Renders the names of rows at their upper ends.
    fn render_grid(&self) -> Markup {
        html! {
            g.grid {
                @for tick in &self.ticks {
                    line x1="0" x2="100%" y1=(percent(1.0 - tick.at)) y2=(percent(1.0 - tick.at)) {}
                }
            }
            g.names {
                @for tick in &self.ticks {
                    text x="4" y=(percent(1.0 - tick.at)) dy="15" { (tick.text) }
                }
            }
        }
    }
}

/// Returns the upper end of a row as a share of the axis from below.
pub fn row(number: usize, count: usize) -> f64 {
    1.0 - number as f64 / count.max(1) as f64
}

/// Formats a latency in ms for an axis, without trailing zeros.
pub fn short_latency(ms: f64) -> String {
    let text = latency(ms);
    let (number, unit) = text.split_once(' ').unwrap_or((&text, ""));
    let number = number.parse().map_or(number.to_owned(), |number: f64| number.to_string());
    format!("{number} {unit}")
}

/// Formats a share as a percentage in SVG.
pub fn percent(share: f64) -> String {
    format!("{}%", (share * 1e4).round() / 1e2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis_texts(axis: &ChartAxis) -> Vec<&str> {
        axis.ticks.iter().map(|tick| &*tick.text).collect()
    }

    #[test]
    fn axis_figures_are_round_numbers() {
        assert_eq!(axis_texts(&ChartAxis::time(60.0)), ["0", "10", "20", "30", "40", "50", "60"]);
        assert_eq!(axis_texts(&ChartAxis::time(3600.0)).last(), Some(&"1:00:00"));
        assert_eq!(axis_texts(&ChartAxis::nines(3.4)), ["0", "50", "90", "99", "99.9"]);
        assert_eq!(
            axis_texts(&ChartAxis::latencies("", [0.05, 20.0])),
            ["100 µs", "300 µs", "1 ms", "3 ms", "10 ms"]
        );
        assert_eq!(axis_texts(&ChartAxis::amounts("", 97_000.0)), ["0", "25k", "50k", "75k", "100k"]);
    }

    #[test]
    fn many_names_are_thinned() {
        let names: Vec<String> = (0..64).map(|number| number.to_string()).collect();
        assert_eq!(axis_texts(&ChartAxis::names("", &names)).len(), 16);
    }
}
