//! Reasons why a sweep cannot continue, or a point of it has no figures.

use super::super::run_backend::BackendError;
use crate::commands::shared::command_error::{CommandError, failed_with};
use crate::commands::shared::folder_error::FolderErrorKind;
use crate::commands::shared::job::ctrl_c::SignalWatchError;
use crate::experiments::sweep::time_in_words;
use std::io;
use std::process::ExitStatus;

#[derive(Debug, thiserror::Error)]
pub(crate) enum SweepError {
    #[error("--dir: run {run} of the folder belongs to another sweep; name another folder")]
    Astray {
        /// The first such run, from 1.
        run: usize,
    },
    #[error(transparent)]
    Unwatched(#[from] SignalWatchError),
    #[error(transparent)]
    Folder(#[from] FolderErrorKind),
}

/// A pass over all points exceeds `--budget`.
#[derive(Debug, thiserror::Error)]
#[error(
    "--budget {}: one run of every point lasts {}, all requested runs last {}; use fewer points, or shorter \
     runs (-d, -W)",
    time_in_words(*budget_s), time_in_words(*one_pass_s), time_in_words(*needed_s)
)]
pub(crate) struct OverBudget {
    pub budget_s: f64,
    /// Duration in s of one run of every point.
    pub one_pass_s: f64,
    pub needed_s: f64,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum PointError {
    #[error(transparent)]
    NoFigures(#[from] BackendError),
    #[error("--between: {0}")]
    Between(#[from] BetweenError),
    #[error(transparent)]
    CommandError(#[from] CommandError),
    /// The plan has no such point.
    #[error("there is no such point")]
    Unknown,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum BetweenError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The command failed or was killed.
    #[error("{0}")]
    Failed(ExitStatus),
    /// The user has ended the sweep.
    #[error("interrupted")]
    Interrupted,
}

failed_with!(SweepError, OverBudget);
