//! Machine-specific commands: runs, devices, privileges. `elsewhere.rs` is the counterpart for other
//! systems.

use super::{cluster, run};
use crate::cli::{Exit, Invocation};
use crate::commands::cluster::hosts;
use crate::commands::experiments::{precondition, sweep};
use crate::commands::machine::{devices, doctor, event, privileges};
use crate::commands::read::trace;
use crate::commands::run::{judge, verify_after};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::job_command::JobCommand;
use crate::commands::shared::output::print::print;
use crate::engine;
use crate::run::destination;
use crate::sys::process;
use cluster::refuse;
pub(super) use cluster::{in_job, let_first_report};
pub(super) use event::set_all as set_events;
pub(super) use privileges::drop_privileges;
use std::ffi::OsString;

/// The arguments as the program reads them: as they were typed.
pub(super) fn to_typed_arguments(arguments: Vec<OsString>) -> Vec<OsString> {
    arguments
}

/// Refuses standard output and standard error that would overwrite storage in use. A message about standard
/// error goes to standard output.
///
/// # Errors
/// The users of the file.
pub(super) fn permit_streams() -> Result<(), CommandError> {
    let output = destination::refuse_stream(1, "standard output");
    if let Err(refused) = destination::refuse_stream(2, "standard error") {
        process::replace_standard_error(output.is_ok());
        return Err(refused.into());
    }
    Ok(output?)
}

/// Executes the request.
///
/// # Errors
/// Fails if it is impossible.
pub(super) fn execute(invocation: Invocation, arguments: &[OsString]) -> Result<Exit, CommandError> {
    match invocation {
        Invocation::System { xml } => run::print_system(xml),
        Invocation::Compatibility => print(&crate::cli::compatibility::table()),
        Invocation::EngineHelp => print(&engine::describe_all()),
        // The exit code as DISKSPD's: there was no run.
        Invocation::SetEvent { names } => set_events(&names).map(|()| Exit::RunFailed),
        Invocation::Event { action, name } => event::act(action, &name),
        Invocation::Devices { json } => devices::devices(json),
        Invocation::Doctor { json, targets } => doctor::doctor(json, &targets),
        Invocation::Privileges => privileges::privileges(),
        Invocation::VerifyAfter(request) => {
            in_job(arguments, JobCommand::default(), || match cluster::read_back(&request) {
                Some(read) => verify_after::print_all(read?),
                None => verify_after::verify_after(&request),
            })
        }
        Invocation::Precondition(request) => {
            let command = JobCommand::quiet(request.quiet);
            in_job(arguments, command, || precondition::precondition(&request))
        }
        Invocation::Judge(request) => refuse("judge").and_then(|()| judge::judge(&request)),
        Invocation::Hosts(request) => refuse("hosts").and_then(|()| hosts::hosts(request)),
        Invocation::Trace(request) => refuse("trace").and_then(|()| trace::trace(&request)),
        Invocation::Sweep(request) => {
            in_job(arguments, JobCommand::quiet(request.quiet), || sweep::sweep(&request))
        }
        // A profile is printed without a run.
        Invocation::Run(request) if request.profile_only => cluster::first_alone(|| run::run(&request)),
        Invocation::Run(request) => in_job(arguments, JobCommand::of_run(&request), || run::run(&request)),
        // Everything else is obeyed by whom this was asked.
        _ => Err(CommandError::failed(["there is no such command"])),
    }
}
