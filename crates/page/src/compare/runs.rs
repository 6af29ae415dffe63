//! The runs: known properties of each, and how they were made.

use super::points::run_name;
use super::{ComparisonPage, LETTERS};
use crate::page::command;
use crate::span_columns::{SpanRow, cpus, iops, mean, mib_per_s, p99, p999};
use diskspd_experiments::compare::{Side, SideRun};
use diskspd_figures::units::start_time::date_and_time;
use diskspd_figures::units::table::{Cell, TableColumn};
use diskspd_report::page_table::PageTable;
use diskspd_results::{RunSummary, RunVerdict, SpanSummary};
use maud::{Markup, html};

/// Maximum number of listed runs per side; charts include all.
const MAX_RUNS: usize = 200;
/// Maximum number of shown command lines per side.
const MAX_LINES: usize = 4;

/// Renders a row for each run and time span.
pub(super) fn runs(page: &ComparisonPage) -> Markup {
    let left = page.sides.iter().map(|side| side.runs.len().saturating_sub(MAX_RUNS)).sum::<usize>();
    let lines: Vec<SideRunRow> =
        LETTERS.iter().zip(page.sides).flat_map(|(letter, side)| run_lines(letter, side)).collect();
    html! {
        (PageTable::new("runs", "Runs of both sides").high().render(SideRunRow::COLUMNS, &lines))
        @if left > 0 { p.note { (left) " runs more are in the charts and their tables." } }
    }
}

struct SideRunRow<'a> {
    name: String,
    run: &'a RunSummary,
    span: Option<&'a SpanSummary>,
}

fn run_lines<'a>(letter: &'a str, side: &'a Side) -> impl Iterator<Item = SideRunRow<'a>> {
    let of_run = move |run: &'a SideRun| {
        let several = run.known.time_spans.len() > 1;
        let spans = run.known.time_spans.iter().enumerate();
        spans.map(move |(number, span)| {
            let place = if several { format!(", time span {}", number + 1) } else { String::new() };
            let name = run_name(letter, &run.known.name) + &place;
            SideRunRow { name, run: &run.known, span: span.as_ref() }
        })
    };
    side.runs.iter().take(MAX_RUNS).flat_map(of_run)
}

impl<'a> SideRunRow<'a> {
    fn verdict(&self) -> RunVerdict {
        RunVerdict::new(self.span.and_then(|span| span.verdict), self.run.worst_severity())
    }

    const COLUMNS: &'a [TableColumn<SideRunRow<'a>>] = &[
        TableColumn::<SideRunRow>::words("run", |line| Cell::name_cell(&line.name)).paged(),
        TableColumn::<SideRunRow>::words("started", |line| {
            Cell::text(line.run.started_at.and_then(date_and_time))
        })
        .paged(),
        TableColumn::<SideRunRow>::words("verdict", |line| line.verdict().verdict_cell()).paged(),
        TableColumn::<SideRunRow>::words("severity", |line| line.verdict().severity_cell()).paged(),
        TableColumn::<SideRunRow>::words("machine", |line| Cell::text(line.run.computer())).paged(),
        iops(),
        mib_per_s(),
        mean(),
        p99(),
        p999(),
        cpus(),
    ];
}

impl SpanRow for SideRunRow<'_> {
    fn span(&self) -> Option<&SpanSummary> {
        self.span
    }
}

/// Returns the command lines of each side, without duplicates.
pub(super) fn command_lines(page: &ComparisonPage) -> Markup {
    html! {
        @for (letter, side) in LETTERS.iter().zip(page.sides) {
            @let found = distinct_names(side);
            @if !found.is_empty() {
                p.name { "How " (letter) " was run" }
                @for one in found.iter().take(MAX_LINES) {
                    (command(one))
                }
                @if found.len() > MAX_LINES { p.quiet { (found.len() - MAX_LINES) " command lines more" } }
            }
        }
    }
}

fn distinct_names(side: &Side) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in side.runs.iter().filter_map(|run| run.known.command_line.as_ref()) {
        let text = String::from_utf8_lossy(line.as_bytes()).into_owned();
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}
