//! Tables: rows of columns. A column says what it is called and how its cell is had from a row; how that is
//! written for programs (CSV), for people and in Markdown is said here once.

use super::visible::line;
use super::{Millis, amount};
use std::borrow::Cow;

/// A column of rows of one kind.
pub struct TableColumn<R> {
    /// Its name, with the unit.
    pub name: &'static str,
    /// Whether it's among those for people: CSV has all.
    pub brief: bool,
    /// Whether it holds numbers.
    pub is_number: bool,
    /// What stands in it.
    pub cell: fn(&R) -> Cell,
}

impl<R> TableColumn<R> {
    /// One of words.
    pub const fn words(name: &'static str, cell: fn(&R) -> Cell) -> TableColumn<R> {
        TableColumn { name, brief: false, is_number: false, cell }
    }

    /// One of numbers.
    pub const fn number(name: &'static str, cell: fn(&R) -> Cell) -> TableColumn<R> {
        TableColumn { name, brief: false, is_number: true, cell }
    }

    /// The same, for people too.
    #[must_use]
    pub const fn brief(self) -> TableColumn<R> {
        TableColumn { brief: true, ..self }
    }
}

/// What stands in a column of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Not recorded.
    Missing,
    /// Words.
    Text(String),
    /// Bytes of a block.
    Size(u64),
    /// A whole number.
    Whole(u64),
    /// A figure; people see so many decimals of it.
    Figure(f64, usize),
    /// A time.
    Time(Millis),
}

impl Cell {
    /// For programs: figures with all their digits.
    pub fn plain(self) -> String {
        match self {
            Cell::Missing => String::new(),
            Cell::Text(text) => text,
            Cell::Size(number) | Cell::Whole(number) => number.to_string(),
            Cell::Figure(figure, _) => figure.to_string(),
            Cell::Time(time) => time.ms().to_string(),
        }
    }

    /// For people.
    pub fn readable(self) -> String {
        match self {
            Cell::Size(bytes) => amount(bytes),
            Cell::Figure(figure, decimals) => format!("{figure:.decimals$}"),
            Cell::Time(time) => time.to_string(),
            cell => cell.plain(),
        }
    }

    /// Words, as far as they are known.
    pub fn text(text: Option<impl ToString>) -> Cell {
        text.map_or(Cell::Missing, |text| Cell::Text(text.to_string()))
    }

    /// A whole number, as far as it is known.
    pub fn whole(number: Option<impl Into<u64>>) -> Cell {
        number.map_or(Cell::Missing, |number| Cell::Whole(number.into()))
    }

    /// A figure, as far as it is known; people see so many decimals of it.
    pub fn figure(figure: Option<f64>, decimals: usize) -> Cell {
        figure.map_or(Cell::Missing, |figure| Cell::Figure(figure, decimals))
    }

    /// A time, as far as it is known.
    pub fn time(time: Option<Millis>) -> Cell {
        time.map_or(Cell::Missing, Cell::Time)
    }
}

/// As CSV (RFC 4180, but lines end as they do here): all columns, empty where nothing is recorded.
pub fn csv<R>(columns: &[TableColumn<R>], rows: &[R]) -> String {
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    let mut text = names.join(",") + "\n";
    for row in rows {
        let cells: Vec<String> = columns.iter().map(|column| csv_cell(&(column.cell)(row).plain())).collect();
        text += &cells.join(",");
        text.push('\n');
    }
    text
}

/// The columns that people read, of all rows, harmless for a terminal; "-" where nothing is recorded.
fn for_people<'a, R>(
    columns: &'a [TableColumn<R>],
    rows: &[R],
) -> (Vec<&'a TableColumn<R>>, Vec<Vec<String>>) {
    let columns: Vec<_> = columns.iter().filter(|column| column.brief).collect();
    let cell = |cell: Cell| match cell {
        Cell::Missing => "-".to_owned(),
        cell => line(&cell.readable()).into_owned(),
    };
    let cells = |row: &R| columns.iter().map(|column| cell((column.cell)(row))).collect();
    let rows = rows.iter().map(cells).collect();
    (columns, rows)
}

/// As a table of Markdown.
pub fn markdown<R>(columns: &[TableColumn<R>], rows: &[R]) -> String {
    let (columns, rows) = for_people(columns, rows);
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    let rules: Vec<&str> =
        columns.iter().map(|column| if column.is_number { "--:" } else { "---" }).collect();
    let mut text = format!("| {} |\n|{}|\n", names.join(" | "), rules.join("|"));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| markdown_cell(cell)).collect();
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}

/// What would end the cell, or be markup, is escaped.
fn markdown_cell(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '|' | '\\' | '`' | '*' | '_' | '<' | '[') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// In columns, for a terminal.
pub fn text<R>(columns: &[TableColumn<R>], rows: &[R]) -> String {
    let (columns, rows) = for_people(columns, rows);
    let names = columns.iter().map(|column| column.name.to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(names).chain(rows).collect();
    aligned(&rows, |place| columns[place].is_number)
}

/// A cell of CSV (RFC 4180): in quotes where it has to be; what a spreadsheet would take for a formula is
/// text, numbers stay numbers.
pub fn csv_cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err();
    let text = &*if is_formula { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) };
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// Rows in columns, two blanks apart; those of numbers, by their places, end at the right.
pub fn aligned<R: AsRef<[String]>>(rows: &[R], is_number: impl Fn(usize) -> bool) -> String {
    let columns = rows.first().map_or(0, |row| row.as_ref().len());
    let width = |place: usize| rows.iter().map(|row| row.as_ref()[place].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.as_ref().iter().zip(&widths).enumerate();
        let cells: Vec<String> = cells
            .map(|(place, (cell, width))| match is_number(place) {
                true => format!("{cell:>width$}"),
                false => format!("{cell:<width$}"),
            })
            .collect();
        text += cells.join("  ").trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay_within_their_line_and_calculate_nothing() {
        for (text, cell) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("a\"b", "\"a\"\"b\""),
            ("a\nb", "\"a\nb\""),
            ("=1+1", "'=1+1"),
            ("-0.5", "-0.5"),
            ("-x,y", "\"'-x,y\""),
            ("+1", "+1"),
            ("@a", "'@a"),
        ] {
            assert_eq!(csv_cell(text), cell);
        }
    }
}
