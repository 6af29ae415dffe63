//! Packages of Debian and of Red Hat, and a container image, from one folder.

use super::build::{Libc, Triple, time_of_change};
use super::{has_cargo, output, run};
use crate::harness::Failure;
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn make(root: &Path, triple: Triple, profile: &str, out: &Path) -> Result<Vec<PathBuf>, Failure> {
    let version = env!("CARGO_PKG_VERSION");
    // Packages that are only tried are compressed soon, not well: an unoptimized program is large, and so may
    // be the tools.
    let is_tried = profile == "dev";
    let mut made = Vec::new();
    if has_cargo("deb") {
        let place = out.join(format!("{}_{version}-1_{}.deb", triple.package(), triple.debian));
        run(command_for(root, "deb", triple)
            .args(["--no-build", "--no-strip", "--no-dbgsym", "--quiet", "--profile", profile, "--output"])
            .arg(&place)
            .args(variant(triple))
            .args(if is_tried { &["--fast"][..] } else { &[] }))?;
        made.push(place);
    } else {
        eprintln!("NOTE: no package for Debian: cargo install cargo-deb");
    }
    if has_cargo("generate-rpm") {
        let place = out.join(format!("{}-{version}-1.{}.rpm", triple.package(), triple.arch));
        run(command_for(root, "generate-rpm", triple)
            .args(["--arch", triple.arch, "--auto-req", "disabled", "--output"])
            .arg(&place)
            .args(variant(triple))
            .args(if is_tried { &["--payload-compress", "gzip"][..] } else { &[] }))?;
        made.push(place);
    } else {
        eprintln!("NOTE: no package for Red Hat: cargo install cargo-generate-rpm");
    }
    if triple.libc == Libc::Glibc {
        // Nothing of a system is in an image of one file.
        return Ok(made);
    }
    if Command::new("buildah").arg("--version").output().is_ok_and(|ended| ended.status.success()) {
        made.push(image(root, triple, out)?);
    } else {
        eprintln!("NOTE: no image for containers: apt-get install buildah");
    }
    Ok(made)
}

fn variant(triple: Triple) -> &'static [&'static str] {
    match triple.libc {
        Libc::Musl | Libc::Mingw => &[],
        Libc::Glibc => &["--variant", "glibc"],
    }
}

fn image(root: &Path, triple: Triple, out: &Path) -> Result<PathBuf, Failure> {
    let kept = tempfile::tempdir()?;
    let buildah = || {
        let mut command = Command::new("buildah");
        command.current_dir(root).arg("--root").arg(kept.path().join("root"));
        command.arg("--runroot").arg(kept.path().join("run")).args(["--storage-driver", "vfs"]);
        command
    };
    let name = format!("diskspd:{}", env!("CARGO_PKG_VERSION"));
    let made =
        ["bud", "--quiet", "--arch", triple.debian, "--timestamp", &time_of_change(root), "--tag", &name]
            .map(str::to_owned);
    output(buildah().args(made).args(["--file", "packaging/Containerfile", "target/packaged"]))?;
    let place = out.join(format!("diskspd-{}.oci.tar", triple.arch));
    // An archive that is there already would be added to.
    if place.exists() {
        std::fs::remove_file(&place)?;
    }
    let archive = format!("oci-archive:{}:{name}", place.display());
    output(buildah().args(["push", "--quiet", &name, &archive]))?;
    Ok(place)
}

fn command_for(root: &Path, tool: &str, triple: Triple) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(root).args([tool, "--target", triple.name]);
    command.env("SOURCE_DATE_EPOCH", time_of_change(root));
    command
}
