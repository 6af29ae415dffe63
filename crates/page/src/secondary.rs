//! Secondary tables of a time span on a page.

use diskspd_report::page_table::PageTable;
use diskspd_report::secondary::{
    FAILED, FailedSectorRow, SecondaryRow, SecondaryTable, TableFormat, write_tables,
};
use diskspd_results::Measured;
use maud::{Markup, html};

/// Maximum number of rows of a table.
const MAX_ROWS: usize = 256;

/// Renders the tables of a time span.
pub(crate) fn tables(measured: &Measured) -> Markup {
    let mut page = PageTables(Vec::new());
    write_tables(measured, &mut page);
    html! { @for table in &page.0 { (table) } }
}

struct PageTables(Vec<Markup>);

impl TableFormat for PageTables {
    fn write<R: SecondaryRow>(&mut self, table: &SecondaryTable<R>) {
        let total = table.total.iter().filter(|_| table.rows.len() > 1);
        let rows: Vec<R> = total.chain(table.rows.iter().take(MAX_ROWS)).cloned().collect();
        self.0.push(PageTable::captioned(&table.kind.caption).render(table.columns, &rows));
        let failed = table.rows.iter().flat_map(|row| row.failures().iter().map(move |failed| (row, failed)));
        let failed =
            failed.map(|(row, failed)| FailedSectorRow { path: row.path().clone(), failed: failed.clone() });
        let failures: Vec<FailedSectorRow> = failed.take(MAX_ROWS).collect();
        if !failures.is_empty() {
            let captioned = PageTable::captioned("Corrupt sectors, the first ones of each thread");
            self.0.push(captioned.render(FAILED, &failures));
        }
    }
}
