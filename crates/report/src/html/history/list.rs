//! The list of all runs.

use super::{HistoryPage, ListedRun};
use crate::html::verdict::Badge;
use crate::number::{exact, latency, number};
use diskspd_judge::lab::selection::RunFigure;
use diskspd_model::results::{SpanSummary, WhichIos};
use diskspd_model::units::start_time::date_and_time;
use diskspd_model::units::visible::line;
use maud::{Markup, html};

const HEAD: [&str; 12] = [
    "began",
    "label, tags",
    "found",
    "work",
    "IOPS",
    "MiB/s",
    "mean",
    "50 %",
    "99 %",
    "99.9 %",
    "machine",
    "targets",
];

/// Runs that are listed; more of them make a page that no browser opens at once.
const MOST: usize = 2000;

/// The latest first, as the newest are what is asked for.
pub fn list(page: &HistoryPage) -> Markup {
    html! {
        @if page.runs.is_empty() { p { "No run fits." } }
        @else {
            div.scroll.high tabindex="0" role="region" aria-label="All runs" {
                table.figures.kept {
                    caption.hidden { "All runs, the latest first" }
                    thead { tr { th scope="col" { "run" } @for name in HEAD { th scope="col" { (name) } } } }
                    tbody { @for run in page.runs.iter().rev().take(MOST) { (rows(run)) } }
                }
            }
            p.note {
                "The latest first, with a line for each time span; times are UTC."
                @if page.runs.len() > MOST {
                    " " (page.runs.len() - MOST)
                    " older runs are left out; --since, --label and --target choose among them."
                }
            }
        }
    }
}

/// A line for each time span; one for a run without any.
fn rows(run: &ListedRun) -> Markup {
    let spans = &run.run.time_spans;
    html! {
        @if spans.is_empty() { (row(run, 0, None)) }
        @for (place, span) in spans.iter().enumerate() { (row(run, place, span.as_ref())) }
    }
}

/// `place`: of the time span, from 0.
fn row(run: &ListedRun, place: usize, span: Option<&SpanSummary>) -> Markup {
    let words = run.label.into_iter().chain(run.tags.iter().map(String::as_str));
    let words = words.map(|word| line(word).into_owned());
    let pinned = run.pinned.then(|| "pinned".to_owned());
    let figure = |figure: RunFigure| figure.value(span?, WhichIos::Total);
    html! {
        tr {
            th scope="row" { "@" (line(&run.id)) }
            td { (date_and_time(run.at).unwrap_or_default()) }
            td { (words.chain(pinned).collect::<Vec<_>>().join(", ")) }
            td { @if let Some(worst) = run.run.worst() { (Badge::of(worst).markup()) } }
            td {
                (line(run.work.get(place).map_or("", String::as_str)))
                @if run.run.time_spans.len() > 1 { span.quiet { " time span " (place + 1) } }
            }
            @for (of, _) in RunFigure::ALL {
                td { (exact(figure(of), if of.more_is_better() { number } else { latency })) }
            }
            td { (line(&run.run.computer().unwrap_or_default())) }
            td { (line(&run.targets.join(" "))) }
        }
    }
}
