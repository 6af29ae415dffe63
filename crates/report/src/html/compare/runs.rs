//! The runs themselves: what is known of each, and how they were made.

use super::points::run_name;
use super::{ComparisonPage, LETTERS};
use crate::html::verdict::Badge;
use crate::number::{exact, exact_time, number};
use diskspd_judge::lab::compare::{Side, SideRun};
use diskspd_model::results::SpanSummary;
use diskspd_model::units::start_time::date_and_time;
use diskspd_model::units::visible::{line, lines};
use maud::{Markup, html};

const HEAD: [&str; 9] = ["started", "found", "machine", "IOPS", "MiB/s", "mean", "99 %", "99.9 %", "CPUs, %"];

/// Runs that are listed of each side; the others are in the charts alone.
const MOST: usize = 200;
/// Command lines of a side that are shown.
const MOST_LINES: usize = 4;

/// A row for each run and time span.
pub fn runs(page: &ComparisonPage) -> Markup {
    let left = page.sides.iter().map(|side| side.runs.len().saturating_sub(MOST)).sum::<usize>();
    html! {
        div.scroll.high tabindex="0" role="region" aria-label="Runs of both sides" {
            table.figures.runs {
                caption.hidden { "Runs of both sides" }
                thead { tr { th scope="col" { "run" } @for name in HEAD { th scope="col" { (name) } } } }
                tbody {
                    @for (letter, side) in LETTERS.iter().zip(page.sides) {
                        @for run in side.runs.iter().take(MOST) { (rows(letter, run)) }
                    }
                }
            }
        }
        @if left > 0 { p.note { (left) " runs more are in the charts and their tables." } }
    }
}

fn rows(letter: &str, run: &SideRun) -> Markup {
    let several = run.known.time_spans.len() > 1;
    let place = |number: usize| if several { format!(", time span {}", number + 1) } else { String::new() };
    html! {
        @for (number, span) in run.known.time_spans.iter().enumerate() {
            tr {
                th scope="row" { (run_name(letter, &run.known.name)) (place(number)) }
                td { (run.known.started_at.and_then(date_and_time).unwrap_or_default()) }
                td.words { (Badge::of_findings(run.known.findings.as_ref()).markup()) }
                td { (line(&run.known.computer().unwrap_or_default())) }
                @match span {
                    Some(span) => (figures(span)),
                    None => td.failed colspan="6" { "ended before it was measured" },
                }
            }
        }
    }
}

fn figures(span: &SpanSummary) -> Markup {
    let at = |percent| span.percentile(percent).and_then(|row| row.total);
    html! {
        td { (exact(span.total.iops, number)) }
        td { (exact(span.total.mib_per_s, number)) }
        @for ms in [span.total.mean_ms, at(99.0), at(99.9)] { td { (exact_time(ms)) } }
        td { (exact(span.cpu_percent, number)) }
    }
}

/// How the runs of each side were made, each command line once.
pub fn command_lines(page: &ComparisonPage) -> Markup {
    html! {
        @for (letter, side) in LETTERS.iter().zip(page.sides) {
            @let found = distinct(side);
            @if !found.is_empty() {
                p.name { "How " (letter) " was run" }
                @for one in found.iter().take(MOST_LINES) { div.command { pre { code { (lines(one)) } } } }
                @if found.len() > MOST_LINES { p.quiet { (found.len() - MOST_LINES) " command lines more" } }
            }
        }
    }
}

fn distinct(side: &Side) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in side.runs.iter().filter_map(|run| run.known.command_line.as_ref()) {
        let text = String::from_utf8_lossy(line.as_bytes()).into_owned();
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}
