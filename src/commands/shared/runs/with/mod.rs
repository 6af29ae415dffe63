//! `--with`: DISKSPD itself, named by the user, executes the runs of a command. It receives an XML profile,
//! and its result XML is read.
//!
//! ```text
//! Runnable ─refusal─▶ profile XML ─run, by way of remote─▶ result XML ─▶ RunSummary
//! ```

mod profile;
mod refusal;
mod remote;
mod run;
mod tool;
mod version;

pub(crate) use refusal::{WithRequest, refusals};
pub(crate) use run::{ToolResults, tool_input};
pub(crate) use tool::Tool;

use super::other_program::ProgramError;
use crate::commands::shared::command_error::{CommandError, failed_with};
use crate::experiments::suite::UnclosedQuote;
use std::ffi::OsString;
use std::io;
use std::path::Path;

#[derive(Debug, thiserror::Error)]
pub(crate) enum WithError {
    #[error(
        "--with: this copy of the program has more rights than its user (set-uid, set-gid, or \
         capabilities) and so starts no other program; use a copy without them"
    )]
    Privileged,
    #[error("--with: {0}")]
    Quote(#[from] UnclosedQuote),
    #[error("--with: the command is empty; name the program, as in --with 'ssh host diskspd.exe'")]
    Empty,
    #[error("--with: sftp, which copies the profile, has no option for ssh's {0}; put it into ~/.ssh/config")]
    SshOption(String),
    #[error("--with: ssh needs a host and the program there, as in --with 'ssh host diskspd.exe'")]
    NoSshProgram,
    #[error("--with {command}: {fault}")]
    Program { command: String, fault: ProgramError },
    #[error(
        "--with {command}: its 'diskspd -?' does not print a version of DISKSPD{printed}; is it the right \
         program?"
    )]
    NoVersion { command: String, printed: String },
    #[error("{0}")]
    Unfit(String),
    #[error("--with: {what}: {source}")]
    File { what: &'static str, source: io::Error },
    #[error("{tool} {how}{said}")]
    Failed { tool: String, how: String, said: String },
    #[error("{tool} printed results that cannot be used: {why}")]
    NoResults { tool: String, why: String },
    #[error("--with: the run was interrupted")]
    Interrupted,
}

failed_with!(WithError);

/// Converts an error of a program.
fn of_program(command: &str, fault: ProgramError) -> WithError {
    match fault {
        ProgramError::Interrupted => WithError::Interrupted,
        fault => WithError::Program { command: command.to_owned(), fault },
    }
}

/// Splits a line into its first word, which must exist, and the others.
fn program(line: &[OsString]) -> (&Path, &[OsString]) {
    line.split_first().map_or((Path::new(""), line), |(program, words)| (Path::new(program), words))
}

/// Rejects features that only this program supports.
///
/// # Errors
/// Fails if the feature is requested.
pub(crate) fn no_place(with: Option<&str>, what: &str) -> Result<(), CommandError> {
    match with {
        Some(_) => Err(CommandError::usage_errors([format!("--with cannot be used with {what}")])),
        None => Ok(()),
    }
}
