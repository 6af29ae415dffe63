//! The list of all runs.

use super::{HistoryPage, ListedRun};
use crate::html::verdict::Badge;
use crate::number::{exact, latency, number};
use diskspd_model::finding::Severity;
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
                    tbody { @for run in page.runs.iter().rev().take(MOST) {
                            (row(run))
                            @for span in &run.further { (row(span)) }
                        } }
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

fn row(run: &ListedRun) -> Markup {
    let words = run.label.iter().chain(&run.tags).map(|word| line(word).into_owned());
    let pinned = run.pinned.then(|| "pinned".to_owned());
    html! {
        tr {
            th scope="row" { "@" (line(&run.id)) }
            td { (date_and_time(run.at).unwrap_or_default()) }
            td { (words.chain(pinned).collect::<Vec<_>>().join(", ")) }
            td { @if let Some(worst) = &run.worst { (found(worst)) } }
            td {
                (line(&run.work))
                @if run.time_span > 0 { span.quiet { " time span " (run.time_span) } }
            }
            td { (exact(run.iops, number)) }
            td { (exact(run.mib_per_s, number)) }
            @for ms in [run.mean_ms, run.p50_ms, run.p99_ms, run.p999_ms] { td { (exact(ms, latency)) } }
            td { (line(run.computer.as_deref().unwrap_or_default())) }
            td { (line(&run.targets.join(" "))) }
        }
    }
}

fn found(worst: &str) -> Markup {
    match Severity::named(worst) {
        Some(severity) => Badge::of(severity).markup(),
        None => html! { (line(worst)) },
    }
}
