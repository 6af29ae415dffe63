//! Release for Windows: an archive with the program, built on Linux with mingw-w64.

use super::build::{self, MINGW, WINDOWS, time_of_change};
use super::commands::sha256;
use super::{crates, documents, licences, sbom};
use crate::harness::{Failure, is_installed, output, run};
use diskspd::cli::{Shell, completions};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs the open tests on Windows.
const SCRIPT: &str = "try-on-windows.ps1";

pub fn missing(root: &Path) -> Option<&'static str> {
    let is_there = |tool: &str| is_installed(tool);
    let asked = ["--print", "target-libdir", "--target", WINDOWS.name];
    let library = output(Command::new("rustc").args(asked).current_dir(root));
    match library.is_ok_and(|folder| Path::new(folder.trim()).is_dir()) {
        false => Some("rustup target add x86_64-pc-windows-gnu"),
        true if !is_there(MINGW) => Some("apt-get install gcc-mingw-w64-x86-64"),
        true if !is_there("zip") => Some("apt-get install zip"),
        true => None,
    }
}

pub fn make(root: &Path, profile: &str, out: &Path) -> Result<Vec<PathBuf>, Failure> {
    let built = build::build(root, WINDOWS, profile, None)?;
    let crates = crates::Crates::known(root, WINDOWS)?;
    let bill = sbom::write(root, WINDOWS, &crates, out)?;
    let name = format!("diskspd-{}-{}", env!("CARGO_PKG_VERSION"), WINDOWS.label());
    let above = root.join("target/packaged-windows");
    if above.exists() {
        fs::remove_dir_all(&above)?;
    }
    let folder = above.join(&name);
    fs::create_dir_all(&folder)?;
    documents::copy(root, &folder)?;
    fs::copy(&built.program, folder.join("diskspd.exe"))?;
    fs::copy(&bill, folder.join("diskspd.cdx.json"))?;
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root.join(licence), folder.join(licence))?;
    }
    // Scripts of Windows have CR LF, and PowerShell 5.1 reads UTF-8 by its mark.
    let script = fs::read_to_string(root.join("packaging").join(SCRIPT))?.replace('\n', "\r\n");
    fs::write(folder.join(SCRIPT), format!("\u{feff}{script}"))?;
    fs::write(folder.join("licences.txt"), licences::list_licences(&crates)?)?;
    fs::write(folder.join("completions.ps1"), completions::script(Shell::PowerShell))?;
    let sums: Result<String, Failure> = files(&folder)?
        .iter()
        .map(|file| Ok(format!("{}  {}\n", sha256(&folder.join(file))?, file.display())))
        .collect();
    fs::write(folder.join("SHA256SUMS"), sums?)?;
    Ok(vec![pack(root, &above, &name, out)?, bill])
}

/// Returns a reproducible archive of a folder.
fn pack(root: &Path, above: &Path, name: &str, out: &Path) -> Result<PathBuf, Failure> {
    let place = out.join(format!("{name}.zip"));
    // One that is there already would be added to.
    if place.exists() {
        fs::remove_file(&place)?;
    }
    let files: Vec<PathBuf> =
        files(&above.join(name))?.into_iter().map(|file| Path::new(name).join(file)).collect();
    let time = format!("@{}", time_of_change(root));
    run(Command::new("touch").args(["-d", &time]).args(&files).current_dir(above))?;
    let mut zip = Command::new("zip");
    // Times are those of the folder's clock.
    zip.args(["-q", "-9", "-X"]).arg(&place).args(&files).env("TZ", "UTC").current_dir(above);
    run(&mut zip)?;
    Ok(place)
}

/// Returns all files below a folder in order, with relative paths.
fn files(folder: &Path) -> Result<BTreeSet<PathBuf>, Failure> {
    let mut found = BTreeSet::new();
    let mut next = vec![folder.to_owned()];
    while let Some(one) = next.pop() {
        for entry in fs::read_dir(&one)? {
            let path = entry?.path();
            match path.is_dir() {
                true => next.push(path),
                false => drop(found.insert(path.strip_prefix(folder)?.to_owned())),
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archive_is_reproducible() {
        let folder = tempfile::tempdir().unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        if !is_installed("zip") {
            eprintln!("SKIPPED: no zip: apt-get install zip");
            return;
        }
        let made = |above: &Path| {
            fs::create_dir_all(above.join("x/docs")).unwrap();
            for (name, text) in [("x/b", "2"), ("x/a", "1"), ("x/docs/c", "3")] {
                fs::write(above.join(name), text).unwrap();
            }
            fs::read(pack(root, above, "x", above).unwrap()).unwrap()
        };
        let (first, second) = (made(&folder.path().join("1")), made(&folder.path().join("2")));
        assert!(first == second && first.starts_with(b"PK"));
        assert_eq!(made(&folder.path().join("1")), first, "made anew, not added to");
    }
}
