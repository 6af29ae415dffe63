//! Runs for other programs: CSV, or a line of JSON for each.

use super::super::not_done::NotDone;
use super::output;
use crate::cli::{Exit, ExportForm};
use crate::machine::fingerprint::{Difference, told};
use crate::results::KnownRun;
use crate::store::{Headline, RunNotes, Store, StoreEntry, StoreIndex, WORK};
use serde::Serialize;
use std::collections::HashMap;

/// The head of the CSV: a line for each run, time span and direction.
const HEAD: &str = "id,label,tags,pinned,saved_at,started_at,computer,fingerprint,workload,worst,targets,\
                    time_span,direction,seconds,ios,iops,mib_per_s,mean_ms,p50_ms,p99_ms,p999_ms";
/// Columns behind those: [`WORK`], and these.
const MACHINE: [&str; 2] = ["machine", "machine_changed"];

/// A run as a line of JSON.
#[derive(Serialize)]
struct Exported<'a> {
    id: &'a str,
    #[serde(flatten)]
    about: &'a RunNotes,
    /// What changed about its machine since the run before it of the same work there.
    #[serde(skip_serializing_if = "<[Difference]>::is_empty")]
    machine_changed: &'a [Difference],
    run: KnownRun,
}

/// Prints runs.
///
/// # Errors
/// One of them can't be read, or they can't be written.
pub fn export(
    index: &StoreIndex,
    store: &Store,
    entries: &[StoreEntry],
    form: ExportForm,
) -> Result<Exit, NotDone> {
    let prints = index.fingerprints(entries)?;
    let changes = prints.changes_of(entries);
    let text = match form {
        ExportForm::Csv => csv(entries, &changes),
        ExportForm::JsonLines => json_lines(store, entries, &changes)?,
    };
    output::to_stdout(text.as_bytes())
}

/// What changed about the machines of runs, by their ids.
type Changes<'a> = HashMap<&'a str, Vec<Difference>>;

fn csv(entries: &[StoreEntry], changes: &Changes) -> String {
    let mut text = format!("{HEAD},{},{}\n", WORK.join(","), MACHINE.join(","));
    for entry in entries {
        let changed = changes.get(entry.id.as_str()).map(|changed| told(changed, usize::MAX));
        for figures in &entry.figures {
            let mut cells = cells(entry, figures);
            let work = entry.work.iter().find(|work| work.time_span == figures.time_span);
            cells.extend(WORK.map(|name| work.map(|work| work.text(name)).unwrap_or_default()));
            cells.extend([&entry.machine, &changed].map(|text| quoted(text.as_deref().unwrap_or_default())));
            text.push_str(&cells.join(","));
            text.push('\n');
        }
    }
    text
}

fn cells(entry: &StoreEntry, figures: &Headline) -> Vec<String> {
    let about = &entry.about;
    let text = |text: &Option<String>| quoted(text.as_deref().unwrap_or_default());
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let Headline { seconds, ios, iops, mib_per_s, mean_ms, p50_ms, p99_ms, p999_ms, .. } = *figures;
    let mut cells = vec![
        entry.id.clone(),
        text(&about.label),
        quoted(&about.tags.join(" ")),
        about.pinned.to_string(),
        about.saved_at.to_string(),
        entry.started_at.map(|at| at.to_string()).unwrap_or_default(),
        text(&entry.computer),
        text(&entry.fingerprint),
        entry.workload.clone(),
        text(&entry.worst),
        quoted(&entry.targets.join(" ")),
        figures.time_span.to_string(),
        figures.direction.name().to_owned(),
        number(seconds),
        ios.map(|ios| ios.to_string()).unwrap_or_default(),
    ];
    cells.extend([iops, mib_per_s, mean_ms, p50_ms, p99_ms, p999_ms].map(number));
    cells
}

/// A cell as RFC 4180 has it; what a spreadsheet would take for a formula is text.
fn quoted(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@']);
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

fn json_lines(store: &Store, entries: &[StoreEntry], changes: &Changes) -> Result<String, NotDone> {
    let mut text = String::new();
    for entry in entries {
        let known = store.known(&entry.id, entry.source)?;
        // It was removed meanwhile.
        let Some(run) = known else { continue };
        let machine_changed = changes.get(entry.id.as_str()).map_or(&[][..], Vec::as_slice);
        let exported = Exported { id: &entry.id, about: &entry.about, machine_changed, run };
        text += &serde_json::to_string(&exported).map_err(|error| format!("@{}: {error}", entry.id))?;
        text.push('\n');
    }
    Ok(text)
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
        ] {
            assert_eq!(quoted(text), cell);
        }
    }
}
