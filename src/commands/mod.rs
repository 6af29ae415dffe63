//! Commands: what the program does with a command line.

mod console;
mod devices;
mod doctor;
mod event;
mod load;
mod output;
mod report;
mod rerun;
mod run;
mod shown;
mod stream;

use crate::cli::{self, EXIT_RUN_FAILED, EXIT_SUCCESS, EXIT_USAGE, Invocation};
use crate::engine;
use crate::sys::process;
use crate::sys::standard_error::say;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command that the arguments (program name first) ask for; returns the exit code.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    process::prepare();
    crate::clock::prepare();
    let code = std::panic::catch_unwind(|| code_for(&arguments)).unwrap_or_else(|_| {
        say("ERROR: the program ended in a defect, see above; please report it");
        EXIT_RUN_FAILED
    });
    ExitCode::from(code)
}

fn code_for(arguments: &[OsString]) -> u8 {
    if let Some(message) = misspelled_command(arguments) {
        say(message);
        return EXIT_USAGE;
    }
    match cli::parse(arguments) {
        Ok(invocation) => dispatch(invocation),
        // -ye takes effect where it stands, whatever is wrong behind it.
        Err(error) => match event::try_all(&error.set_events) {
            true => {
                say(error);
                EXIT_USAGE
            }
            false => EXIT_RUN_FAILED,
        },
    }
}

/// `diskspd repot run.json` would measure two small files, or nothing, and report that.
fn misspelled_command(arguments: &[OsString]) -> Option<String> {
    let (word, command) = cli::nearly_command(arguments)?;
    let is_there = word.as_path().symlink_metadata().is_ok();
    (!is_there).then(|| {
        format!(
            "ERROR: '{word}' is no command, and there is no file of that name\n  \
             hint: did you mean diskspd {command}? A target that is still to be made is written ./{word}"
        )
    })
}

fn dispatch(invocation: Invocation) -> u8 {
    match invocation {
        Invocation::Usage { no_arguments } => {
            let printed = print(&cli::help::usage());
            if no_arguments { EXIT_USAGE } else { printed }
        }
        Invocation::CommandUsage { command } => print(&cli::help::command_usage(command)),
        Invocation::Version => print(&format!("{}\n", cli::help::version())),
        Invocation::EngineHelp => print(&engine::describe_all()),
        Invocation::Man => print(&cli::man::page()),
        Invocation::Completions(shell) => print(&cli::completions::script(shell)),
        Invocation::Compatibility => print(&cli::compatibility::table()),
        Invocation::SetEvent { names } => event::set_all(&names),
        Invocation::Event { action, name } => event::act(action, &name),
        Invocation::Devices { json } => devices::devices(json),
        Invocation::Doctor { json, targets } => doctor::doctor(json, &targets),
        Invocation::Report(request) => report::report(&request),
        Invocation::Run(request) => run::run(&request),
    }
}

/// Prints text on standard output; a reader that went away (`| head`) is not an error worth a message.
fn print(text: &str) -> u8 {
    output::to_stdout(text.as_bytes())
}

/// Exit code of an I/O result on standard output.
fn code_of(result: std::io::Result<()>) -> u8 {
    match result {
        Ok(()) => EXIT_SUCCESS,
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => EXIT_SUCCESS,
        Err(e) => {
            say(format_args!("ERROR: writing to standard output: {e}"));
            EXIT_RUN_FAILED
        }
    }
}
