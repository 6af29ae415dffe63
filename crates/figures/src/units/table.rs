//! Tables of rows and columns. A column defines its name and the cell of a row. The CSV, text and Markdown
//! formats are implemented here.

mod fit;

use super::mark::VerdictMark;
use super::visible::line;
use super::{Millis, amount};
use fit::TextColumn;
use std::borrow::Cow;
use std::mem::take;

/// Column for rows of one kind.
pub struct TableColumn<R> {
    /// Name in CSV with the unit; default of the heading in text.
    pub name: &'static str,
    pub heading: &'static str,
    pub meaning: &'static str,
    /// Whether the column is in text tables; CSV has all columns.
    pub brief: bool,
    pub on_page: bool,
    /// Whether it is omitted if no row has a value.
    pub is_optional: bool,
    pub is_number: bool,
    /// Minimum width on a terminal.
    pub least_width: usize,
    /// Rank on narrow terminals; the column with the highest rank is omitted first.
    pub spare: u8,
    /// Name in XML; empty = not in XML.
    pub element: &'static str,
    /// Heading with its blanks and width of a cell in tables with vertical rules; empty if it is not there.
    pub ruled: (&'static str, usize),
    pub cell: fn(&R) -> Cell,
}

impl<R> TableColumn<R> {
    pub const fn words(name: &'static str, cell: fn(&R) -> Cell) -> TableColumn<R> {
        TableColumn {
            name,
            heading: name,
            meaning: "",
            brief: false,
            on_page: false,
            is_optional: false,
            is_number: false,
            least_width: 0,
            spare: 0,
            element: "",
            ruled: ("", 0),
            cell,
        }
    }

    pub const fn number(name: &'static str, cell: fn(&R) -> Cell) -> TableColumn<R> {
        TableColumn { is_number: true, ..TableColumn::words(name, cell) }
    }

    #[must_use]
    pub const fn brief(self) -> TableColumn<R> {
        TableColumn { brief: true, ..self }
    }

    /// Shows the column also on pages, under this heading.
    #[must_use]
    pub const fn on_page(self, heading: &'static str) -> TableColumn<R> {
        TableColumn { on_page: true, heading, ..self }
    }

    /// Shows the column also on pages, under its name.
    #[must_use]
    pub const fn paged(self) -> TableColumn<R> {
        TableColumn { on_page: true, ..self }
    }

    /// Shows the column also in text tables and on pages.
    #[must_use]
    pub const fn brief_and_paged(self) -> TableColumn<R> {
        self.brief().paged()
    }

    #[must_use]
    pub const fn meaning(self, meaning: &'static str) -> TableColumn<R> {
        TableColumn { meaning, ..self }
    }

    /// Omits the column if no row has a value.
    #[must_use]
    pub const fn optional(self) -> TableColumn<R> {
        TableColumn { is_optional: true, ..self }
    }

    #[must_use]
    pub const fn with_least_width(self, least_width: usize) -> TableColumn<R> {
        TableColumn { least_width, ..self }
    }

    /// Sets the priority of the column on narrow terminals.
    #[must_use]
    pub const fn spare(self, spare: u8) -> TableColumn<R> {
        TableColumn { spare, ..self }
    }

    pub fn is_needed(&self, rows: &[R]) -> bool {
        !self.is_optional || rows.iter().any(|row| (self.cell)(row) != Cell::Missing)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Missing,
    Text(String),
    /// Name with an explanation on pages; `link` is the related part of the page.
    Named {
        name: String,
        beside: String,
        /// An `id` of the page.
        link: Option<String>,
        kind: &'static str,
    },
    Size(u64),
    Whole(u64),
    Figure(f64, usize),
    /// Figure with the same decimals for programs and people.
    Rounded(f64, usize),
    Change(f64),
    /// Interval of a change in percent; `None` = no bound.
    Between(Option<f64>, Option<f64>),
    Share(f64, usize),
    Time(Millis),
    /// Lower bound of a time.
    AtLeast(Millis),
    /// Verdict with its explanation, which may be empty.
    Marked(VerdictMark, String),
    Instead(String),
    Failed(String),
}

impl Cell {
    pub fn plain(self) -> String {
        match self {
            Cell::Missing => String::new(),
            Cell::Text(text) | Cell::Named { name: text, .. } | Cell::Instead(text) => text,
            Cell::Failed(why) => format!("failed: {why}"),
            Cell::Size(number) | Cell::Whole(number) => number.to_string(),
            Cell::Figure(figure, _) | Cell::Change(figure) | Cell::Share(figure, _) => figure.to_string(),
            Cell::Rounded(figure, decimals) => format!("{figure:.decimals$}"),
            Cell::Between(low, high) => {
                let bound = |bound: Option<f64>| bound.map(|bound| bound.to_string()).unwrap_or_default();
                format!("{} .. {}", bound(low), bound(high))
            }
            Cell::Time(time) => time.ms().to_string(),
            Cell::AtLeast(time) => format!(">={}", time.ms()),
            Cell::Marked(mark, _) => mark.word.to_lowercase(),
        }
    }

    pub fn readable(self) -> String {
        match self {
            Cell::Size(bytes) => amount(bytes),
            Cell::Figure(figure, decimals) => format!("{figure:.decimals$}"),
            Cell::Change(percent) => signed(percent),
            Cell::Between(low, high) => {
                let low = low.map_or_else(|| "any lower".to_owned(), signed);
                format!("{low} .. {}", high.map_or_else(|| "any higher".to_owned(), signed))
            }
            Cell::Share(percent, decimals) => format!("{percent:.decimals$} %"),
            Cell::Time(time) => time.to_string(),
            Cell::AtLeast(time) => format!(">= {time}"),
            Cell::Marked(VerdictMark { word, .. }, behind) if behind.is_empty() => word,
            Cell::Marked(VerdictMark { word, .. }, behind) => format!("{word}, {behind}"),
            cell => cell.plain(),
        }
    }

    /// Returns the digits for formats with a separate unit; `None` = no value.
    pub fn bare(self) -> Option<String> {
        match self {
            Cell::Missing => None,
            Cell::Figure(figure, decimals) | Cell::Share(figure, decimals) => {
                Some(format!("{figure:.decimals$}"))
            }
            Cell::Time(time) | Cell::AtLeast(time) => Some(time.to_string()),
            cell => Some(cell.plain()),
        }
    }

    pub fn text(text: Option<impl ToString>) -> Cell {
        text.map_or(Cell::Missing, |text| Cell::Text(text.to_string()))
    }

    pub fn name_cell(name: impl Into<String>) -> Cell {
        Cell::Named { name: name.into(), beside: String::new(), link: None, kind: "" }
    }

    pub fn number_cell(number: Option<impl Into<u64>>) -> Cell {
        number.map_or(Cell::Missing, |number| Cell::Whole(number.into()))
    }

    pub fn size(bytes: Option<u64>) -> Cell {
        bytes.map_or(Cell::Missing, Cell::Size)
    }

    /// Returns a figure with a number of decimals in text; empty for `None`.
    pub fn figure(figure: Option<f64>, decimals: usize) -> Cell {
        figure.map_or(Cell::Missing, |figure| Cell::Figure(figure, decimals))
    }

    /// Returns a change in percent; empty for `None`.
    pub fn change(percent: Option<f64>) -> Cell {
        percent.map_or(Cell::Missing, Cell::Change)
    }

    /// Returns a share in percent; empty for `None`.
    pub fn share(percent: Option<f64>) -> Cell {
        percent.map_or(Cell::Missing, |percent| Cell::Share(percent, 1))
    }

    pub fn time(time: Option<Millis>) -> Cell {
        time.map_or(Cell::Missing, Cell::Time)
    }

    /// Returns the reason for the absence of this and the following cells; `None` if they have values.
    fn replacement_text(&self) -> Option<String> {
        matches!(self, Cell::Instead(_) | Cell::Failed(_)).then(|| self.clone().readable())
    }
}

/// Formats a change such as `+4.2 %`.
pub fn signed(percent: f64) -> String {
    format!("{percent:+.1} %")
}

/// Returns CSV (RFC 4180, but with the program's line ends) with all columns. Cells are empty where no
/// value exists.
pub fn csv<R>(columns: &[TableColumn<R>], rows: &[R]) -> String {
    csv_behind(&[], |_| Vec::new(), columns, rows)
}

/// Returns CSV with the columns of other names in front; `before` returns their cells of a row.
pub fn csv_behind<R>(
    names: &[&str],
    before: impl Fn(&R) -> Vec<String>,
    columns: &[TableColumn<R>],
    rows: &[R],
) -> String {
    let line = |cells: Vec<String>| cells.join(",") + "\n";
    let all = names.iter().copied().chain(columns.iter().map(|column| column.name));
    let mut text = line(all.map(csv_cell).collect());
    for row in rows {
        let cells = columns.iter().map(|column| (column.cell)(row).plain());
        text += &line(before(row).into_iter().chain(cells).map(|cell| csv_cell(&cell)).collect());
    }
    text
}

/// Returns the text columns of all rows, sanitized for a terminal, with "-" for missing values.
fn for_people<'a, R>(
    columns: &'a [TableColumn<R>],
    rows: &[R],
) -> (Vec<&'a TableColumn<R>>, Vec<DisplayRow>) {
    let columns: Vec<_> = columns.iter().filter(|column| column.brief && column.is_needed(rows)).collect();
    let cells = |row: &R| {
        let mut found = DisplayRow::default();
        for column in &columns {
            let cell = (column.cell)(row);
            found.instead = cell.replacement_text().map(|why| line(&why).into_owned());
            if found.instead.is_some() {
                break;
            }
            found.cells.push(match cell {
                Cell::Missing => "-".to_owned(),
                cell => line(&cell.readable()).into_owned(),
            });
        }
        found
    };
    let rows = rows.iter().map(cells).collect();
    (columns, rows)
}

#[derive(Default)]
struct DisplayRow {
    cells: Vec<String>,
    instead: Option<String>,
}

pub fn markdown<R>(columns: &[TableColumn<R>], rows: &[R]) -> String {
    let (columns, rows) = for_people(columns, rows);
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    let rules: Vec<&str> =
        columns.iter().map(|column| if column.is_number { "--:" } else { "---" }).collect();
    let mut text = format!("| {} |\n|{}|\n", names.join(" | "), rules.join("|"));
    for row in rows {
        let mut cells: Vec<String> =
            row.cells.iter().chain(&row.instead).map(|cell| markdown_cell(cell)).collect();
        cells.resize(names.len(), String::new());
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}

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

/// Returns the table in columns of any width.
pub fn text<R>(columns: &[TableColumn<R>], rows: &[R]) -> String {
    text_within(columns, rows, usize::MAX)
}

/// Returns the table in at most `room` columns of a terminal.
pub fn text_within<R>(columns: &[TableColumn<R>], rows: &[R], room: usize) -> String {
    let (columns, mut rows) = for_people(columns, rows);
    let columns = columns.iter().enumerate().map(|(place, column)| TextColumn {
        name: column.name,
        is_number: column.is_number,
        least_width: column.least_width,
        spare: column.spare,
        cells: rows.iter_mut().map(|row| row.cells.get_mut(place).map(take).unwrap_or_default()).collect(),
    });
    let columns = columns.collect();
    let instead: Vec<_> = rows.into_iter().map(|row| row.instead).collect();
    fit::text(columns, &instead, room)
}

/// Returns a CSV cell (RFC 4180), quoted where necessary. Formulas of spreadsheets become text, numbers
/// stay numbers.
pub(crate) fn csv_cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err();
    let text = &*if is_formula { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) };
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_cells_are_quoted_and_never_formulas() {
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
