//! Linked code that is not a crate: SQLite, the standard library, musl. Their versions let scanners match
//! advisories.

use super::build::{Libc, MINGW, Triple, told_by_rustc};
use super::crates::{Crates, text};
use super::output;
use crate::harness::Failure;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

#[derive(Debug)]
pub struct Linked {
    pub name: &'static str,
    pub version: String,
    pub vendor: &'static str,
    pub license: &'static str,
    /// Crate that includes it.
    pub by: &'static str,
}

impl Linked {
    pub fn purl(&self) -> String {
        format!("pkg:generic/{}@{}", self.name, self.version)
    }

    /// Returns the prefix of the name of the crate that includes it.
    pub fn by_prefix(&self) -> String {
        format!("pkg:cargo/{}@", self.by)
    }

    pub fn component(&self) -> Value {
        let Linked { name, version, vendor, license, .. } = self;
        json!({
            "type": "library", "bom-ref": self.purl(), "purl": self.purl(), "name": name, "version": version,
            "cpe": format!("cpe:2.3:a:{vendor}:{name}:{version}:*:*:*:*:*:*:*"),
            "licenses": [{ "expression": license }],
        })
    }
}

pub fn linked(root: &Path, triple: Triple, crates: &Crates) -> Result<Vec<Linked>, Failure> {
    let std = Linked {
        name: "rust",
        version: told_by_rustc(root, None, "release")?,
        vendor: "rust-lang",
        license: "MIT OR Apache-2.0",
        by: "diskspd",
    };
    let sqlite = Linked {
        name: "sqlite",
        version: sqlite(crates)?,
        vendor: "sqlite",
        license: "blessing",
        by: "libsqlite3-sys",
    };
    let mut all = vec![std, sqlite];
    if triple.libc == Libc::Musl {
        let of_rust = ["--print", "target-libdir", "--target", triple.name];
        let folder = output(Command::new("rustc").args(of_rust).current_dir(root))?;
        let archive = std::fs::read(Path::new(folder.trim()).join("self-contained/libc.a"))?;
        let version = musl(&archive).ok_or("the libc.a of musl does not contain its version")?;
        all.push(Linked { name: "musl", version, vendor: "musl-libc", license: "MIT", by: "diskspd" });
    }
    if triple.libc == Libc::Mingw {
        let asked = ["-E", "-dM", "-include", "_mingw.h", "-x", "c", "/dev/null"];
        let version = mingw(&output(Command::new(MINGW).args(asked))?);
        let version = version.ok_or("_mingw.h does not say its version")?;
        let (vendor, license) = ("mingw-w64", "ZPL-2.1");
        all.push(Linked { name: "mingw-w64", version, vendor, license, by: "diskspd" });
    }
    Ok(all)
}

/// Returns the version that the headers of mingw-w64 define.
fn mingw(defines: &str) -> Option<String> {
    let part = |name: &str| {
        let begin = format!("#define __MINGW64_VERSION_{name} ");
        defines.lines().find_map(|line| line.strip_prefix(&begin)).map(str::trim)
    };
    Some(format!("{}.{}.{}", part("MAJOR")?, part("MINOR")?, part("BUGFIX")?))
}

/// Returns the version in the header that the crate includes.
fn sqlite(crates: &Crates) -> Result<String, Failure> {
    let packages = crates.packages().ok_or("cargo metadata has another form")?;
    let package = packages.values().find(|package| text(&package["name"]) == "libsqlite3-sys");
    let manifest =
        Path::new(text(&package.ok_or("libsqlite3-sys is not a dependency any more")?["manifest_path"]));
    let header = std::fs::read_to_string(manifest.with_file_name("sqlite3").join("sqlite3.h"))?;
    version_of_header(&header).ok_or_else(|| "sqlite3.h does not say its version".into())
}

fn version_of_header(header: &str) -> Option<String> {
    let line = header.lines().find_map(|line| line.strip_prefix("#define SQLITE_VERSION "))?;
    Some(line.trim().trim_matches('"').to_owned())
}

fn musl(archive: &[u8]) -> Option<String> {
    let texts = archive.split(|byte| *byte == 0).filter_map(|text| std::str::from_utf8(text).ok());
    let is_version = |text: &&str| {
        let parts: Vec<&str> = text.split('.').collect();
        parts.len() == 3 && parts[0] == "1" && parts.iter().all(|part| is_number(part))
    };
    texts.map(|text| text.trim_matches(|c: char| !c.is_ascii_digit())).find(is_version).map(str::to_owned)
}

fn is_number(text: &str) -> bool {
    (1..=3).contains(&text.len()) && text.bytes().all(|digit| digit.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_tool_output() {
        let header = "#define SQLITE_VERSION_NUMBER 3050002\n#define SQLITE_VERSION        \"3.50.2\"\n";
        assert_eq!(version_of_header(header).as_deref(), Some("3.50.2"));
        assert_eq!(version_of_header(""), None);
        assert_eq!(musl(b"\x7fELF\x00\xff\x00127.0.0.1\x001.2.5\x00more").as_deref(), Some("1.2.5"));
        assert_eq!(musl(b"127.0.0.1\x00version 9\x00"), None);
        let defines = "#define __MINGW64_VERSION_MAJOR 10\n#define __MINGW64_VERSION_MINOR 0\n";
        assert_eq!(mingw(defines), None);
        let all = format!("{defines}#define __MINGW64_VERSION_BUGFIX 1\n");
        assert_eq!(mingw(&all).as_deref(), Some("10.0.1"));
    }
}
