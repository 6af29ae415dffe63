//! Other programs that make packages.

use crate::Failure;
use std::path::Path;
use std::process::Command;

/// What a program prints.
///
/// # Errors
/// It can't be started, or fails.
pub(super) fn output(command: &mut Command) -> Result<String, Failure> {
    let name = command.get_program().to_string_lossy().into_owned();
    let ended = command.output().map_err(|error| format!("{name}: {error}"))?;
    match ended.status.success() {
        true => Ok(String::from_utf8(ended.stdout)?),
        false => Err(format!("{name} failed: {}", String::from_utf8_lossy(&ended.stderr)).into()),
    }
}

/// Runs a program to its end.
///
/// # Errors
/// It can't be started, or fails.
pub(super) fn run(command: &mut Command) -> Result<(), Failure> {
    let name = command.get_program().to_string_lossy().into_owned();
    let ended = command.status().map_err(|error| format!("{name}: {error}"))?;
    if ended.success() { Ok(()) } else { Err(format!("{name} failed").into()) }
}

/// Whether a command of cargo's is installed.
pub(super) fn has_cargo(command: &str) -> bool {
    Command::new("cargo").args([command, "--version"]).output().is_ok_and(|ended| ended.status.success())
}

/// The SHA-256 of a file.
///
/// # Errors
/// It can't be read.
pub(super) fn sha256(path: &Path) -> Result<String, Failure> {
    let text = output(Command::new("sha256sum").arg(path))?;
    text.split_whitespace().next().map(str::to_owned).ok_or_else(|| "sha256sum says nothing".into())
}
