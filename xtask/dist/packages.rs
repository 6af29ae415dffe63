//! Packages of Debian and of Red Hat, from what lies in one folder.

use super::build::{Triple, time_of_change};
use super::{has_cargo, run};
use crate::Failure;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes those whose tools are installed.
///
/// # Errors
/// A tool fails.
pub fn make(root: &Path, triple: Triple, profile: &str, out: &Path) -> Result<Vec<PathBuf>, Failure> {
    let version = env!("CARGO_PKG_VERSION");
    let mut made = Vec::new();
    if has_cargo("deb") {
        let place = out.join(format!("diskspd_{version}-1_{}.deb", triple.debian));
        run(of(root, "deb", triple)
            .args(["--no-build", "--no-strip", "--no-dbgsym", "--quiet", "--profile", profile, "--output"])
            .arg(&place))?;
        made.push(place);
    } else {
        eprintln!("NOTE: no package for Debian: cargo install cargo-deb");
    }
    if has_cargo("generate-rpm") {
        let place = out.join(format!("diskspd-{version}-1.{}.rpm", triple.arch));
        run(of(root, "generate-rpm", triple)
            .args(["--arch", triple.arch, "--auto-req", "disabled", "--output"])
            .arg(&place))?;
        made.push(place);
    } else {
        eprintln!("NOTE: no package for Red Hat: cargo install cargo-generate-rpm");
    }
    Ok(made)
}

fn of(root: &Path, tool: &str, triple: Triple) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(root).args([tool, "--target", triple.name]);
    command.env("SOURCE_DATE_EPOCH", time_of_change(root));
    command
}
