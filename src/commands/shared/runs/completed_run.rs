//! The result of one of several runs, made by this program or DISKSPD (`--with`).

use super::side_run;
use super::with::ToolResults;
use crate::checks::JudgedRecord;
use crate::experiments::RunRow;
use crate::experiments::compare::SideRun;
use crate::formats::known;
use crate::machine::fingerprint::Fingerprint;
use crate::results::{Record, RunSummary};
use crate::run::ExecutedRun;

#[derive(Debug, Clone)]
pub(crate) enum CompletedResults {
    Here(Box<Record>),
    ByTool(Box<ToolResults>),
}

#[derive(Debug)]
pub(crate) struct CompletedRun {
    pub results: CompletedResults,
    /// Causes of the failure; empty = success.
    pub failures: Vec<String>,
    pub troubles: Vec<String>,
    /// Whether threads of this process still wait for the kernel.
    pub left_behind: bool,
    pub is_whole: bool,
}

impl From<ExecutedRun> for CompletedRun {
    fn from(executed: ExecutedRun) -> CompletedRun {
        let ExecutedRun { record, failures, troubles, left_behind, .. } = executed;
        let is_whole = record.host().results.time_spans.iter().all(|span| span.ended.is_none());
        CompletedRun {
            results: CompletedResults::Here(Box::new(record)),
            failures,
            troubles,
            left_behind,
            is_whole,
        }
    }
}

impl From<ToolResults> for CompletedRun {
    fn from(results: ToolResults) -> CompletedRun {
        let results = CompletedResults::ByTool(Box::new(results));
        CompletedRun {
            results,
            failures: Vec::new(),
            troubles: Vec::new(),
            left_behind: false,
            is_whole: true,
        }
    }
}

impl CompletedResults {
    /// Returns the figures; `None` = nothing was measured.
    pub(crate) fn line(&self) -> Option<RunRow> {
        match self {
            CompletedResults::Here(record) => RunRow::from_record(&JudgedRecord::new(record)),
            CompletedResults::ByTool(made) => RunRow::of_summary(&made.known),
        }
    }

    /// Returns the summary of the run, without a name.
    pub(crate) fn to_summary(&self) -> RunSummary {
        match self {
            CompletedResults::Here(record) => known::run(&JudgedRecord::new(record), ""),
            CompletedResults::ByTool(made) => made.known.clone(),
        }
    }

    /// Returns the start of the measurement in seconds since 1970-01-01 00:00 UTC.
    pub(crate) fn began_at(&self) -> Option<i64> {
        let spans = &self.record()?.host().results.time_spans;
        Some(spans.iter().find_map(|span| span.started_at)? / 1000)
    }

    /// Returns the record, if this program made it.
    pub(crate) fn record(&self) -> Option<&Record> {
        match self {
            CompletedResults::Here(record) => Some(record),
            CompletedResults::ByTool(_) => None,
        }
    }

    pub(crate) fn side(&self, name: &str) -> SideRun {
        match self {
            CompletedResults::Here(record) => side_run::of_record(record, name),
            CompletedResults::ByTool(made) => {
                side_run::of_known(RunSummary { name: name.to_owned(), ..made.known.clone() })
            }
        }
    }

    /// Returns the machine properties that affect the figures; `None` = unknown.
    pub(crate) fn fingerprint(&self) -> Option<Fingerprint> {
        Some(Fingerprint::from_system(&self.record()?.host().system))
    }
}
