//! The lasting changes, in words.

use super::{HistoryPage, NoteKind, RunSeries, WorkloadSeries, change_of, figure_name, figure_text};
use crate::verdict::{Badge, finding_box};
use diskspd_experiments::compare::ChangeVerdict;
use diskspd_experiments::selection::RunFigure;
use diskspd_figures::stats::trend::MIN_RUNS;
use diskspd_figures::units::mark::{Tone, VerdictMark};
use diskspd_figures::units::start_time::date_and_time;
use diskspd_figures::units::visible::line;
use maud::{Markup, html};

const MAX_CHARTS: usize = 24;

pub(super) struct LastingChange {
    pub verdict: ChangeVerdict,
    /// Index of the first run after the change in the series.
    pub place: usize,
    /// Start, size and levels of the change.
    pub words: String,
}

/// Returns the changes of a series in order.
pub(super) fn changes(page: &HistoryPage, course: &RunSeries) -> Vec<LastingChange> {
    let write = figure_text(course.figure);
    let change = |pair: &[diskspd_figures::stats::Level]| {
        let (change, better) = change_of(&pair[0], &pair[1], course.figure);
        let begin = pair[1].begin;
        let machine = course.told.iter().find(|run| run.of == NoteKind::Machine && run.is_at(begin));
        let machine = machine.map(|run| {
            format!("; at the same time {} changed (not necessarily the cause)", line(&run.words))
        });
        let run = course.points.get(pair[1].begin).and_then(|(run, _)| page.runs.get(*run))?;
        let since = date_and_time(run.at).unwrap_or_default();
        Some(LastingChange {
            verdict: if better { ChangeVerdict::Better } else { ChangeVerdict::Worse },
            place: pair[1].begin,
            words: format!(
                "{change} ({}) from @{} on, {since}: {} before, {} since{}",
                if better { "better" } else { "worse" },
                line(&run.id),
                write(pair[0].rate),
                write(pair[1].rate),
                machine.unwrap_or_default()
            ),
        })
    };
    course.levels.windows(2).filter_map(change).collect()
}

type ChangedWork<'a> = (&'a WorkloadSeries, RunFigure, Vec<LastingChange>);

/// Changes of all series with enough runs.
struct HistoryChanges<'a> {
    told: usize,
    changed: Vec<ChangedWork<'a>>,
    few: Vec<(&'a WorkloadSeries, &'a RunSeries)>,
}

impl<'a> HistoryChanges<'a> {
    fn find(page: &'a HistoryPage<'a>) -> HistoryChanges<'a> {
        let all = page.works.iter().flat_map(|work| work.courses.iter().map(move |course| (work, course)));
        let (told, few): (Vec<_>, Vec<_>) = all.partition(|(_, course)| course.points.len() >= MIN_RUNS);
        let changed = told.iter().map(|(work, course)| (*work, course.figure, changes(page, course)));
        let changed = changed.filter(|(.., changes)| !changes.is_empty()).collect();
        HistoryChanges { told: told.len(), changed, few }
    }

    fn badge(&self) -> Badge {
        let latest = self.changed.iter().filter_map(|(.., changes)| changes.last());
        match (self.told, latest.map(|change| change.verdict).max_by_key(how_bad)) {
            (0, _) => Badge(VerdictMark::new(Tone::Unknown, "?", "TOO FEW RUNS")),
            (_, None) => Badge::of_change(ChangeVerdict::Same),
            (_, Some(verdict)) => Badge::of_change(verdict),
        }
    }
}

pub(super) fn badge(page: &HistoryPage) -> Badge {
    HistoryChanges::find(page).badge()
}

pub(super) fn verdict(page: &HistoryPage) -> Markup {
    let found = HistoryChanges::find(page);
    let (badge, changed) = (found.badge(), &found.changed);
    html! {
        div.judgement.{(badge.class())} {
            p.word { (badge.markup()) " " (change_sentence(found.told, changed.len())) }
            @if !changed.is_empty() {
                ul.statements {
                    @for (work, figure, changes) in changed.iter().take(MAX_CHARTS) {
                        (change_statement(work, *figure, changes))
                    }
                }
            }
            @if changed.len() > MAX_CHARTS {
                p.quiet { (changed.len() - MAX_CHARTS) " more are in the charts." }
            }
        }
        (render_unfollowed(&found.few))
    }
}

fn how_bad(verdict: &ChangeVerdict) -> u8 {
    if *verdict == ChangeVerdict::Worse { 1 } else { 0 }
}

fn change_sentence(told: usize, changed: usize) -> String {
    match (told, changed) {
        (0, _) => {
            format!(
                "Too few runs of any workload: a trend needs {MIN_RUNS} runs of the same workload on the \
                 same machine."
            )
        }
        (1, 0) => "Only one figure has enough runs; it shows no lasting change.".into(),
        (all, 0) => format!("None of the {all} figures with enough runs shows a lasting change."),
        (1, _) => "Only one figure has enough runs; it shows a lasting change.".into(),
        (all, some) if all == some => {
            format!("All {all} figures with enough runs show a lasting change.")
        }
        (all, 1) => format!("Of {all} figures with enough runs, 1 shows a lasting change."),
        (all, some) => format!("Of {all} figures with enough runs, {some} show a lasting change."),
    }
}

/// Describes the latest change of a figure, with the earlier ones as evidence.
fn change_statement(work: &WorkloadSeries, figure: RunFigure, changes: &[LastingChange]) -> Markup {
    let Some((last, earlier)) = changes.split_last() else { return html! {} };
    let span = if work.time_span > 1 { format!(" (time span {})", work.time_span) } else { String::new() };
    let message = format!("{}{span}: {}", figure_name(figure), last.words);
    let mut evidence = vec![work.name()];
    evidence.extend(earlier.iter().map(|change| format!("earlier: {}", change.words)));
    finding_box(&Badge::of_change(last.verdict).markup(), None, &[], &message, &evidence, None)
}

fn render_unfollowed(few: &[(&WorkloadSeries, &RunSeries)]) -> Markup {
    let mut works: Vec<&WorkloadSeries> = few.iter().map(|(work, _)| *work).collect();
    works.dedup();
    let runs: usize = works.iter().map(|work| work.runs()).sum();
    html! {
        @if runs > 0 {
            p.note {
                (runs) " runs left out: fewer than " (MIN_RUNS)
                " runs on the same machine: too few for a trend."
            }
        }
    }
}
