//! The program under test: built like any user's, or a command line of it, understood.

use super::failure::Failure;
use super::processes::run;
use diskspd::cli::{self, Invocation, RunRequest};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the program in release mode and returns its path, unless a path is given.
pub fn path(given: Option<String>) -> Result<PathBuf, Failure> {
    if let Some(path) = given {
        return Ok(path.into());
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    run(Command::new(cargo).args(["build", "--quiet", "--release", "--bin", "diskspd"]))?;
    // This tool is target/<profile>/xtask, whatever the profile: what is measured is the released program.
    let own = std::env::current_exe()?;
    let target = own.parent().and_then(Path::parent).ok_or("this tool lies nowhere")?;
    Ok(target.join("release/diskspd"))
}

/// Parses a command line of the program.
///
/// # Errors
/// As [`request_of`].
pub fn request(line: &str) -> Result<Box<RunRequest>, Failure> {
    request_of(&line.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>())
}

/// Parses arguments of the program.
///
/// # Errors
/// Fails if they are invalid, or not a run.
pub fn request_of(arguments: &[String]) -> Result<Box<RunRequest>, Failure> {
    let words: Vec<OsString> =
        std::iter::once("diskspd".into()).chain(arguments.iter().map(OsString::from)).collect();
    let line = arguments.join(" ");
    match cli::parse(&words) {
        Ok(Invocation::Run(request)) => Ok(request),
        Ok(_) => Err(format!("diskspd {line}: this is not a run").into()),
        Err(error) => Err(format!("diskspd {line}: {error}").into()),
    }
}
