//! Other programs that make packages.

use crate::harness::{Failure, output};
use std::path::Path;
use std::process::Command;

/// Whether a command of cargo's is installed.
pub(super) fn has_cargo(command: &str) -> bool {
    Command::new("cargo").args([command, "--version"]).output().is_ok_and(|ended| ended.status.success())
}

/// Returns the SHA-256 of a file.
pub(super) fn sha256(path: &Path) -> Result<String, Failure> {
    let text = output(Command::new("sha256sum").arg(path))?;
    text.split_whitespace().next().map(str::to_owned).ok_or_else(|| "sha256sum says nothing".into())
}
