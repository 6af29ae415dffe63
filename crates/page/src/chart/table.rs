//! The table of a chart's figures.

use diskspd_figures::units::table::{Cell, TableColumn};
use diskspd_report::number::{NONE, number};
use maud::{Markup, html};

/// Table whose first column is the header of the row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FigureTable {
    /// Columns with their units.
    pub head: Vec<String>,
    pub rows: Vec<FigureRow>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FigureRow {
    /// Position on the axis as a share of its length.
    pub at: f64,
    pub cells: Vec<String>,
}

impl FigureTable {
    pub fn new(head: &[&str]) -> FigureTable {
        FigureTable { head: head.iter().map(|text| (*text).to_owned()).collect(), rows: Vec::new() }
    }

    /// Creates the table of these rows; `at` returns the position of a row on the horizontal axis.
    pub fn from_rows<R>(columns: &[TableColumn<R>], rows: &[R], at: impl Fn(usize) -> f64) -> FigureTable {
        let columns: Vec<&TableColumn<R>> = columns.iter().filter(|column| column.on_page).collect();
        let cells = |row: &R| columns.iter().map(|column| text((column.cell)(row))).collect();
        let row = |(place, row): (usize, &R)| FigureRow { at: at(place), cells: cells(row) };
        FigureTable {
            head: columns.iter().map(|column| column.heading.to_owned()).collect(),
            rows: rows.iter().enumerate().map(row).collect(),
        }
    }

    pub fn row(&mut self, at: f64, cells: impl IntoIterator<Item = String>) {
        self.rows.push(FigureRow { at, cells: cells.into_iter().collect() });
    }

    pub fn folded(&self, title: &str) -> Markup {
        let rows = if self.rows.len() == 1 { "1 row".into() } else { format!("{} rows", self.rows.len()) };
        html! {
            details {
                summary { "Table" span.quiet { ", " (rows) } }
                div.scroll tabindex="0" role="region" aria-label={ "Table: " (title) } {
                    (self.render_table(title))
                }
            }
        }
    }

    fn render_table(&self, title: &str) -> Markup {
        html! {
            table {
                caption.hidden { (title) }
                thead { tr { @for name in &self.head { th scope="col" { (name) } } } }
                tbody {
                    @for row in &self.rows {
                        tr data-at=((row.at * 1e4).round() / 1e4) {
                            @for (place, cell) in row.cells.iter().enumerate() {
                                @if place == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn text(cell: Cell) -> String {
    match cell {
        Cell::Missing => NONE.to_owned(),
        Cell::Figure(figure, _) => number(figure),
        cell => cell.readable(),
    }
}
