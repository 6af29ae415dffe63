//! Runs for other programs: CSV, or a line of JSON for each.

use super::output;
use crate::cli::{Exit, ExportForm};
use crate::commands::shared::command_error::CommandError;
use crate::experiments::selection::RunFigure;
use crate::finding::Severity;
use crate::machine::fingerprint::{Difference, differences_text};
use crate::results::{RunSummary, SpanSummary, WhichIos};
use crate::store::{RunNotes, Store, StoreEntry, StoreIndex, WORK};
use crate::units::table::{self, Cell, TableColumn};
use serde::Serialize;
use std::collections::HashMap;

/// A line of the CSV: a direction of a time span of a run. One that never was measured has one line.
struct ExportRow<'a> {
    entry: &'a StoreEntry,
    /// Counted from 1.
    number: u32,
    span: Option<&'a SpanSummary>,
    of: WhichIos,
    changed: Option<&'a str>,
}

impl<'a> ExportRow<'a> {
    const COLUMNS: [TableColumn<ExportRow<'a>>; 32] = [
        TableColumn::words("id", |row| Cell::text(Some(&row.entry.id))),
        TableColumn::words("label", |row| Cell::text(row.entry.about.label.as_ref())),
        TableColumn::words("tags", |row| Cell::Text(row.entry.about.tags.join(" "))),
        TableColumn::words("pinned", |row| Cell::text(Some(row.entry.about.pinned))),
        TableColumn::number("saved_at", |row| Cell::text(Some(row.entry.about.saved_at))),
        TableColumn::number("started_at", |row| Cell::text(row.entry.run.started_at)),
        TableColumn::words("computer", |row| Cell::text(row.entry.run.computer())),
        TableColumn::words("fingerprint", |row| Cell::text(row.entry.run.fingerprint.as_ref())),
        TableColumn::words("workload", |row| Cell::text(Some(&row.entry.workload))),
        TableColumn::words("severity", |row| Cell::text(row.entry.run.worst_severity().map(Severity::word))),
        TableColumn::words("targets", |row| Cell::Text(row.entry.targets.join(" "))),
        TableColumn::number("time_span", |row| Cell::Whole(row.number.into())),
        TableColumn::words("direction", |row| Cell::text(Some(row.of.name()))),
        TableColumn::number("seconds", |row| Cell::figure(row.span.and_then(|span| span.seconds), 2)),
        TableColumn::number("ios", |row| {
            Cell::number_cell(row.span.and_then(|span| span.figures(row.of).ios))
        }),
        TableColumn::number("iops", |row| row.figure_cell(RunFigure::Iops)),
        TableColumn::number("mib_per_s", |row| row.figure_cell(RunFigure::MibPerS)),
        TableColumn::number("mean_ms", |row| row.figure_cell(RunFigure::Mean)),
        TableColumn::number("p50_ms", |row| row.figure_cell(RunFigure::P50)),
        TableColumn::number("p99_ms", |row| row.figure_cell(RunFigure::P99)),
        TableColumn::number("p999_ms", |row| row.figure_cell(RunFigure::P999)),
        TableColumn::number(WORK[0], |row| row.requested_cell(WORK[0])),
        TableColumn::number(WORK[1], |row| row.requested_cell(WORK[1])),
        TableColumn::number(WORK[2], |row| row.requested_cell(WORK[2])),
        TableColumn::number(WORK[3], |row| row.requested_cell(WORK[3])),
        TableColumn::number(WORK[4], |row| row.requested_cell(WORK[4])),
        TableColumn::number(WORK[5], |row| row.requested_cell(WORK[5])),
        TableColumn::number(WORK[6], |row| row.requested_cell(WORK[6])),
        TableColumn::number(WORK[7], |row| row.requested_cell(WORK[7])),
        TableColumn::words("verdict", |row| {
            Cell::text(row.span.and_then(|span| span.verdict).map(|verdict| verdict.to_string()))
        }),
        TableColumn::words("machine", |row| Cell::text(row.entry.run.machine.as_ref())),
        TableColumn::words("machine_changed", |row| Cell::text(row.changed)),
    ];

    fn figure_cell(&self, figure: RunFigure) -> Cell {
        self.span.map_or(Cell::Missing, |span| figure.cell(span, self.of, 3))
    }

    fn requested_cell(&self, name: &str) -> Cell {
        Cell::text(self.entry.work_of(self.number).map(|work| work.text(name)))
    }
}

#[derive(Serialize)]
struct ExportedRun<'a> {
    id: &'a str,
    #[serde(flatten)]
    about: &'a RunNotes,
    #[serde(skip_serializing_if = "<[Difference]>::is_empty")]
    machine_changed: &'a [Difference],
    run: RunSummary,
}

/// Prints runs as JSON lines or CSV.
///
/// # Errors
/// Fails if a run cannot be read, or output fails.
pub(super) fn export(
    index: &StoreIndex,
    store: &Store,
    entries: &[StoreEntry],
    form: ExportForm,
) -> Result<Exit, CommandError> {
    let prints = index.fingerprints(entries)?;
    let changes = prints.changes_of(entries);
    let text = match form {
        ExportForm::Csv => write_csv(entries, &changes),
        ExportForm::JsonLines => json_lines(store, entries, &changes)?,
    };
    output::to_stdout(text.as_bytes())
}

type Changes<'a> = HashMap<&'a str, Vec<Difference>>;

fn write_csv(entries: &[StoreEntry], changes: &Changes) -> String {
    let told: HashMap<&str, String> =
        changes.iter().map(|(id, changed)| (*id, differences_text(changed, usize::MAX))).collect();
    let mut rows = Vec::new();
    for entry in entries {
        let changed = told.get(entry.id.as_str()).map(String::as_str);
        for (number, span) in entry.time_spans() {
            let directions = &WhichIos::ALL[..span.map_or(1, |_| WhichIos::ALL.len())];
            rows.extend(directions.iter().map(|(of, _)| ExportRow { entry, number, span, of: *of, changed }));
        }
    }
    table::csv(&ExportRow::COLUMNS, &rows)
}

fn json_lines(store: &Store, entries: &[StoreEntry], changes: &Changes) -> Result<String, CommandError> {
    let mut text = String::new();
    for entry in entries {
        let known = store.read_known(&entry.id, entry.source)?;
        // It was removed meanwhile.
        let Some(run) = known else { continue };
        let machine_changed = changes.get(entry.id.as_str()).map_or(&[][..], Vec::as_slice);
        let exported = ExportedRun { id: &entry.id, about: &entry.about, machine_changed, run };
        text += &serde_json::to_string(&exported).map_err(|error| format!("@{}: {error}", entry.id))?;
        text.push('\n');
    }
    Ok(text)
}
