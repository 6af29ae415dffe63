//! A command that executes runs, as seen by the ranks of a job.

use crate::cli::{Exit, RunRequest};
use std::path::Path;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct JobCommand<'a> {
    pub quiet: bool,
    /// `--mpi`, with the library if named.
    pub mpi: Option<Option<&'a Path>>,
}

impl JobCommand<'_> {
    pub(crate) fn quiet(quiet: bool) -> JobCommand<'static> {
        JobCommand { quiet, mpi: None }
    }

    pub(crate) fn of_run(request: &RunRequest) -> JobCommand<'_> {
        JobCommand { quiet: request.quiet, mpi: request.mpi.as_ref().map(Option::as_deref) }
    }
}

/// Answer of one rank of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RankReply {
    /// Description of the rank and its host.
    pub name: String,
    pub text: String,
    /// Text without facts that differ by rank.
    pub key: String,
    pub exit: Exit,
    pub failure: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RankPlans {
    pub text: String,
    pub failures: Vec<String>,
}
