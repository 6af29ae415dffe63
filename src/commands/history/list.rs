//! The list of runs, and one of them with all that is known.

use super::super::known_runs;
use super::super::not_done::NotDone;
use super::{output, table, time};
use crate::cli::Exit;
use crate::report::{TEXT, run_text};
use crate::store::{FigureOf, Headline, KeptAs, Store, StoreEntry, StoreIndex};
use crate::truth::Judged;
use crate::units::{self, visible::line};

const HEADINGS: [&str; 16] = [
    "id", "began", "label", "span", "block", "writes %", "random %", "threads", "depth", "IOPS", "MiB/s",
    "mean ms", "p99 ms", "found", "tags", "targets",
];

/// Prints the list, the oldest first.
///
/// # Errors
/// The index doesn't answer, or the list can't be written.
pub fn list(index: &StoreIndex, entries: &[StoreEntry]) -> Result<Exit, NotDone> {
    let letters = index.telling_length()?;
    let mut rows = vec![HEADINGS.map(str::to_owned).to_vec()];
    rows.extend(entries.iter().flat_map(|entry| rows_of(entry, letters)));
    output::to_stdout(table(&rows).as_bytes())
}

/// A row for each time span.
fn rows_of(entry: &StoreEntry, letters: usize) -> Vec<Vec<String>> {
    let totals = entry.figures.iter().filter(|figures| figures.direction == FigureOf::Total);
    let totals: Vec<&Headline> = totals.collect();
    totals.iter().map(|total| row(entry, total, totals.len(), letters)).collect()
}

fn row(entry: &StoreEntry, total: &Headline, spans: usize, letters: usize) -> Vec<String> {
    let figure = |value: Option<f64>, digits: usize| {
        value.map(|value| format!("{value:.digits$}")).unwrap_or_else(|| "-".into())
    };
    let work = entry.work.iter().find(|work| work.time_span == total.time_span);
    let asked = |name: &str| {
        let text = work.map(|work| work.text(name)).filter(|text| !text.is_empty());
        text.unwrap_or_else(|| "-".into())
    };
    let bytes = asked("block_bytes");
    let block = bytes.parse().map_or(bytes, units::amount);
    let pinned = if entry.about.pinned { "pinned" } else { "" };
    let tags: Vec<&str> =
        entry.about.tags.iter().map(String::as_str).chain([pinned]).filter(|tag| !tag.is_empty()).collect();
    [
        entry.id[..letters].to_owned(),
        time(entry.at()),
        entry.about.label.clone().unwrap_or_else(|| "-".into()),
        if spans > 1 { format!("{} of {spans}", total.time_span) } else { "-".into() },
        block,
        asked("write_percent"),
        asked("random_percent"),
        asked("threads"),
        asked("outstanding"),
        figure(total.iops, 0),
        figure(total.mib_per_s, 1),
        figure(total.mean_ms, 3),
        figure(total.p99_ms, 3),
        entry.worst.clone().unwrap_or_else(|| "-".into()),
        if tags.is_empty() { "-".into() } else { tags.join(",") },
        entry.targets.join(" "),
    ]
    // Files may be anybody's.
    .map(|cell| line(&cell).into_owned())
    .into()
}

/// Prints what is known of runs, each with its report.
///
/// # Errors
/// There is no run of a name, its file can't be read, or it can't be written.
pub fn show(index: &StoreIndex, store: &Store, names: &[String]) -> Result<Exit, NotDone> {
    for name in names {
        for entry in index.named(name)? {
            output::to_stdout(facts(&entry, store).as_bytes())?;
            if entry.source == KeptAs::Record {
                let record = known_runs::record(&store.file(&entry.id, entry.source))?;
                output::report_to_stdout(&TEXT, &Judged::new(&record))?;
            } else if let Some(run) = store.known(&entry.id, entry.source)? {
                output::to_stdout(format!("\n{}", run_text::text(&run, false)).as_bytes())?;
            }
        }
    }
    Ok(Exit::Success)
}

fn facts(entry: &StoreEntry, store: &Store) -> String {
    let about = &entry.about;
    let file = store.file(&entry.id, entry.source).display().to_string();
    let facts = [
        ("id", Some(entry.id.clone())),
        ("label", about.label.clone()),
        ("tags", (!about.tags.is_empty()).then(|| about.tags.join(" "))),
        ("pinned", about.pinned.then(|| "yes".into())),
        ("began", entry.started_at.map(time)),
        ("kept", Some(time(about.saved_at))),
        ("imported from", about.imported_from.clone()),
        ("machine", entry.computer.clone()),
        ("machine's number", entry.machine.clone()),
        ("fingerprint", entry.fingerprint.clone()),
        ("command line", entry.command_line.clone()),
        ("found", entry.worst.clone()),
        ("file", Some(file)),
    ];
    let lines = facts.into_iter().filter_map(|(name, value)| Some(format!("{name}: {}\n", line(&value?))));
    lines.collect()
}
