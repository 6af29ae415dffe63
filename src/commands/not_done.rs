//! The error of every command, reported in one place.

use super::folder_error::{FolderError, FolderFault};
use super::unread_runs::UnreadRuns;
use crate::cli::{CliError, Exit};
use crate::finding::Finding;
use crate::merge::MergeError;
use crate::plan::{LiesIn, PlanError};
use crate::run::{NotRun, OutputError, WatchError};
use crate::store::StoreError;
use crate::sys::standard_error::say;

pub const DEFECT: &str = "a defect of this program made it fail, see above; please report it";

#[derive(Debug, thiserror::Error)]
#[error("{}", join_messages(.findings))]
pub struct NotDone {
    exit: Exit,
    findings: Vec<Finding>,
}

impl NotDone {
    /// The command line or a profile is wrong.
    pub fn usage(findings: Vec<Finding>) -> NotDone {
        NotDone { exit: Exit::Usage, findings }
    }

    /// The same, for these reasons.
    pub fn misused<M: Into<String>>(messages: impl IntoIterator<Item = M>) -> NotDone {
        NotDone::usage(messages.into_iter().map(Finding::error).collect())
    }

    pub fn failed<M: Into<String>>(messages: impl IntoIterator<Item = M>) -> NotDone {
        NotDone { exit: Exit::RunFailed, findings: messages.into_iter().map(Finding::error).collect() }
    }

    /// The program ends in this way for it.
    pub fn with_exit(self, exit: Exit) -> NotDone {
        NotDone { exit, ..self }
    }

    /// The same, with where it was before each message.
    #[must_use]
    pub fn at(mut self, place: &str) -> NotDone {
        self.findings.iter_mut().for_each(|found| found.message = format!("{place}: {}", found.message));
        self
    }

    pub fn into_messages(self) -> Vec<String> {
        self.findings.into_iter().map(|finding| finding.message).collect()
    }

    pub fn tell(self) -> Exit {
        self.findings.iter().for_each(say);
        self.exit
    }
}

/// All of it in one line, for who keeps it.
fn join_messages(findings: &[Finding]) -> String {
    findings.iter().map(|finding| finding.message.as_str()).collect::<Vec<_>>().join("; ")
}

/// Returns the exit code; an error is reported at once, because more work follows.
pub fn report_error(done: Result<Exit, NotDone>) -> Exit {
    done.unwrap_or_else(NotDone::tell)
}

impl From<String> for NotDone {
    fn from(message: String) -> NotDone {
        NotDone::failed([message])
    }
}

macro_rules! failed_with {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for $crate::commands::not_done::NotDone {
            fn from(error: $error) -> Self {
                error.to_string().into()
            }
        })*
    };
}

pub(super) use failed_with;

failed_with!(OutputError, FolderError, FolderFault, StoreError, UnreadRuns, WatchError, MergeError,);

impl From<CliError> for NotDone {
    fn from(error: CliError) -> NotDone {
        NotDone::misused([error.to_string()])
    }
}

impl From<Vec<PlanError>> for NotDone {
    fn from(errors: Vec<PlanError>) -> NotDone {
        let wrong = errors.iter().any(|error| error.lies_in == LiesIn::Profile);
        let exit = if wrong { Exit::Usage } else { Exit::RunFailed };
        NotDone { exit, findings: errors.into_iter().map(|error| *error.finding).collect() }
    }
}

impl From<NotRun> for NotDone {
    fn from(not: NotRun) -> NotDone {
        match not {
            NotRun::Unfit(errors) => errors.into(),
            NotRun::Invalid(findings) => NotDone::usage(findings),
        }
    }
}
