//! Content of packages in one folder, for cargo-deb and cargo-generate-rpm (`[package.metadata]` of
//! Cargo.toml).

use super::build::Built;
use super::{documents, run};
use crate::harness::Failure;
use diskspd::cli::{Shell, completions, man};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const FOLDER: &str = "target/packaged";

pub fn stage(root: &Path, built: &Built, licences: &str) -> Result<(), Failure> {
    let folder = root.join(FOLDER);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    for name in ["man", "schemas", "completions", "doc"] {
        fs::create_dir_all(folder.join(name))?;
    }
    fs::copy(&built.program, folder.join("diskspd"))?;
    for (name, page) in man::pages() {
        write_packed(&folder.join("man").join(format!("{name}.1.gz")), page.as_bytes())?;
    }
    for (shell, name) in [(Shell::Bash, "diskspd"), (Shell::Zsh, "_diskspd"), (Shell::Fish, "diskspd.fish")] {
        fs::write(folder.join("completions").join(name), completions::script(shell))?;
    }
    for entry in fs::read_dir(root.join("docs/reference"))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        let ending = path.extension().unwrap_or_default();
        if ending == "xsd" || ending == "json" {
            fs::copy(&path, folder.join("schemas").join(name))?;
        }
    }
    documents::copy(root, &folder.join("doc"))?;
    write_packed(&folder.join("licences.gz"), licences.as_bytes())?;
    write_packed(&folder.join("changelog.gz"), &fs::read(root.join("CHANGELOG.md"))?)
}

/// Writes a file as gzip without time and name, as Debian requires for manual pages and changes.
fn write_packed(place: &Path, content: &[u8]) -> Result<(), Failure> {
    let plain = place.with_extension("");
    fs::write(&plain, content)?;
    run(Command::new("gzip").args(["-9", "-n", "-f"]).arg(&plain).stdout(Stdio::null()))
}
