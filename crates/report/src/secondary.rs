//! Tables of figures that DISKSPD does not have or keeps apart: parts of a mix and sizes, other operations
//! than reads and writes, I/Os that would have waited, verified sectors. [`tables`] declares the columns of
//! each once; text, XML and pages follow from them.

mod failures;
mod tables;

use crate::html::table::PageTable;
use crate::xml::writer::Writer;
use diskspd_model::profile::RawText;
use diskspd_model::results::{Measured, Summary};
use diskspd_model::units::table::{Cell, TableColumn};
pub use failures::held_text;
use maud::{Markup, html};
use std::borrow::Cow;
use tables::measured_tables;
pub(crate) use tables::{DEVICE_TIMES, PACED_RATES};

/// Rows of a table on a page at most.
const MOST: usize = 256;

/// A row of a secondary table, and its place.
trait SecondaryRow: Clone {
    fn thread(&self) -> Option<u32> {
        None
    }

    /// The target, as the user gave it.
    fn path(&self) -> &RawText;

    /// Appends sentences about the row to the text report, after the table.
    fn write_details(&self, _out: &mut Vec<u8>) {}

    /// Appends elements about the row, after its figures.
    fn write_detail_elements(&self, _out: &mut Writer) {}
}

/// Figures of a thread on a target; without thread those of all.
#[derive(Debug, Clone)]
struct ThreadRow<F> {
    thread: Option<u32>,
    path: RawText,
    figures: F,
}

impl<F: Clone> SecondaryRow for ThreadRow<F> {
    fn thread(&self) -> Option<u32> {
        self.thread
    }

    fn path(&self) -> &RawText {
        &self.path
    }
}

impl<F> ThreadRow<F> {
    fn name_cell(&self) -> Cell {
        Cell::named(self.thread.map_or_else(|| "all".to_owned(), |thread| thread.to_string()))
    }

    fn path_cell(&self) -> Cell {
        Cell::Text(self.path.to_string())
    }
}

/// Names of a table.
struct SecondaryKind {
    /// Order in the text report, which has the tables of one kind together.
    rank: u8,
    title: &'static str,
    caption: String,
    /// Of the table and a row.
    elements: [&'static str; 2],
    /// Replaces `%s` in a heading.
    counted: &'static str,
}

impl SecondaryKind {
    fn new(
        rank: u8,
        title: &'static str,
        caption: impl Into<String>,
        elements: [&'static str; 2],
    ) -> SecondaryKind {
        SecondaryKind { rank, title, caption: caption.into(), elements, counted: "" }
    }
}

/// A table of a time span.
struct SecondaryTable<'a, R: SecondaryRow + 'static> {
    kind: SecondaryKind,
    columns: &'static [TableColumn<R>],
    total: Option<R>,
    rows: Cow<'a, [R]>,
    /// A second table on the page.
    details: Option<Markup>,
}

impl<'a, R: SecondaryRow> SecondaryTable<'a, R> {
    fn new(kind: SecondaryKind, columns: &'static [TableColumn<R>], rows: &'a [R]) -> SecondaryTable<'a, R> {
        SecondaryTable { kind, columns, total: None, rows: rows.into(), details: None }
    }
}

impl<F: Clone> SecondaryTable<'_, ThreadRow<F>> {
    fn by_thread<'a>(
        kind: SecondaryKind,
        columns: &'static [TableColumn<ThreadRow<F>>],
        total: &F,
        rows: impl Iterator<Item = (u32, &'a RawText, &'a F)>,
    ) -> SecondaryTable<'static, ThreadRow<F>>
    where
        F: 'a,
    {
        let row = |thread, path: &RawText, figures: &F| {
            let (path, figures) = (path.clone(), figures.clone());
            ThreadRow { thread, path, figures }
        };
        let total = Some(row(None, &RawText::default(), total));
        let rows = rows.map(|(thread, path, figures)| row(Some(thread), path, figures)).collect();
        SecondaryTable { kind, columns, total, rows, details: None }
    }
}

/// A table of any rows in all formats.
trait SecondaryFormats {
    fn rank(&self) -> u8;
    fn write_text(&self, out: &mut Vec<u8>, time_span: usize);
    fn write_xml(&self, out: &mut Writer);
    fn page(&self) -> Markup;
}

/// Appends the tables of all time spans to the text report, after DISKSPD's part.
pub(super) fn write_text(out: &mut Vec<u8>, summary: &Summary) {
    let spans =
        summary.time_spans.iter().zip(1..).filter_map(|(span, number)| Some((span.as_ref()?, number)));
    let numbered =
        |(span, number)| measured_tables(span).into_iter().map(move |table| (table.rank(), number, table));
    let mut tables: Vec<(u8, usize, Box<dyn SecondaryFormats>)> = spans.flat_map(numbered).collect();
    tables.sort_by_key(|(rank, number, _)| (*rank, *number));
    tables.iter().for_each(|(_, number, table)| table.write_text(out, *number));
}

/// Writes the tables of a time span as elements that DISKSPD's results don't have (`--xml-verdict`).
pub(super) fn write_xml(out: &mut Writer, measured: &Measured) {
    measured_tables(measured).iter().for_each(|table| table.write_xml(out));
}

/// The tables of a time span on a page.
pub(super) fn page(measured: &Measured) -> Markup {
    html! { @for table in measured_tables(measured) { (table.page()) } }
}

/// Writes the columns that have an element, without unknown values.
pub(super) fn write_elements<R>(out: &mut Writer, columns: &[TableColumn<R>], row: &R) {
    for column in columns.iter().filter(|column| !column.element.is_empty()) {
        if let Some(value) = (column.cell)(row).bare() {
            out.text(column.element, value.as_bytes());
        }
    }
}

fn is_ruled<R>(column: &&TableColumn<R>) -> bool {
    !column.ruled.0.is_empty()
}

/// Returns the cells of the ruled columns.
pub(super) fn ruled_cells<'a, R: 'a>(
    columns: impl IntoIterator<Item = &'a TableColumn<R>>,
    row: &R,
) -> String {
    let cell = |column: &TableColumn<R>| {
        let (_, width) = column.ruled;
        format!("{:>width$}", (column.cell)(row).bare().unwrap_or_else(|| "N/A".into()))
    };
    columns.into_iter().filter(is_ruled).map(cell).collect::<Vec<_>>().join(" | ")
}

/// Returns the headings of the ruled columns; `counted` replaces `%s`.
pub(super) fn ruled_heads<'a, R: 'a>(
    columns: impl IntoIterator<Item = &'a TableColumn<R>>,
    counted: &str,
) -> String {
    let heads = columns.into_iter().filter(is_ruled).map(|column| match column.ruled.0 {
        "%s" => format!(" {counted:^13}"),
        head => head.to_owned(),
    });
    heads.collect::<Vec<_>>().join("|")
}

impl<R: SecondaryRow + 'static> SecondaryFormats for SecondaryTable<'_, R> {
    fn rank(&self) -> u8 {
        self.kind.rank
    }

    fn write_text(&self, out: &mut Vec<u8>, time_span: usize) {
        let SecondaryTable { kind, columns, total, rows, .. } = self;
        put!(out, "\n\n{} of timespan {time_span}:\n{}\n\n", kind.title, "*".repeat(79));
        let shown = total.as_ref().map_or(&**rows, std::slice::from_ref);
        let columns = || columns.iter().filter(|column| column.is_needed(shown));
        let thread_head = if total.is_some() { "thread |" } else { "" };
        let header = format!("{thread_head}{}", ruled_heads(columns(), kind.counted));
        let rule = "-".repeat(header.len() + 7);
        put!(out, "{header}|  file\n{rule}\n");
        for row in &**rows {
            row.thread().iter().for_each(|thread| put!(out, "{thread:6} | "));
            put!(out, "{} | ", ruled_cells(columns(), row));
            out.extend_from_slice(row.path().as_bytes());
            out.push(b'\n');
        }
        total.iter().for_each(|total| put!(out, "{rule}\ntotal: | {}\n", ruled_cells(columns(), total)));
        rows.iter().for_each(|row| row.write_details(out));
    }

    fn write_xml(&self, out: &mut Writer) {
        out.open(self.kind.elements[0]);
        self.total.iter().for_each(|total| write_elements(out, self.columns, total));
        for row in &*self.rows {
            out.open(self.kind.elements[1]);
            row.thread().iter().for_each(|thread| out.value("Thread", thread));
            out.text("Path", row.path().as_bytes());
            write_elements(out, self.columns, row);
            row.write_detail_elements(out);
            out.close(self.kind.elements[1]);
        }
        out.close(self.kind.elements[0]);
    }

    fn page(&self) -> Markup {
        let total = self.total.iter().filter(|_| self.rows.len() > 1);
        let rows: Vec<R> = total.chain(self.rows.iter().take(MOST)).cloned().collect();
        html! {
            (PageTable::captioned(&self.kind.caption).render(self.columns, &rows))
            @if let Some(details) = &self.details { (details) }
        }
    }
}
