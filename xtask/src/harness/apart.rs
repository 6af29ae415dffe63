//! Mounts that nobody else sees.

use super::failure::Failure;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Environment variable of a process in a separate mount namespace.
const APART: &str = "XTASK_APART";

/// Continues in a separate mount namespace, so that no mount outlives this program.
///
/// # Errors
/// Fails without unshare(1).
pub fn apart() -> Result<(), Failure> {
    if std::env::var_os(APART).is_some() {
        return Ok(());
    }
    let own = std::env::current_exe()?;
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "--"]).arg(own).args(std::env::args_os().skip(1));
    Err(format!("unshare: {}", command.env(APART, "1").exec()).into())
}
