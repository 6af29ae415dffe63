//! The list of runs, and the details of one.

use super::{output, time};
use crate::checks::JudgedRecord;
use crate::cli::Exit;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::input::load_runs;
use crate::experiments::selection::RunFigure;
use crate::report::run_text;
use crate::report_formats::TEXT;
use crate::results::RunVerdict;
use crate::results::{SpanSummary, WhichIos};
use crate::store::{Store, StoreEntry, StoreIndex, StoredForm};
use crate::sys::standard_output;
use crate::units::table::{self, Cell, TableColumn};
use crate::units::visible::line;
use crate::units::wrapped::wrapped;

struct ListRow<'a> {
    entry: &'a StoreEntry,
    letters: usize,
    /// Counted from 1.
    number: u32,
    span: Option<&'a SpanSummary>,
}

impl<'a> ListRow<'a> {
    const COLUMNS: [TableColumn<ListRow<'a>>; 18] = [
        TableColumn::<ListRow>::words("id", |row| Cell::Text(row.entry.id[..row.letters].to_owned())).brief(),
        TableColumn::<ListRow>::words("began", |row| Cell::Text(time(row.entry.time_of_run()))).brief(),
        TableColumn::<ListRow>::words("label", |row| Cell::text(row.entry.about.label.as_ref())).brief(),
        TableColumn::<ListRow>::words("span", |row| Cell::text(row.place_text())).brief(),
        TableColumn::<ListRow>::words("block", |row| row.requested_cell("block_bytes")).brief(),
        TableColumn::<ListRow>::words("writes %", |row| row.requested_cell("write_percent")).brief().spare(6),
        TableColumn::<ListRow>::words("random %", |row| row.requested_cell("random_percent"))
            .brief()
            .spare(6),
        TableColumn::<ListRow>::words("threads", |row| row.requested_cell("threads")).brief().spare(5),
        TableColumn::<ListRow>::words("depth", |row| row.requested_cell("outstanding")).brief(),
        TableColumn::<ListRow>::words("IOPS", |row| row.figure_cell(RunFigure::Iops, 0)).brief(),
        TableColumn::<ListRow>::words("MiB/s", |row| row.figure_cell(RunFigure::MibPerS, 1)).brief().spare(8),
        TableColumn::<ListRow>::words("mean ms", |row| row.figure_cell(RunFigure::Mean, 3)).brief().spare(7),
        TableColumn::<ListRow>::words("p99 ms", |row| row.figure_cell(RunFigure::P99, 3)).brief(),
        TableColumn::<ListRow>::words("outage s", |row| {
            let longest = row.span.and_then(|span| span.longest_outage_s);
            Cell::figure(longest.filter(|seconds| *seconds > 0.0), 2)
        })
        .brief()
        .spare(2),
        TableColumn::<ListRow>::words("verdict", |row| row.run_verdict().verdict_cell()).brief(),
        TableColumn::<ListRow>::words("severity", |row| row.run_verdict().severity_cell()).brief(),
        TableColumn::<ListRow>::words("tags", |row| Cell::text(row.tags_text())).brief().spare(4),
        TableColumn::<ListRow>::words("targets", |row| Cell::Text(row.entry.targets.join(" ")))
            .brief()
            .spare(3),
    ];

    fn run_verdict(&self) -> RunVerdict {
        RunVerdict::new(self.span.and_then(|span| span.verdict), self.entry.run.worst_severity())
    }

    fn place_text(&self) -> Option<String> {
        let spans = self.entry.run.time_spans.len();
        (spans > 1).then(|| format!("{} of {spans}", self.number))
    }

    fn requested_cell(&self, name: &str) -> Cell {
        let text = self.entry.work_of(self.number).map(|work| work.text(name));
        match (name, text.as_ref().map(|text| text.parse())) {
            ("block_bytes", Some(Ok(bytes))) => Cell::Size(bytes),
            _ => Cell::text(text.filter(|text| !text.is_empty())),
        }
    }

    fn figure_cell(&self, figure: RunFigure, decimals: usize) -> Cell {
        self.span.map_or(Cell::Missing, |span| figure.cell(span, WhichIos::Total, decimals))
    }

    fn tags_text(&self) -> Option<String> {
        let about = &self.entry.about;
        let all = about.tags.iter().map(String::as_str).chain(about.pinned.then_some("pinned"));
        let all: Vec<&str> = all.filter(|tag| !tag.is_empty()).collect();
        (!all.is_empty()).then(|| all.join(","))
    }
}

/// Prints the list, oldest first.
///
/// # Errors
/// Fails if the index cannot be queried, or the list cannot be written.
pub(super) fn list(index: &StoreIndex, entries: &[StoreEntry]) -> Result<Exit, CommandError> {
    let letters = index.telling_length()?;
    let rows: Vec<ListRow> = entries
        .iter()
        .flat_map(|entry| {
            entry.time_spans().map(move |(number, span)| ListRow { entry, letters, number, span })
        })
        .collect();
    output::to_stdout(table::text_within(&ListRow::COLUMNS, &rows, standard_output::room()).as_bytes())
}

/// Prints the stored data of runs, each with its report.
///
/// # Errors
/// Fails if a name is unknown, its file cannot be read, or output fails.
pub(super) fn show(index: &StoreIndex, store: &Store, names: &[String]) -> Result<Exit, CommandError> {
    for name in names {
        for entry in index.find_named(name)? {
            output::to_stdout(entry_facts(&entry, store).as_bytes())?;
            if entry.source == StoredForm::Record {
                let record = load_runs::record(&store.file(&entry.id, entry.source))?;
                output::report_to_stdout(&TEXT, &JudgedRecord::new(&record))?;
            } else if let Some(run) = store.read_known(&entry.id, entry.source)? {
                output::to_stdout(
                    format!("\n{}", run_text::text(&run, false, standard_output::room())).as_bytes(),
                )?;
            }
        }
    }
    Ok(Exit::Success)
}

fn entry_facts(entry: &StoreEntry, store: &Store) -> String {
    let about = &entry.about;
    let file = store.file(&entry.id, entry.source).display().to_string();
    let facts = [
        ("id", Some(entry.id.clone())),
        ("label", about.label.clone()),
        ("tags", (!about.tags.is_empty()).then(|| about.tags.join(" "))),
        ("pinned", about.pinned.then(|| "yes".into())),
        ("began", entry.run.started_at.map(time)),
        ("kept", Some(time(about.saved_at))),
        ("imported from", about.imported_from.clone()),
        ("machine", entry.run.computer()),
        ("machine's number", entry.run.machine.clone()),
        ("fingerprint", entry.run.fingerprint.clone()),
        ("command line", entry.run.command_line.as_ref().map(ToString::to_string)),
        ("verdict", entry.run.verdict().map(|verdict| verdict.word().to_owned())),
        ("severity", entry.run.worst_severity().map(|worst| worst.capitals().to_owned())),
        ("file", Some(file)),
    ];
    let room = standard_output::room();
    let lines = facts
        .into_iter()
        .filter_map(|(name, value)| Some(wrapped(&format!("{name}: {}", line(&value?)), room, 0, 2) + "\n"));
    lines.collect()
}
