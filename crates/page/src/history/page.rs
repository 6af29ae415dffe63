//! The content of a history page: its runs, and the course of figures.

use diskspd_experiments::selection::RunFigure;
use diskspd_figures::stats::Level;
use diskspd_results::RunSummary;

#[derive(Debug, Clone, Copy)]
pub struct HistoryPage<'a> {
    /// Whole command line, quoted for a shell.
    pub command_line: &'a str,
    /// Only figure of the page; `None` = the headline figures.
    pub figure: Option<RunFigure>,
    pub runs: &'a [ListedRun<'a>],
    /// Workloads with several runs, sorted by descending number of runs.
    pub works: &'a [WorkloadSeries],
}

#[derive(Debug, Clone, PartialEq)]
pub struct ListedRun<'a> {
    pub id: String,
    /// Start or storage time in seconds since 1970.
    pub at: i64,
    pub label: Option<&'a str>,
    pub tags: &'a [String],
    pub pinned: bool,
    pub targets: &'a [String],
    pub work: Vec<String>,
    pub run: &'a RunSummary,
}

/// Runs with the same work on the same machine.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorkloadSeries {
    /// Fingerprint or name of the machine; empty = not recorded.
    pub machine: String,
    pub command_line: Option<String>,
    /// Targets of the latest run.
    pub targets: Vec<String>,
    pub time_span: u32,
    pub courses: Vec<RunSeries>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RunSeries {
    pub figure: RunFigure,
    /// (index in [`HistoryPage::runs`], value), oldest first; at least one.
    pub points: Vec<(usize, f64)>,
    /// Levels with their ranges of points; at least one.
    pub levels: Vec<Level>,
    pub told: Vec<RunNote>,
    pub said: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunNote {
    pub place: usize,
    pub of: NoteKind,
    pub words: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// The machine changed since the previous run.
    Machine,
    Apart,
    /// The clock was set back since the previous run.
    Clock,
}

impl RunNote {
    /// Whether this is the beginning of a level, which is only certain to one run.
    pub fn is_at(&self, begin: usize) -> bool {
        self.place.abs_diff(begin) <= 1
    }
}

/// Describes the change from the previous level, and whether it is better.
pub fn change_of(before: &Level, level: &Level, figure: RunFigure) -> (String, bool) {
    let better = (level.rate > before.rate) == figure.more_is_better();
    let change = level.change_percent(before);
    (change.map_or_else(|| "up from 0".into(), |percent| format!("{percent:+.1} %")), better)
}

impl WorkloadSeries {
    /// Returns the number of runs with its most common figure.
    pub(super) fn runs(&self) -> usize {
        self.courses.iter().map(|course| course.points.len()).max().unwrap_or(0)
    }

    pub(super) fn name(&self) -> String {
        let unknown = || format!("Work on {}, command line not recorded", self.targets.join(" "));
        self.command_line.clone().unwrap_or_else(unknown)
    }
}

pub(super) fn figure_name(figure: RunFigure) -> &'static str {
    figure.title().strip_suffix(", ms").unwrap_or(figure.title())
}

pub(super) fn figure_text(figure: RunFigure) -> fn(f64) -> String {
    if figure.more_is_better() { diskspd_report::number::number } else { diskspd_report::number::latency }
}
