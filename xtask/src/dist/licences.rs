//! Licences of third-party code in the program, most of which require their texts to be included.

use super::crates::{Crates, text};
use crate::harness::Failure;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

const BESIDE_CRATES: &str = "\
The Rust standard library: MIT OR Apache-2.0, Copyright (c) The Rust Project Contributors.
musl, the C library (programs for Linux): MIT, Copyright (c) 2005-2020 Rich Felker, et al.
mingw-w64 (programs for Windows): ZPL-2.1, Copyright (c) the mingw-w64 project; and GCC's libgcc, GPL-3.0
with the GCC Runtime Library Exception.
SQLite, which the crate libsqlite3-sys brings along: in the public domain.
";

/// Returns one text: the linked code, each crate with its licence, and each licence text once with its
/// crates.
///
/// # Errors
/// Fails if a crate has no named licence, or its text cannot be read.
pub fn list_licences(crates: &Crates) -> Result<String, Failure> {
    let form = "cargo metadata has another form";
    let (packages, root) = (crates.packages().ok_or(form)?, crates.root().ok_or(form)?);
    let mut list = String::from(
        "Software of other authors that this program holds, or needed for its \
        build.\n\n",
    );
    list += BESIDE_CRATES;
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for id in crates.reached().ok_or(form)?.into_iter().filter(|id| *id != root) {
        let package = packages.get(id).ok_or(form)?;
        let name = format!("{} {}", text(&package["name"]), text(&package["version"]));
        let licence = package["license"].as_str().ok_or_else(|| format!("{name} names no licence"))?;
        writeln!(list, "{name}: {licence}{}", authors(package))?;
        let manifest = Path::new(text(&package["manifest_path"]));
        for licence in texts_in(manifest.parent().ok_or(form)?)? {
            texts.entry(licence).or_default().push(name.clone());
        }
    }
    for (licence, names) in texts {
        write!(list, "\n{}\n{}:\n\n{}\n", "-".repeat(80), names.join(", "), licence.trim_end())?;
    }
    Ok(list)
}

fn authors(package: &Value) -> String {
    let names: Vec<&str> = package["authors"].as_array().into_iter().flatten().map(text).collect();
    if names.is_empty() { String::new() } else { format!(", by {}", names.join(", ")) }
}

fn texts_in(folder: &Path) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        let is_licence =
            ["LICEN", "COPYING", "UNLICENSE", "NOTICE"].iter().any(|start| name.starts_with(start));
        if is_licence && !name.contains("APACHE") && path.is_file() {
            found.push(std::fs::read_to_string(&path)?);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn duplicate_licences_are_merged_and_missing_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let package = |name: &str, licence: Value| {
            let own = folder.path().join(name);
            std::fs::create_dir_all(&own).unwrap();
            std::fs::write(own.join("LICENSE-MIT"), "Permission is granted\n").unwrap();
            std::fs::write(own.join("LICENSE-APACHE"), "Apache License\n").unwrap();
            let manifest = own.join("Cargo.toml");
            json!({
                "id": name, "name": name, "version": "1.0.0", "license": licence,
                "manifest_path": manifest, "authors": ["A. Author"],
            })
        };
        let known = |of_b: Value| {
            let on = |id: &str| json!({ "pkg": id, "dep_kinds": [{ "kind": null }] });
            Crates(json!({
                "packages": [package("own", json!("MIT")), package("a", json!("MIT")), package("b", of_b)],
                "resolve": { "root": "own", "nodes": [
                    { "id": "own", "deps": [on("a"), on("b")] },
                    { "id": "a", "deps": [] },
                    { "id": "b", "deps": [] },
                ]},
            }))
        };
        let text = list_licences(&known(json!("MIT OR Apache-2.0"))).unwrap();
        assert!(
            text.contains("a 1.0.0: MIT, by A. Author\nb 1.0.0: MIT OR Apache-2.0, by A. Author\n"),
            "{text}"
        );
        assert!(text.ends_with("a 1.0.0, b 1.0.0:\n\nPermission is granted\n"), "{text}");
        assert_eq!((text.matches("Permission").count(), text.contains("own 1.0.0")), (1, false));
        assert_eq!(list_licences(&known(Value::Null)).unwrap_err().to_string(), "b 1.0.0 names no licence");
    }
}
