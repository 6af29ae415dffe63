//! Many runs as one table: a row for each time span, with columns that stay what they are.

mod columns;

pub use columns::{COLUMNS, TableColumn};

use columns::Cell;
use diskspd_model::profile::Parameters;
use diskspd_model::results::{KnownRun, KnownSpan};
use diskspd_model::units::visible::line;
use std::borrow::Cow;

/// A run of the table.
#[derive(Debug, Clone)]
pub enum TableRun {
    /// What is known of it.
    Known(Box<KnownRun>),
    /// A file that could not be read, by its name: its row is empty.
    Unreadable(String),
}

impl From<KnownRun> for TableRun {
    fn from(run: KnownRun) -> TableRun {
        TableRun::Known(Box::new(run))
    }
}

/// A row: a time span of a run.
struct TableRow<'a> {
    name: &'a str,
    run: Option<&'a KnownRun>,
    /// From 1; `None` = the run has but one.
    number: Option<usize>,
    span: Option<&'a KnownSpan>,
    /// What it was asked for, also where it never was measured.
    asked: Option<&'a Parameters>,
}

/// All rows, in the order of the runs.
fn rows(runs: &[TableRun]) -> Vec<TableRow<'_>> {
    let mut rows = Vec::new();
    for run in runs {
        match run {
            TableRun::Unreadable(name) => {
                rows.push(TableRow { name, run: None, number: None, span: None, asked: None })
            }
            TableRun::Known(run) => {
                let several = run.time_spans.len() > 1;
                let spans = run.time_spans.iter().zip(run.asked()).zip(1..);
                let spans = spans.map(|((span, asked), number)| TableRow {
                    name: &run.name,
                    run: Some(run),
                    number: several.then_some(number),
                    span: span.as_ref(),
                    asked: Some(asked),
                });
                rows.extend(spans);
            }
        }
    }
    rows
}

/// As CSV (RFC 4180, but lines end as they do here): all columns, empty where nothing is recorded.
pub fn csv(runs: &[TableRun]) -> String {
    let names: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
    let mut text = names.join(",") + "\n";
    for row in rows(runs) {
        let cells: Vec<String> =
            COLUMNS.iter().map(|column| csv_cell(&(column.cell)(&row).plain())).collect();
        text += &cells.join(",");
        text.push('\n');
    }
    text
}

/// In quotes where it has to be; what a spreadsheet would take for a formula is text, numbers stay numbers.
fn csv_cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err();
    let text = &*if is_formula { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) };
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// The columns that people read, of all rows, harmless for a terminal; "-" where nothing is recorded.
fn for_people(runs: &[TableRun]) -> (Vec<&'static TableColumn>, Vec<Vec<String>>) {
    let columns: Vec<_> = COLUMNS.iter().filter(|column| column.brief).collect();
    let cell = |cell: Cell| match cell {
        Cell::Missing => "-".to_owned(),
        cell => line(&cell.readable()).into_owned(),
    };
    let cells = |row: &TableRow| columns.iter().map(|column| cell((column.cell)(row))).collect();
    let rows = rows(runs).iter().map(cells).collect();
    (columns, rows)
}

/// As a table of Markdown.
pub fn markdown(runs: &[TableRun]) -> String {
    let (columns, rows) = for_people(runs);
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
pub fn text(runs: &[TableRun]) -> String {
    let (columns, rows) = for_people(runs);
    let names = columns.iter().map(|column| column.name.to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(names).chain(rows).collect();
    aligned_by(&rows, |place| columns[place].is_number)
}

/// Rows in columns: words in the first, numbers in the others.
pub(super) fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    aligned_by(rows, |place| place > 0)
}

/// Rows in columns, numbers at the right.
fn aligned_by<R: AsRef<[String]>>(rows: &[R], is_number: impl Fn(usize) -> bool) -> String {
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
    fn cells_calculate_nothing_and_numbers_stay_numbers() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("@a", "'@a"),
            ("-0.5", "-0.5"),
            ("-x,y", "\"'-x,y\""),
            ("+1", "+1"),
            ("a", "a"),
        ] {
            assert_eq!(csv_cell(text), cell);
        }
    }
}
