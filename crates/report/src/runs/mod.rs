//! Many runs as one table: a row for each time span, with stable columns.

mod columns;

use diskspd_figures::units::table;
use diskspd_profile::Parameters;
use diskspd_results::{RunSummary, SpanSummary};

#[derive(Debug, Clone)]
pub enum TableRun {
    Known(Box<RunSummary>),
    /// Name of a file that could not be read; its row is empty.
    Unreadable(String),
}

impl From<RunSummary> for TableRun {
    fn from(run: RunSummary) -> TableRun {
        TableRun::Known(Box::new(run))
    }
}

/// A row: a time span of a run.
struct TableRow<'a> {
    name: &'a str,
    run: Option<&'a RunSummary>,
    number: Option<usize>,
    span: Option<&'a SpanSummary>,
    asked: Option<&'a Parameters>,
}

fn table_rows(runs: &[TableRun]) -> Vec<TableRow<'_>> {
    let mut rows = Vec::new();
    for run in runs {
        match run {
            TableRun::Unreadable(name) => {
                rows.push(TableRow { name, run: None, number: None, span: None, asked: None })
            }
            TableRun::Known(run) => {
                let several = run.time_spans.len() > 1;
                let spans = run.time_spans.iter().zip(run.requested_work()).zip(1..);
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

pub fn csv(runs: &[TableRun]) -> String {
    table::csv(TableRow::COLUMNS, &table_rows(runs))
}

pub fn markdown(runs: &[TableRun]) -> String {
    table::markdown(TableRow::COLUMNS, &table_rows(runs))
}

/// Returns the table in at most `room` columns.
pub fn text(runs: &[TableRun], room: usize) -> String {
    table::text_within(TableRow::COLUMNS, &table_rows(runs), room)
}
