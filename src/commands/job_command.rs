//! A command that makes runs, as the ranks of a job see it.

use crate::cli::RunRequest;
use std::path::Path;

#[derive(Debug, Clone, Copy, Default)]
pub struct JobCommand<'a> {
    pub quiet: bool,
    /// `--mpi`, with the library to use, if one is named.
    pub mpi: Option<Option<&'a Path>>,
}

impl JobCommand<'_> {
    pub fn quiet(quiet: bool) -> JobCommand<'static> {
        JobCommand { quiet, mpi: None }
    }

    pub fn of_run(request: &RunRequest) -> JobCommand<'_> {
        JobCommand { quiet: request.quiet, mpi: request.mpi.as_ref().map(Option::as_deref) }
    }
}
