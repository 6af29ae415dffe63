//! Mounts that nobody else sees.

use super::failure::Failure;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// In the environment: this process has mounts of its own.
const APART: &str = "XTASK_APART";

/// Goes on in a namespace of its own for mounts: whatever ends this program, none is left.
///
/// # Errors
/// There is no unshare(1).
pub fn apart() -> Result<(), Failure> {
    if std::env::var_os(APART).is_some() {
        return Ok(());
    }
    let own = std::env::current_exe()?;
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "--"]).arg(own).args(std::env::args_os().skip(1));
    Err(format!("unshare: {}", command.env(APART, "1").exec()).into())
}
