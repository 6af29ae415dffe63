//! Charts: an inline SVG each, complete without scripts, and the table of its figures. Scripts read the
//! figures under the pointer from that table.

pub mod axis;
pub mod bars;
pub mod category_bars;
pub mod change_plot;
pub mod curve;
pub mod heat;
pub mod lines;
pub mod path;
pub mod percentile_chart;
pub mod points;
pub mod scale;
pub mod table;

use super::page::heading;
use axis::{AxisKind, ChartAxis, percent};
use maud::{Markup, html};
use scale::AxisScale;
use table::FigureTable;

#[derive(Debug)]
pub struct ChartFigure {
    /// Class of its kind: `lines`, `heat`.
    pub kind: &'static str,
    pub id: String,
    pub title: String,
    /// Sentence that describes the chart for blind readers.
    pub summary: String,
    pub note: String,
    pub x: ChartAxis,
    pub y: ChartAxis,
    pub key: Vec<Key>,
    /// Paths in a square of 1000 units.
    pub drawing: Markup,
    pub marks: Vec<Mark>,
    /// Figures of the chart; [`table::FigureRow::at`] is the position on the horizontal axis.
    pub table: FigureTable,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Class of the style sheet.
    pub class: &'static str,
    pub text: String,
    pub shape: KeyShape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyShape {
    Line,
    Area,
    Dot,
}

impl Key {
    pub fn line(class: &'static str, text: impl Into<String>) -> Key {
        Key { class, text: text.into(), shape: KeyShape::Line }
    }

    pub fn area(class: &'static str, text: impl Into<String>) -> Key {
        Key { class, text: text.into(), shape: KeyShape::Area }
    }

    pub fn dot(class: &'static str, text: impl Into<String>) -> Key {
        Key { class, text: text.into(), shape: KeyShape::Dot }
    }
}

/// Event with a mark on the horizontal axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Start in the unit of the axis.
    pub from: f64,
    /// End; equal to the start for a moment.
    pub to: f64,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PointLabel {
    /// Position as shares of the chart's width from the left and of its height from the bottom.
    pub place: path::Point,
    pub text: String,
    pub wide_only: bool,
}

impl PointLabel {
    /// Whether the label is to the left of its point, because the chart ends on the right.
    pub fn is_left(&self) -> bool {
        self.place.0 > 0.8
    }
}

const SQUARE: &str = "0 0 1000 1000";

/// Height of a row with its name in rem.
const ROW: f64 = 2.9;

/// Upper and lower end of the drawing as shares of the chart.
const FULL_HEIGHT: [f64; 2] = [0.0, 1.0];

impl ChartFigure {
    /// Returns the whole figure; `level`: its heading level, one more than its section's level.
    pub fn markup(&self, level: u8) -> Markup {
        self.markup_with(level, &[])
    }

    pub fn markup_with(&self, level: u8, labels: &[PointLabel]) -> Markup {
        let (title, text) = (format!("{}-title", self.id), format!("{}-text", self.id));
        let time = (self.x.kind == AxisKind::Time).then_some(match self.x.scale {
            AxisScale::Linear { to, .. } | AxisScale::Log { to, .. } => to,
        });
        html! {
            figure.chart.{(self.kind)} id=(self.id) data-seconds=[time] {
                figcaption {
                    (heading(level, &self.title))
                    (self.render_keys())
                }
                @let below = self.x.more_below();
                div.plot style=[below.map(|height| format!("padding-bottom:calc(2.9rem + {height}px)"))] {
                    svg role="img" style=[self.height()] aria-labelledby={ (title) " " (text) } {
                        title id=(title) { (self.title) }
                        desc id=(text) { (self.summary) }
                        (self.y.at_left())
                        (self.x.below())
                        svg.area width="100%" height="100%" viewBox=(SQUARE) preserveAspectRatio="none" {
                            (self.render_stretches())
                            (self.drawing)
                        }
                        (self.render_numbers())
                        @if !labels.is_empty() {
                            g.names.beside {
                                @for label in labels {
                                    @let (x, y) = (percent(label.place.0), percent(1.0 - label.place.1));
                                    @let dx = if label.is_left() { "-7" } else { "7" };
                                    @let (odd, end) = (label.wide_only, label.is_left());
                                    text.odd[odd].end[end] x=(x) y=(y) dx=(dx) dy="-7" { (label.text) }
                                }
                            }
                        }
                    }
                }
                (self.render_explanation())
                @if !self.note.is_empty() { p.note { (self.note) } }
                (self.table.folded(&self.title))
            }
        }
    }

    fn height(&self) -> Option<String> {
        let rows = self.y.ticks.len().max(1) as f64;
        (self.y.kind == AxisKind::Rows).then(|| format!("height:{:.1}rem", ROW * rows))
    }

    fn render_keys(&self) -> Markup {
        html! {
            @if !self.key.is_empty() {
                ul.key {
                    @for key in &self.key {
                        li {
                            svg.swatch width="26" height="12" aria-hidden="true" {
                                @match key.shape {
                                    KeyShape::Line => path.{(key.class)} d="M2 6H24" {},
                                    KeyShape::Area => rect.{(key.class)} width="26" height="12" {},
                                    KeyShape::Dot => path.{(key.class)} d="M13 6h.01" {},
                                }
                            }
                            (key.text)
                        }
                    }
                }
            }
        }
    }

    fn render_stretches(&self) -> Markup {
        let at = |figure: f64| self.x.scale.place(figure).clamp(0.0, 1.0);
        let corners = |mark: &Mark| ((at(mark.from), FULL_HEIGHT[0]), (at(mark.to), FULL_HEIGHT[1]));
        let (moments, long): (Vec<&Mark>, Vec<&Mark>) =
            self.marks.iter().partition(|mark| mark.to <= mark.from);
        let above = |mark: &&Mark| path::line([Some((at(mark.from), 1.0)), Some((at(mark.to), 1.0))]);
        let brackets: String = long.iter().map(above).collect();
        let moments: String = moments
            .into_iter()
            .map(|mark| path::line(FULL_HEIGHT.map(|height| Some((at(mark.from), height)))))
            .collect();
        html! {
            @if !long.is_empty() {
                path.stretch d=(path::boxes(long.into_iter().map(corners))) {}
                path.bracket d=(brackets) {}
            }
            @if !moments.is_empty() { path.moment d=(moments) {} }
        }
    }

    fn render_numbers(&self) -> Markup {
        html! {
            @if !self.marks.is_empty() {
                g.marks {
                    @for (number, mark) in (1..).zip(&self.marks) {
                        @let at = self.x.scale.place((mark.from + mark.to) / 2.0).clamp(0.0, 1.0);
                        text x=(percent(at)) y="-7" { (number) }
                    }
                }
            }
        }
    }

    fn render_explanation(&self) -> Markup {
        html! {
            @if !self.marks.is_empty() {
                ol.marked { @for mark in &self.marks { li { (mark.text) } } }
            }
        }
    }
}
