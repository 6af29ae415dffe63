//! The page of a suite: a table of its tests, and its runs as on a page of several runs.

use super::input::Run;
use super::page::{command, heading};
use super::{several, title};
use diskspd_base::platform::PRODUCT;
use diskspd_experiments::suite::SuiteRow;
use diskspd_figures::units::count_of;
use diskspd_figures::units::visible::line;
use diskspd_report::page_table::PageTable;
use diskspd_results::{RunSummary, RunVerdict};
use maud::{Markup, html};

#[derive(Debug, Clone, Copy)]
pub struct SuitePage<'a> {
    pub name: &'a str,
    pub about: &'a str,
    pub label: &'a str,
    pub rows: &'a [SuiteRow],
    /// Whole command line, quoted for a shell.
    pub command_line: &'a str,
}

/// Returns the suite, its targets, the machine, and the worst verdict.
pub(crate) fn title(page: &SuitePage, runs: &[Run]) -> String {
    let known = || runs.iter().map(|run| &run.known);
    let mut targets: Vec<String> = known().flat_map(title::targets_of).collect();
    targets.sort();
    targets.dedup();
    let machine = known().find_map(RunSummary::computer);
    let worst = RunVerdict::worst(page.rows.iter().map(|row| row.verdict));
    let answer = format!("{}, {}", count_of(page.rows.len(), "test"), worst.in_words());
    title::title(&format!("Suite {}", page.name), &targets, machine.as_deref(), &answer)
}

/// Renders the content of the page. `runs` = all runs, grouped by test.
pub(crate) fn content(page: &SuitePage, runs: &[Run]) -> Markup {
    html! {
        header {
            p.kicker { (PRODUCT) " · suite" }
            h1 { (title(page, runs)) }
            @if !page.about.is_empty() { p.lead { (line(page.about)) } }
            p.targets { "kept as " code { "@" (line(page.label)) } ", " (runs.len()) " runs" }
        }
        section {
            (heading(2, "Tests"))
            (PageTable::new("tests", "Tests").render(SuiteRow::COLUMNS, page.rows))
            p.note {
                "IOPS: the mean of all runs, and its 95 % interval to each side. The other figures are \
                 medians. The verdict and the severity are the worst of the runs."
            }
        }
        (several::all(runs))
        section.again {
            (heading(2, "Do it again"))
            (command(page.command_line))
        }
    }
}
