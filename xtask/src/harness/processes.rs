//! Other programs: run to their end, with their own message where they fail.

use super::failure::Failure;
use std::process::Command;

/// Returns the trimmed output of a command.
///
/// # Errors
/// Fails if it cannot be started, or fails.
pub fn output(command: &mut Command) -> Result<String, Failure> {
    let ended = command.output().map_err(|error| format!("{}: {error}", spelled(command)))?;
    match ended.status.success() {
        true => Ok(String::from_utf8_lossy(&ended.stdout).trim().to_owned()),
        false => {
            let errors = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
            Err(format!("{} failed: {errors}", spelled(command)).into())
        }
    }
}

/// Runs a command whose output the user sees.
///
/// # Errors
/// As [`output`].
pub fn run(command: &mut Command) -> Result<(), Failure> {
    let status = command.status().map_err(|error| format!("{}: {error}", spelled(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{} failed", spelled(command)).into()) }
}

/// Returns the output of a program with its arguments.
///
/// # Errors
/// As [`output`].
pub fn tool(words: &[&str]) -> Result<String, Failure> {
    let [program, arguments @ ..] = words else { return Err("no command".into()) };
    output(Command::new(program).args(arguments))
}

/// Whether a program can be started.
pub fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

fn spelled(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
