//! Machine-specific commands on Windows. Runs are available; Linux-only features print a reason and an
//! alternative.

use super::run;
use crate::cli::{self, Exit, Invocation};
use crate::commands::experiments::{precondition, sweep};
pub(crate) use crate::commands::machine::event::set_all as set_events;
use crate::commands::machine::{devices, doctor, event};
use crate::commands::read::trace;
use crate::commands::run::verify_after;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::job_command::JobCommand;
use crate::commands::shared::output::print::print;
use crate::engine;
use crate::finding::Finding;
use std::ffi::OsString;

/// A command, why it isn't there, and what to do instead.
type UnavailableCommand = (&'static str, &'static str, &'static str);

const LACKING_COMMANDS: [UnavailableCommand; 5] = [
    ("compatibility", "its table describes the Linux program", "read docs/reference/windows.md"),
    ("hosts", "its ranks need Linux", "run each host alone, and merge the records: diskspd merge"),
    ("judge", "it reads counters of processes that Windows does not have", "judge the program on Linux"),
    ("privileges", "it explains Linux's rights", "run Microsoft's diskspd.exe as an administrator"),
    ("this command", "it needs Linux", "use the Linux program"),
];

fn lacking_command(command: &str) -> CommandError {
    let found = LACKING_COMMANDS.iter().find(|(name, ..)| *name == command);
    let (name, why, instead) = found.unwrap_or(&LACKING_COMMANDS[LACKING_COMMANDS.len() - 1]);
    let what = format!("{name} is not possible with this program on Windows: {why}");
    CommandError::usage(vec![Finding::error(what).remedy(*instead)])
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
///
/// # Errors
/// None.
pub(super) fn permit_streams() -> Result<(), CommandError> {
    Ok(())
}

/// Executes the request if it does not require Linux.
///
/// # Errors
/// Fails if it is impossible or unavailable.
pub(super) fn execute(invocation: Invocation, _: &[OsString]) -> Result<Exit, CommandError> {
    let command = match invocation {
        // Which runs can be made the run itself says, and whoever makes several.
        Invocation::Run(request) => return run::run(&request),
        Invocation::Sweep(request) => return sweep::sweep(&request),
        Invocation::Precondition(request) => return precondition::precondition(&request),
        Invocation::Trace(request) => return trace::trace(&request),
        Invocation::Doctor { json, targets } => return doctor::doctor(json, &targets),
        Invocation::Devices { json } => return devices::devices(json),
        Invocation::SetEvent { names } => return set_events(&names).map(|()| Exit::RunFailed),
        Invocation::Event { action, name } => return event::act(action, &name),
        Invocation::VerifyAfter(request) => return verify_after::verify_after(&request),
        Invocation::System { xml } => return run::print_system(xml),
        Invocation::EngineHelp => return print(&engine::describe_all()),
        Invocation::Privileges => "privileges",
        Invocation::Judge(_) => "judge",
        Invocation::Compatibility => "compatibility",
        Invocation::Hosts(_) => "hosts",
        _ => "this command",
    };
    Err(lacking_command(command))
}

/// Does not wait, because this system does not have ranks.
pub(super) fn let_first_report() {}

/// Runs the command, because this system does not have ranks.
///
/// # Errors
/// Errors of the command.
pub(super) fn in_job(
    _: &[OsString],
    _: JobCommand<'_>,
    command: impl FnOnce() -> Result<Exit, CommandError> + Send,
) -> Result<Exit, CommandError> {
    command()
}

pub(super) fn drop_privileges(_: &Invocation) {}
