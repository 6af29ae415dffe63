//! Rows and columns of a secondary table.

use diskspd_figures::units::table::{Cell, TableColumn};
use diskspd_profile::RawText;
use diskspd_results::FailedSector;
use std::borrow::Cow;

/// Row of a secondary table.
pub trait SecondaryRow: Clone {
    fn thread(&self) -> Option<u32> {
        None
    }

    /// Path of the target as entered by the user.
    fn path(&self) -> &RawText;

    /// Appends sentences about the row to the text report, after the table.
    fn write_details(&self, _out: &mut Vec<u8>) {}

    fn failures(&self) -> &[FailedSector] {
        &[]
    }
}

/// Figures of a thread on a target. `None` is the total of all threads.
#[derive(Debug, Clone)]
pub struct ThreadRow<F> {
    pub thread: Option<u32>,
    pub path: RawText,
    pub figures: F,
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
    pub(super) fn name_cell(&self) -> Cell {
        Cell::name_cell(self.thread.map_or_else(|| "all".to_owned(), |thread| thread.to_string()))
    }

    pub(super) fn path_cell(&self) -> Cell {
        Cell::Text(self.path.to_string())
    }
}

pub struct SecondaryKind {
    /// Position in the text report, which groups the tables of a kind.
    pub rank: u8,
    pub title: &'static str,
    pub caption: String,
    /// XML elements of the table and a row.
    pub elements: [&'static str; 2],
    /// Replacement for `%s` in a heading.
    pub counted: &'static str,
}

impl SecondaryKind {
    pub(super) fn new(
        rank: u8,
        title: &'static str,
        caption: impl Into<String>,
        elements: [&'static str; 2],
    ) -> SecondaryKind {
        SecondaryKind { rank, title, caption: caption.into(), elements, counted: "" }
    }
}

pub struct SecondaryTable<'a, R: SecondaryRow + 'static> {
    pub kind: SecondaryKind,
    pub columns: &'static [TableColumn<R>],
    pub total: Option<R>,
    pub rows: Cow<'a, [R]>,
}

impl<'a, R: SecondaryRow> SecondaryTable<'a, R> {
    pub(super) fn new(
        kind: SecondaryKind,
        columns: &'static [TableColumn<R>],
        rows: &'a [R],
    ) -> SecondaryTable<'a, R> {
        SecondaryTable { kind, columns, total: None, rows: rows.into() }
    }
}

impl<F: Clone> SecondaryTable<'_, ThreadRow<F>> {
    pub(super) fn by_thread<'a>(
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
        SecondaryTable { kind, columns, total, rows }
    }
}

pub trait TableFormat {
    fn write<R: SecondaryRow>(&mut self, table: &SecondaryTable<R>);
}

/// A column: its heading on pages, its element in XML, its heading and width in the text report. Empty where
/// a format does not have it.
pub(super) const fn column<R>(
    heading: &'static str,
    element: &'static str,
    ruled: (&'static str, usize),
    cell: fn(&R) -> Cell,
) -> TableColumn<R> {
    let column = TableColumn { element, ruled, ..TableColumn::number(heading, cell) };
    TableColumn { on_page: !heading.is_empty(), ..column }
}

pub(super) const fn words<R>(heading: &'static str, cell: fn(&R) -> Cell) -> TableColumn<R> {
    TableColumn::words(heading, cell).paged()
}

/// Column that the text report omits.
pub(super) const UNRULED: (&str, usize) = ("", 0);

fn is_ruled<R>(column: &&TableColumn<R>) -> bool {
    !column.ruled.0.is_empty()
}

pub fn ruled_cells<'a, R: 'a>(columns: impl IntoIterator<Item = &'a TableColumn<R>>, row: &R) -> String {
    let cell = |column: &TableColumn<R>| {
        let (_, width) = column.ruled;
        format!("{:>width$}", (column.cell)(row).bare().unwrap_or_else(|| "N/A".into()))
    };
    columns.into_iter().filter(is_ruled).map(cell).collect::<Vec<_>>().join(" | ")
}

/// Returns the headings of the ruled columns; `counted` replaces `%s`.
pub fn ruled_heads<'a, R: 'a>(
    columns: impl IntoIterator<Item = &'a TableColumn<R>>,
    counted: &str,
) -> String {
    let heads = columns.into_iter().filter(is_ruled).map(|column| match column.ruled.0 {
        "%s" => format!(" {counted:^13}"),
        head => head.to_owned(),
    });
    heads.collect::<Vec<_>>().join("|")
}
