//! Commands: what the program does with a command line.

mod devices;
mod doctor;
mod event;
mod load;
mod output;
mod report;
mod run;

use crate::cli::{self, EXIT_RUN_FAILED, EXIT_SUCCESS, EXIT_USAGE, Invocation};
use crate::engine;
use crate::sys::standard_error::say;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command that the arguments (program name first) ask for; returns the exit code.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    crate::clock::prepare();
    let code = match cli::parse(&arguments) {
        Ok(invocation) => dispatch(invocation),
        // -ye takes effect where it stands, whatever is wrong behind it.
        Err(error) => match event::try_all(&error.set_events) {
            true => {
                say(error);
                EXIT_USAGE
            }
            false => EXIT_RUN_FAILED,
        },
    };
    ExitCode::from(code)
}

fn dispatch(invocation: Invocation) -> u8 {
    match invocation {
        Invocation::Usage { no_arguments } => {
            let printed = print(&cli::help::usage());
            if no_arguments { EXIT_USAGE } else { printed }
        }
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
