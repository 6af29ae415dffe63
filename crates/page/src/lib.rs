//! The page: runs as one self-contained HTML file. Charts are inline SVG, complete without scripts;
//! scripts add the figures under the pointer and zoom.
//!
//! ```text
//! Run ──run──▶ sections: verdict, headline, charts, again, environment ──page──▶ bytes
//! ```
//!
//! Every figure comes from the summary or the judgement, as in the JSON. The file is also valid XML for
//! any parser.
//!
//! Invariant: a page prints figures and computes none.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod badges;
pub mod chart;
mod charts;
mod compare;
mod distribution;
mod downsample;
mod environment;
mod fio;
mod headline;
mod history;
mod hosts;
mod input;
mod overview;
mod page;
mod processors;
mod repetition;
mod rerun_box;
mod rounds;
mod run;
pub mod run_summary_text;
mod secondary;
pub(crate) mod series;
mod several;
mod slow;
pub(crate) mod span;
mod span_columns;
mod suite;
mod sweep;
mod threads;
mod title;
pub(crate) mod verdict;

pub use compare::ComparisonPage;
pub use history::{HistoryPage, ListedRun, NoteKind, RunNote, RunSeries, WorkloadSeries, change_of};
pub use input::Run;
pub use suite::SuitePage;
pub use sweep::SweepPage;
pub use title::common_work;

use diskspd_checks::JudgedRecord;
use diskspd_experiments::repetition::Repetition;
use diskspd_formats::known;
use std::io::{self, Write};

pub fn write(judged: &JudgedRecord, sink: &mut dyn Write) -> io::Result<()> {
    write_runs(&[Run { known: known::run(judged, ""), judged: Some(judged) }], sink)
}

/// Writes the page of several runs, at least one: a table of all, a chart that compares them, and the
/// sections of each. The page of a single run is the run's page.
pub fn write_runs(runs: &[Run], sink: &mut dyn Write) -> io::Result<()> {
    let (title, content) = match runs {
        [run] => (run::title(run), run::render_single(run)),
        runs => (several::title(runs), several::render_runs(runs)),
    };
    sink.write_all(page::page(&title, content).into_string().as_bytes())
}

/// Writes the page of a repetition, with its runs in order.
pub fn write_repetition(repetition: &Repetition, runs: &[Run], sink: &mut dyn Write) -> io::Result<()> {
    let title = repetition::title(repetition);
    sink.write_all(page::page(&title, repetition::content(repetition, runs)).into_string().as_bytes())
}

pub fn write_sweep(page: &SweepPage, sink: &mut dyn Write) -> io::Result<()> {
    sink.write_all(page::page(&sweep::title(page), sweep::content(page)).into_string().as_bytes())
}

/// Writes the page of a suite. `runs` = all of its runs, grouped by test.
pub fn write_suite(page: &SuitePage, runs: &[Run], sink: &mut dyn Write) -> io::Result<()> {
    sink.write_all(page::page(&suite::title(page, runs), suite::content(page, runs)).into_string().as_bytes())
}

pub fn write_comparison(page: &ComparisonPage, sink: &mut dyn Write) -> io::Result<()> {
    sink.write_all(page::page(&compare::title(page), compare::content(page)).into_string().as_bytes())
}

pub fn write_history(page: &HistoryPage, sink: &mut dyn Write) -> io::Result<()> {
    sink.write_all(page::page(&history::title(page), history::content(page)).into_string().as_bytes())
}
