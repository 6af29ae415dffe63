//! Machine-specific commands on Windows. Runs are available; Linux-only features print a reason and an
//! alternative.

use crate::cli::{self, Exit, HostsRequest, Invocation, JudgeRequest, VerifyAfterRequest};
pub(super) use crate::commands::machine::event::set_all as set_events;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::job_command::{JobCommand, RankReply};
use crate::finding::Finding;
use std::ffi::OsString;

fn lacking_command(command: &str, why: &str, instead: &str) -> Result<Exit, CommandError> {
    let what = format!("{command} is not possible with this program on Windows: {why}");
    Err(CommandError::usage(vec![Finding::error(what).remedy(instead)]))
}

// Commands that need Linux: each is refused.

pub(super) fn print_compatibility() -> Result<Exit, CommandError> {
    let why = "its table describes the Linux program";
    lacking_command("compatibility", why, "read docs/reference/windows.md")
}

pub(super) fn hosts(_: HostsRequest) -> Result<Exit, CommandError> {
    let instead = "run each host alone, and merge the records: diskspd merge";
    lacking_command("hosts", "its ranks need Linux", instead)
}

pub(super) fn judge(_: &JudgeRequest) -> Result<Exit, CommandError> {
    let why = "it reads counters of processes that Windows does not have";
    lacking_command("judge", why, "judge the program on Linux")
}

pub(super) fn privileges() -> Result<Exit, CommandError> {
    let instead = "run Microsoft's diskspd.exe as an administrator";
    lacking_command("privileges", "it explains Linux's rights", instead)
}

/// Returns the arguments in the program's syntax: without a command, `/` begins an option, as in DISKSPD.
pub(super) fn to_typed_arguments(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_command = |word: &OsString| cli::command_names().iter().any(|name| word == name);
    if arguments.get(1).is_some_and(|first| !is_command(first)) {
        for word in arguments.iter_mut().skip(1) {
            if let Some(rest) = word.to_str().and_then(|word| word.strip_prefix('/')) {
                *word = format!("-{rest}").into();
            }
        }
    }
    arguments
}

/// Standard output and standard error are files without a name here, which are not judged.
pub(super) fn permit_streams() -> Result<(), CommandError> {
    Ok(())
}

/// Does not wait, because this system does not have ranks.
pub(super) fn let_first_report() {}

/// Runs the command, because this system does not have ranks.
pub(super) fn in_job(
    _: &[OsString],
    _: JobCommand<'_>,
    command: impl FnOnce() -> Result<Exit, CommandError> + Send,
) -> Result<Exit, CommandError> {
    command()
}

pub(super) fn drop_privileges(_: &Invocation) {}

/// Returns `None`, because this system does not have ranks.
pub(super) fn read_back(_: &VerifyAfterRequest) -> Option<Result<Vec<RankReply>, CommandError>> {
    None
}

/// Runs the command, because this system does not have ranks.
pub(super) fn first_alone(
    command: impl FnOnce() -> Result<Exit, CommandError>,
) -> Result<Exit, CommandError> {
    command()
}

/// Permits all, because this system does not have ranks.
pub(super) fn refuse(_: &str) -> Result<(), CommandError> {
    Ok(())
}
