//! `--html`: the page of a history.

use super::notes_text;
use crate::cli::shell_quote::quoted;
use crate::cli::{Exit, HistoryRequest};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::output::OutFile;
use crate::commands::shared::runs::stored;
use crate::experiments::selection::RunFigure;
use crate::page as html;
use crate::page::{HistoryPage, ListedRun, RunSeries, WorkloadSeries};
use crate::report_formats::HTML;
use crate::run::{HangGuard, OutputPolicy};
use crate::store::{Fingerprints, History, SpanWork, StoreEntry, StoreIndex};
use std::collections::HashMap;
use std::path::Path;

const DEFAULT_FIGURES: [RunFigure; 3] = [RunFigure::Iops, RunFigure::Mean, RunFigure::P99];

/// Writes the page. `figure`: the only followed figure; `None` = the usual ones.
///
/// # Errors
/// Fails if the index cannot be queried, or the page cannot be written.
pub(super) fn write(
    file: &Path,
    index: &StoreIndex,
    entries: &[StoreEntry],
    figure: Option<RunFigure>,
    request: &HistoryRequest,
) -> Result<Exit, CommandError> {
    let store = stored::store(request.store.as_deref()).map(|store| store.folder().to_owned()).ok();
    let permitted = OutputPolicy::default().which_keeps(store).permit("--html", file)?;
    let out = OutFile::open(permitted, file, &HTML, &HangGuard::default())?;
    let letters = index.telling_length()?;
    let runs: Vec<ListedRun> = entries.iter().map(|entry| listed_run(entry, letters)).collect();
    let prints = index.fingerprints(entries)?;
    let works =
        followed_works(entries, &prints, figure.as_ref().map_or(&DEFAULT_FIGURES[..], std::slice::from_ref));
    let command_line = format!("diskspd history {}", quoted(&request.given));
    let page = HistoryPage { command_line: command_line.trim_end(), figure, runs: &runs, works: &works };
    out.save_page(&|sink| html::write_history(&page, sink))?;
    Ok(Exit::Success)
}

fn listed_run(entry: &StoreEntry, letters: usize) -> ListedRun<'_> {
    ListedRun {
        id: entry.id[..letters].to_owned(),
        at: entry.time_of_run(),
        label: entry.about.label.as_deref(),
        tags: &entry.about.tags,
        pinned: entry.about.pinned,
        targets: &entry.targets,
        work: entry
            .time_spans()
            .map(|(at, _)| entry.work_of(at).map_or_else(String::new, SpanWork::words))
            .collect(),
        run: &entry.run,
    }
}

fn followed_works(
    entries: &[StoreEntry],
    prints: &Fingerprints,
    figures: &[RunFigure],
) -> Vec<WorkloadSeries> {
    let places: HashMap<&str, usize> =
        entries.iter().enumerate().map(|(place, entry)| (entry.id.as_str(), place)).collect();
    let mut works: Vec<(String, WorkloadSeries)> = Vec::new();
    for figure in figures {
        for history in History::all(entries, *figure, prints) {
            let latest = history.points.last().and_then(|point| places.get(point.id.as_str()));
            let course = RunSeries {
                figure: *figure,
                points: history
                    .points
                    .iter()
                    .filter_map(|point| Some((*places.get(point.id.as_str())?, point.value)))
                    .collect(),
                told: notes_text::runs(&history, *figure),
                said: notes_text::course(&history, *figure),
                levels: history.trend.levels,
            };
            let same = |(workload, work): &&mut (String, WorkloadSeries)| {
                *workload == history.workload
                    && work.machine == history.machine
                    && work.time_span == history.time_span
            };
            match works.iter_mut().find(same) {
                Some((_, work)) => work.courses.push(course),
                None => works.push((
                    history.workload,
                    WorkloadSeries {
                        machine: history.machine,
                        command_line: history.command_line,
                        targets: latest.map(|place| entries[*place].targets.clone()).unwrap_or_default(),
                        time_span: history.time_span,
                        courses: vec![course],
                    },
                )),
            }
        }
    }
    works.sort_by_key(|(_, work)| {
        std::cmp::Reverse(work.courses.iter().map(|course| course.points.len()).max())
    });
    works.into_iter().map(|(_, work)| work).collect()
}
