//! `diskspd history`: operations on the stored runs.

mod export;
pub(super) mod import;
mod list;
mod notes_text;
mod page;
mod time;
mod trend;

use crate::cli::{Exit, HistoryAction, HistoryRequest};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::output;
use crate::commands::shared::runs::stored;
use crate::experiments::selection::{Selection, StartTime};
use crate::store::{Store, StoreEntry, StoreError, StoreIndex};
use crate::sys::standard_error::print_line;
use crate::units::count_of;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use time::time;

pub(super) fn history(request: &HistoryRequest) -> Result<Exit, CommandError> {
    let store = stored::store(request.store.as_deref())?;
    match &request.action {
        HistoryAction::Import { files, label } => import::import(&store, files, label.as_deref()),
        HistoryAction::Reindex => reindex(&store),
        HistoryAction::List | HistoryAction::Trend { .. } if !store.is_there() && request.html.is_none() => {
            print_line(format_args!("no runs in {}; use --save to keep a run", store.folder().display()));
            Ok(Exit::Success)
        }
        action => with_index(&store, action, request),
    }
}

fn with_index(store: &Store, action: &HistoryAction, request: &HistoryRequest) -> Result<Exit, CommandError> {
    let selection = &request.selection;
    let mut index = stored::open(store)?;
    if let Some(file) = &request.html {
        let figure = if let HistoryAction::Trend { figure } = action { Some(*figure) } else { None };
        return page::write(file, &index, &select_entries(&index, selection)?, figure, request);
    }
    match action {
        HistoryAction::List => {
            let runs = select_entries(&index, selection)?;
            if runs.is_empty() {
                let folder = store.folder().display();
                print_line(format_args!(
                    "no run in {folder} fits; diskspd history without filters lists all"
                ));
            }
            list::list(&index, &runs)
        }
        HistoryAction::Show { runs } => list::show(&index, store, runs),
        HistoryAction::Export { form } => {
            export::export(&index, store, &select_entries(&index, selection)?, *form)
        }
        HistoryAction::Trend { figure } => trend::trend(&index, &select_entries(&index, selection)?, *figure),
        HistoryAction::Label { run, label } => {
            apply_each(&mut index, std::slice::from_ref(run), |index, id| {
                index.describe(id, |about| about.label.clone_from(label))
            })
        }
        HistoryAction::Tag { run, add, take } => {
            apply_each(&mut index, std::slice::from_ref(run), |index, id| {
                index.describe(id, |about| about.tag(add, take))
            })
        }
        HistoryAction::Pin { runs, pinned } => {
            apply_each(&mut index, runs, |index, id| index.describe(id, |about| about.pinned = *pinned))
        }
        HistoryAction::Remove { runs } => remove(&mut index, runs),
        HistoryAction::Import { .. } | HistoryAction::Reindex => Ok(Exit::Success),
    }
}

fn reindex(store: &Store) -> Result<Exit, CommandError> {
    if !store.is_there() {
        return Err(format!("no run is kept in {}", store.folder().display()).into());
    }
    let index = store.reindex()?;
    stored::tell_troubles(&index);
    let count = select_entries(&index, &Selection::default())?.len();
    output::to_stdout(format!("the index has {count} runs\n").as_bytes())
}

fn select_entries(index: &StoreIndex, selection: &Selection) -> Result<Vec<StoreEntry>, CommandError> {
    let since = selection.since.as_ref().map(since_seconds).transpose()?;
    Ok(index.select(selection, since)?)
}

/// Returns a time in seconds since 1970; dates use this machine's time zone.
fn since_seconds(since: &StartTime) -> Result<i64, CommandError> {
    match since {
        StartTime::Ago(ago) => {
            Ok(Timestamp::now().as_second().saturating_sub(i64::try_from(*ago).unwrap_or(i64::MAX)))
        }
        StartTime::Date(text) => {
            let read: Option<Zoned> =
                text.parse::<DateTime>().ok().and_then(|date| date.to_zoned(TimeZone::system()).ok());
            read.map(|date| date.timestamp().as_second()).ok_or_else(|| {
                format!("--since {text}: not a date; write 2026-11-22, 2026-11-22T14:30, or 7d").into()
            })
        }
    }
}

fn apply_each(
    index: &mut StoreIndex,
    names: &[String],
    act: impl Fn(&mut StoreIndex, &str) -> Result<(), StoreError>,
) -> Result<Exit, CommandError> {
    for id in find_ids(index, names)? {
        act(index, &id)?;
    }
    Ok(Exit::Success)
}

fn find_ids(index: &StoreIndex, names: &[String]) -> Result<Vec<String>, StoreError> {
    let mut ids: Vec<String> = Vec::new();
    for name in names {
        for entry in index.find_named(name)? {
            if !ids.contains(&entry.id) {
                ids.push(entry.id);
            }
        }
    }
    Ok(ids)
}

fn remove(index: &mut StoreIndex, names: &[String]) -> Result<Exit, CommandError> {
    const MAX_NAMED: usize = 10;
    let gone = find_ids(index, names)?;
    for id in &gone {
        index.remove(id)?;
    }
    let named: Vec<String> = gone.iter().take(MAX_NAMED).map(|id| format!("@{id}")).collect();
    let more =
        if gone.len() > MAX_NAMED { format!(" and {} more", gone.len() - MAX_NAMED) } else { String::new() };
    let said = format!("removed {}: {}{more}\n", count_of(gone.len(), "run"), named.join(" "));
    output::to_stdout(said.as_bytes())
}
