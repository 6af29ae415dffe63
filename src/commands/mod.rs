//! Commands: the program's actions for a command line.

#[cfg(target_os = "linux")]
mod cluster;
mod compare;
mod experiments;
pub mod foreign;
mod history;
#[cfg_attr(not(target_os = "linux"), path = "windows.rs")]
mod linux;
mod machine;
mod read;
mod run;
mod shared;

use crate::cli::{self, CliError, Exit, Invocation, UsageExtent};
use crate::commands::compare::baseline;
use crate::commands::experiments::{precondition, suite, sweep};
use crate::commands::machine::{devices, doctor, event};
use crate::commands::read::{convert, man, merge, preset, report, trace};
use crate::commands::run::verify_after;
use crate::commands::shared::command_error::{CommandError, DEFECT, report_error};
use crate::commands::shared::job_command::JobCommand;
use crate::commands::shared::output::print::print;
use crate::engine;
use crate::run::guard;
use crate::sys::{parent_process, process, standard_output};
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command in the arguments (program name first); returns the exit code.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let arguments = linux::to_typed_arguments(arguments);
    process::prepare();
    crate::clock::prepare();
    let done = std::panic::catch_unwind(|| obey_arguments(&arguments))
        .unwrap_or_else(|_| Err(CommandError::failed([DEFECT])));
    let has_failed = done.is_err();
    let exit = report_error(done);
    let is_bisection = cli::is_bisection(&arguments);
    let exit = if has_failed && is_bisection { exit.of_failed_bisection() } else { exit };
    if process::has_left_behind() || guard::is_waiting() {
        process::end(exit.code());
    }
    parent_process::will_end(exit.code(), guard::patience_at_end_s());
    exit.into()
}

fn obey_arguments(arguments: &[OsString]) -> Result<Exit, CommandError> {
    linux::permit_streams()?;
    if let Some(error) = misspelled_command(arguments) {
        return Err(error.into());
    }
    let (give_up, _) = cli::split_give_up(arguments)?;
    match cli::parse(arguments) {
        Ok(invocation) => {
            linux::drop_privileges(&invocation);
            guard::watch(give_up);
            dispatch(invocation, arguments)
        }
        // -ye takes effect where it stands, whatever is wrong behind it.
        Err(error) => {
            linux::let_first_report();
            linux::set_events(&error.set_events).and(Err(error.into()))
        }
    }
}

/// Refuses `diskspd repot run.json`, which would be a run with two targets.
fn misspelled_command(arguments: &[OsString]) -> Option<CliError> {
    let known = cli::meant_by_word(arguments).map(|(word, meant)| (word, meant.to_owned()));
    let nearly = || {
        let (word, command) = cli::nearly_command(arguments)?;
        Some((word, format!("did you mean diskspd {command}?")))
    };
    let (word, meant) = known.or_else(nearly)?;
    let is_there = word.as_path().symlink_metadata().is_ok();
    let error = move || {
        let as_target = format!(" For a new target of that name write ./{word}");
        let hint = if word.as_bytes().contains(&b'/') { meant } else { meant + &as_target };
        CliError::new(format!("'{word}' is neither a command nor a file")).hint(hint)
    };
    (!is_there).then(error)
}

fn dispatch(invocation: Invocation, arguments: &[OsString]) -> Result<Exit, CommandError> {
    match invocation {
        Invocation::Usage(extent) => {
            let printed = print(&cli::help::usage(extent, standard_output::columns()));
            match extent {
                // As in DISKSPD without arguments.
                UsageExtent::First => Ok(report_error(printed).max(Exit::Usage)),
                UsageExtent::Everyday | UsageExtent::Topic(_) | UsageExtent::All => printed,
            }
        }
        Invocation::CommandUsage { command } => {
            print(&cli::help::command_usage(command, standard_output::columns()))
        }
        Invocation::Version => print(&format!("{}\n", cli::help::version())),
        Invocation::Man { command: None } => man::show(&cli::man::page()),
        Invocation::Man { command: Some(name) } => man::show(&cli::man::command_page(name)),
        Invocation::Completions(shell) => print(&cli::completions::script(shell)),
        Invocation::Preset(request) => preset::preset(&request),
        Invocation::Compatibility => linux::print_compatibility(),
        Invocation::EngineHelp => print(&engine::describe_all()),
        Invocation::System { xml } => run::print_system(xml),
        Invocation::Devices { json } => devices::devices(json),
        Invocation::Doctor { json, targets } => doctor::doctor(json, &targets),
        Invocation::Privileges => linux::privileges(),
        // The exit code as DISKSPD's: there was no run.
        Invocation::SetEvent { names } => linux::set_events(&names).map(|()| Exit::RunFailed),
        Invocation::Event { action, name } => event::act(action, &name),
        runs => dispatch_runs(runs, arguments),
    }
}

fn dispatch_runs(invocation: Invocation, arguments: &[OsString]) -> Result<Exit, CommandError> {
    let quiet_job = |quiet, command: &(dyn Fn() -> Result<Exit, CommandError> + Sync)| {
        linux::in_job(arguments, JobCommand::quiet(quiet), command)
    };
    match invocation {
        Invocation::History(request) => history::history(&request),
        Invocation::Compare(request) => quiet_job(request.quiet, &|| compare::compare(&request)),
        Invocation::Merge(request) => merge::merge(&request),
        Invocation::Report(request) => report::report(&request),
        Invocation::Convert(request) => convert::convert(&request),
        Invocation::Suite(request) => quiet_job(request.quiet, &|| suite::suite(&request)),
        Invocation::Baseline(request) => quiet_job(request.is_quiet(), &|| baseline::baseline(&request)),
        Invocation::Sweep(request) => quiet_job(request.quiet, &|| sweep::sweep(&request)),
        Invocation::Precondition(request) => {
            quiet_job(request.quiet, &|| precondition::precondition(&request))
        }
        Invocation::VerifyAfter(request) => {
            linux::in_job(arguments, JobCommand::default(), || match linux::read_back(&request) {
                Some(read) => verify_after::print_all(read?),
                None => verify_after::verify_after(&request),
            })
        }
        Invocation::Judge(request) => linux::refuse("judge").and_then(|()| linux::judge(&request)),
        Invocation::Hosts(request) => linux::refuse("hosts").and_then(|()| linux::hosts(request)),
        Invocation::Trace(request) => linux::refuse("trace").and_then(|()| trace::trace(&request)),
        // A profile is printed without a run.
        Invocation::Run(request) if request.profile_only => linux::first_alone(|| run::run(&request)),
        Invocation::Run(request) => {
            linux::in_job(arguments, JobCommand::of_run(&request), || run::run(&request))
        }
        // Everything else is dispatched above.
        _ => Err(CommandError::failed([DEFECT])),
    }
}
