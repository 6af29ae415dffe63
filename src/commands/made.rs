//! The result of one of several runs, made by this program or DISKSPD (`--with`).

use super::side_run;
use super::with::ToolResults;
use crate::lab::RunLine;
use crate::lab::compare::SideRun;
use crate::machine::fingerprint::Fingerprint;
use crate::record::known;
use crate::results::{Record, RunSummary};
use crate::run::Executed;
use crate::truth::Judged;

#[derive(Debug, Clone)]
pub enum MadeResults {
    Here(Box<Record>),
    ByTool(Box<ToolResults>),
}

#[derive(Debug)]
pub struct MadeRun {
    pub results: MadeResults,
    /// Why the run failed, a message each; empty = it didn't.
    pub failures: Vec<String>,
    pub troubles: Vec<String>,
    /// Threads of this process still wait for the kernel.
    pub left_behind: bool,
    /// It has run to its end.
    pub is_whole: bool,
}

impl From<Executed> for MadeRun {
    fn from(executed: Executed) -> MadeRun {
        let Executed { record, failures, troubles, left_behind, .. } = executed;
        let is_whole = record.host().results.time_spans.iter().all(|span| span.ended.is_none());
        MadeRun { results: MadeResults::Here(Box::new(record)), failures, troubles, left_behind, is_whole }
    }
}

impl From<ToolResults> for MadeRun {
    fn from(results: ToolResults) -> MadeRun {
        let results = MadeResults::ByTool(Box::new(results));
        MadeRun { results, failures: Vec::new(), troubles: Vec::new(), left_behind: false, is_whole: true }
    }
}

impl MadeResults {
    /// The figures; `None` = nothing was measured.
    pub fn line(&self) -> Option<RunLine> {
        match self {
            MadeResults::Here(record) => RunLine::from_record(&Judged::new(record)),
            MadeResults::ByTool(made) => RunLine::of_summary(&made.known),
        }
    }

    /// The summary of the run, without a name.
    pub fn to_summary(&self) -> RunSummary {
        match self {
            MadeResults::Here(record) => known::run(&Judged::new(record), ""),
            MadeResults::ByTool(made) => made.known.clone(),
        }
    }

    /// Start of the measurement, seconds since 1970-01-01 00:00 UTC.
    pub fn began_at(&self) -> Option<i64> {
        let spans = &self.record()?.host().results.time_spans;
        Some(spans.iter().find_map(|span| span.started_at)? / 1000)
    }

    /// The record, where this program made it.
    pub fn record(&self) -> Option<&Record> {
        match self {
            MadeResults::Here(record) => Some(record),
            MadeResults::ByTool(_) => None,
        }
    }

    pub fn side(&self, name: &str) -> SideRun {
        match self {
            MadeResults::Here(record) => side_run::of_record(record, name),
            MadeResults::ByTool(made) => {
                side_run::of_known(RunSummary { name: name.to_owned(), ..made.known.clone() })
            }
        }
    }

    /// Returns the machine properties that affect the figures; `None` if not inspected.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        Some(Fingerprint::from_system(&self.record()?.host().system))
    }
}
