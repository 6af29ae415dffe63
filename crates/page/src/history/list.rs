//! The list of all runs.

use super::{HistoryPage, ListedRun};
use diskspd_experiments::selection::RunFigure;
use diskspd_figures::units::Millis;
use diskspd_figures::units::start_time::date_and_time;
use diskspd_figures::units::table::{Cell, TableColumn};
use diskspd_report::page_table::PageTable;
use diskspd_results::{RunVerdict, SpanSummary, WhichIos};
use maud::{Markup, html};

/// Maximum number of listed runs; browsers open longer pages slowly.
const MAX_RUNS: usize = 2000;

pub(super) fn list(page: &HistoryPage) -> Markup {
    let lines: Vec<StoredRunRow> = page.runs.iter().rev().take(MAX_RUNS).flat_map(kept_lines).collect();
    html! {
        @if page.runs.is_empty() { p { "No run fits." } }
        @else {
            (PageTable::new("kept", "All runs, latest first").high().render(StoredRunRow::COLUMNS, &lines))
            p.note {
                "Latest first, with a line for each time span; times are UTC."
                @if page.runs.len() > MAX_RUNS {
                    " " (page.runs.len() - MAX_RUNS)
                    " older runs are left out; --since, --label and --target choose among them."
                }
            }
        }
    }
}

struct StoredRunRow<'a> {
    run: &'a ListedRun<'a>,
    place: usize,
    span: Option<&'a SpanSummary>,
}

/// Returns a row for each time span; one for a run without any.
fn kept_lines<'a>(run: &'a ListedRun) -> Vec<StoredRunRow<'a>> {
    let spans = run.run.time_spans.iter().map(Option::as_ref).enumerate();
    let lines: Vec<StoredRunRow> = spans.map(|(place, span)| StoredRunRow { run, place, span }).collect();
    if lines.is_empty() { vec![StoredRunRow { run, place: 0, span: None }] } else { lines }
}

impl<'a> StoredRunRow<'a> {
    const COLUMNS: &'a [TableColumn<StoredRunRow<'a>>] = &[
        TableColumn::<StoredRunRow>::words("run", |line| Cell::name_cell(format!("@{}", line.run.id)))
            .paged(),
        TableColumn::<StoredRunRow>::words("began", |line| Cell::text(date_and_time(line.run.at))).paged(),
        TableColumn::<StoredRunRow>::words("label, tags", StoredRunRow::words_cell).paged(),
        TableColumn::<StoredRunRow>::words("verdict", |line| line.verdict().verdict_cell()).paged(),
        TableColumn::<StoredRunRow>::words("severity", |line| line.verdict().severity_cell()).paged(),
        TableColumn::<StoredRunRow>::words("work", StoredRunRow::work_cell).paged(),
        TableColumn::<StoredRunRow>::number("IOPS", |line| line.figure_cell(RunFigure::Iops)).paged(),
        TableColumn::<StoredRunRow>::number("MiB/s", |line| line.figure_cell(RunFigure::MibPerS)).paged(),
        TableColumn::<StoredRunRow>::number("mean", |line| line.figure_cell(RunFigure::Mean)).paged(),
        TableColumn::<StoredRunRow>::number("50 %", |line| line.figure_cell(RunFigure::P50)).paged(),
        TableColumn::<StoredRunRow>::number("99 %", |line| line.figure_cell(RunFigure::P99)).paged(),
        TableColumn::<StoredRunRow>::number("99.9 %", |line| line.figure_cell(RunFigure::P999)).paged(),
        TableColumn::<StoredRunRow>::words("machine", |line| Cell::text(line.run.run.computer())).paged(),
        TableColumn::<StoredRunRow>::words("targets", |line| Cell::Text(line.run.targets.join(" "))).paged(),
    ];

    fn verdict(&self) -> RunVerdict {
        RunVerdict::new(self.span.and_then(|span| span.verdict), self.run.run.worst_severity())
    }

    fn words_cell(&self) -> Cell {
        let words = self.run.label.into_iter().chain(self.run.tags.iter().map(String::as_str));
        let words: Vec<&str> = words.chain(self.run.pinned.then_some("pinned")).collect();
        Cell::Text(words.join(", "))
    }

    fn work_cell(&self) -> Cell {
        let name = self.run.work.get(self.place).cloned().unwrap_or_default();
        let several = self.run.run.time_spans.len() > 1;
        let beside = if several { format!("time span {}", self.place + 1) } else { String::new() };
        Cell::Named { name, beside, link: None, kind: "" }
    }

    fn figure_cell(&self, of: RunFigure) -> Cell {
        match self.span.map(|span| of.cell(span, WhichIos::Total, 2)) {
            Some(Cell::Figure(value, _)) if !of.more_is_better() => Cell::Time(Millis::new(value)),
            cell => cell.unwrap_or(Cell::Missing),
        }
    }
}
