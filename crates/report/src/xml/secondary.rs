//! Secondary tables: elements that DISKSPD's results do not have (`--xml-verdict`).

use super::writer::Writer;
use crate::secondary::{FAILED, FailedSectorRow, SecondaryRow, SecondaryTable, TableFormat};
use diskspd_figures::units::table::TableColumn;

impl TableFormat for Writer<'_> {
    fn write<R: SecondaryRow>(&mut self, table: &SecondaryTable<R>) {
        let [element, row_element] = table.kind.elements;
        self.open(element);
        table.total.iter().for_each(|total| write_elements(self, table.columns, total));
        for row in &*table.rows {
            self.open(row_element);
            row.thread().iter().for_each(|thread| self.value("Thread", thread));
            self.text("Path", row.path().as_bytes());
            write_elements(self, table.columns, row);
            for failed in row.failures() {
                let line = FailedSectorRow { path: row.path().clone(), failed: failed.clone() };
                self.open("FailedSector");
                write_elements(self, FAILED, &line);
                self.close("FailedSector");
            }
            self.close(row_element);
        }
        self.close(element);
    }
}

/// Writes the columns that have an element, without unknown values.
pub(super) fn write_elements<R>(out: &mut Writer, columns: &[TableColumn<R>], row: &R) {
    for column in columns.iter().filter(|column| !column.element.is_empty()) {
        if let Some(value) = (column.cell)(row).bare() {
            out.text(column.element, value.as_bytes());
        }
    }
}
