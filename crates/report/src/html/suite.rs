//! The page of a suite: a table of its tests, then its runs as a page of several has them.

use super::input::Run;
use super::page::{command, heading};
use super::several;
use super::table::PageTable;
use diskspd_judge::lab::suite::SuiteRow;
use diskspd_model::units::visible::line;
use maud::{Markup, html};

#[derive(Debug, Clone, Copy)]
pub struct SuitePage<'a> {
    pub name: &'a str,
    pub about: &'a str,
    pub label: &'a str,
    pub rows: &'a [SuiteRow],
    /// The whole command line, as it can be typed.
    pub command_line: &'a str,
}

pub fn title(page: &SuitePage) -> String {
    format!("DiskSpd: suite {}", page.name)
}

/// The content of the page. `runs`: all runs, those of a test one after the other.
pub fn content(page: &SuitePage, runs: &[Run]) -> Markup {
    html! {
        header {
            p.kicker { "DiskSpd for Linux · suite" }
            h1 { (line(page.name)) }
            @if !page.about.is_empty() { p.lead { (line(page.about)) } }
            p.targets { "kept as " code { "@" (line(page.label)) } ", " (runs.len()) " runs" }
        }
        section {
            (heading(2, "Tests"))
            (PageTable::new("tests", "Tests").render(SuiteRow::COLUMNS, page.rows))
            p.note {
                "IOPS: the mean of all runs, and its 95 % interval to each side. The other figures are \
                 medians, and the verdict is the worst of a run."
            }
        }
        (several::all(runs))
        section.again {
            (heading(2, "Do it again"))
            (command(page.command_line))
        }
    }
}
