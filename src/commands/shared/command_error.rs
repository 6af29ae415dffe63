//! The error of every command, reported in one place.

use super::folder_error::{FolderError, FolderErrorKind};
use super::unread_runs::RunsReadError;
use crate::cli::{CliError, Exit};
use crate::finding::Finding;
use crate::formats::error::ResultError;
use crate::merge::MergeError;
use crate::message_error::MessageError;
use crate::plan::{ErrorClass, PlanError};
use crate::run::{OutputError, RunError};
use crate::store::StoreError;
use crate::sys::standard_error::print_line;

pub(crate) const DEFECT: &str = "a defect of this program made it fail, see above; please report it";

#[derive(Debug, thiserror::Error)]
#[error("{}", join_messages(.findings))]
pub(crate) struct CommandError {
    exit: Exit,
    findings: Vec<Finding>,
}

impl CommandError {
    /// Reports an invalid command line or profile.
    pub(crate) fn usage(findings: Vec<Finding>) -> CommandError {
        CommandError { exit: Exit::Usage, findings }
    }

    pub(crate) fn usage_errors<M: Into<String>>(messages: impl IntoIterator<Item = M>) -> CommandError {
        CommandError::usage(messages.into_iter().map(Finding::error).collect())
    }

    pub(crate) fn failed<M: Into<String>>(messages: impl IntoIterator<Item = M>) -> CommandError {
        CommandError { exit: Exit::RunFailed, findings: messages.into_iter().map(Finding::error).collect() }
    }

    /// Sets the exit code.
    pub(crate) fn with_exit(self, exit: Exit) -> CommandError {
        CommandError { exit, ..self }
    }

    /// Adds the location before each message.
    #[must_use]
    pub(crate) fn at_place(mut self, place: &str) -> CommandError {
        self.findings.iter_mut().for_each(|found| found.message = format!("{place}: {}", found.message));
        self
    }

    pub(crate) fn into_messages(self) -> Vec<String> {
        self.findings.into_iter().map(|finding| finding.message).collect()
    }

    pub(crate) fn report(self) -> Exit {
        self.findings.iter().for_each(print_line);
        self.exit
    }
}

/// Joins all messages in one line, for records.
fn join_messages(findings: &[Finding]) -> String {
    findings.iter().map(|finding| finding.message.as_str()).collect::<Vec<_>>().join("; ")
}

/// Returns the exit code; prints an error at once, because more work follows.
pub(crate) fn report_error(done: Result<Exit, CommandError>) -> Exit {
    done.unwrap_or_else(CommandError::report)
}

impl From<String> for CommandError {
    fn from(message: String) -> CommandError {
        CommandError::failed([message])
    }
}

macro_rules! failed_with {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for $crate::commands::shared::command_error::CommandError {
            fn from(error: $error) -> Self {
                error.to_string().into()
            }
        })*
    };
}

pub(crate) use failed_with;

failed_with!(
    OutputError,
    FolderError,
    FolderErrorKind,
    StoreError,
    RunsReadError,
    ResultError,
    MergeError,
    MessageError
);

impl From<CliError> for CommandError {
    fn from(error: CliError) -> CommandError {
        CommandError::usage_errors([error.to_string()])
    }
}

impl From<Vec<PlanError>> for CommandError {
    fn from(errors: Vec<PlanError>) -> CommandError {
        let wrong = errors.iter().any(|error| error.lies_in == ErrorClass::Profile);
        let exit = if wrong { Exit::Usage } else { Exit::RunFailed };
        CommandError { exit, findings: errors.into_iter().map(|error| *error.finding).collect() }
    }
}

impl From<RunError> for CommandError {
    fn from(not: RunError) -> CommandError {
        match not {
            RunError::Unfit(errors) => errors.into(),
            RunError::Invalid(findings) => CommandError::usage(findings),
        }
    }
}
