//! Tests of the crates: their dependencies, as listed in ARCHITECTURE.md.

#![allow(clippy::unwrap_used)]

use crate::common::kept::is_kept_between;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn crates() -> BTreeMap<String, Vec<String>> {
    let known = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--no-deps", "--format-version", "1", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .unwrap();
    let known: Value = serde_json::from_slice(&known.stdout).unwrap();
    let short = |name: &Value| name.as_str().unwrap().trim_start_matches("diskspd-").replace('-', "_");
    let packages = known["packages"].as_array().unwrap();
    let names: Vec<String> = packages.iter().map(|package| short(&package["name"])).collect();
    let uses = |package: &Value| {
        let used = package["dependencies"].as_array().unwrap().iter();
        let used = used.filter(|used| used["kind"].is_null()).map(|used| short(&used["name"]));
        used.filter(|name| names.contains(name)).collect()
    };
    packages.iter().map(|package| (short(&package["name"]), uses(package))).collect()
}

fn picture(crates: &BTreeMap<String, Vec<String>>) -> String {
    let mut lower: Vec<&String> = Vec::new();
    while lower.len() < crates.len() {
        let ready = |(name, used): &(&String, &Vec<String>)| {
            !lower.contains(name) && used.iter().all(|used| lower.contains(&used))
        };
        let (next, _) = crates.iter().find(ready).unwrap();
        lower.push(next);
    }
    let line = |name: &&String| {
        let used: Vec<&str> =
            lower.iter().filter(|used| crates[*name].contains(used)).map(|used| used.as_str()).collect();
        format!("{name:8} ──▶ {}", used.join(" ")).trim_end_matches(" ──▶ ").trim_end().to_owned() + "\n"
    };
    lower.iter().rev().map(line).collect()
}

#[test]
fn crate_picture_matches_cargo_metadata() {
    is_kept_between("ARCHITECTURE.md", "crates", &format!("```\n{}```", picture(&crates())));
}

/// Crates that open no file and read no clock.
const PURE: [&str; 14] = [
    "figures",
    "base",
    "profile",
    "machine",
    "trace",
    "results",
    "plan",
    "fio_jobs",
    "checks",
    "experiments",
    "formats",
    "merge",
    "report",
    "page",
];

#[test]
fn pure_crates_use_only_pure_crates() {
    let crates = crates();
    for name in PURE {
        let impure: Vec<_> = crates[name].iter().filter(|used| !PURE.contains(&used.as_str())).collect();
        assert!(impure.is_empty(), "{name} uses {impure:?}");
    }
    let judges = ["checks", "experiments", "formats", "merge", "report", "page"];
    for name in ["sys", "host", "engine", "integrity", "worker"] {
        let above: Vec<_> = crates[name].iter().filter(|used| judges.contains(&used.as_str())).collect();
        assert!(above.is_empty(), "{name} uses {above:?}");
    }
}

#[test]
fn named_files_of_architecture_and_recipes_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = ["ARCHITECTURE.md", "docs/dev/recipes.md"]
        .map(|page| fs::read_to_string(root.join(page)).unwrap())
        .concat();
    let named = text.split('`').skip(1).step_by(2).filter(|name| name.ends_with(".rs") && name.contains('/'));
    let is_there = |name: &&str| {
        let (first, rest) = name.split_once('/').unwrap();
        let mut places = vec![root.join(name), root.join("src").join(name)];
        places.push(root.join("crates").join(first).join("src").join(rest));
        places.extend(
            ["figures", "base", "sys", "worker", "run"]
                .map(|one| root.join("crates").join(one).join("src").join(name)),
        );
        places.iter().any(|place| place.exists())
    };
    let wrong: Vec<&str> = named.filter(|name| !name.contains('*') && !is_there(name)).collect();
    assert!(wrong.is_empty(), "missing files: {wrong:?}");
}

#[test]
fn paths_in_documents_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut documents = vec![root.join("CONTRIBUTING.md"), root.join("ARCHITECTURE.md")];
    for folder in ["docs", "docs/design", "docs/dev", "docs/how-to", "docs/reference"] {
        let entries = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        documents.extend(entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    let is_place = |name: &&str| {
        let begins = ["crates/", "src/", "tests/", "xtask/"].iter().any(|folder| name.starts_with(folder));
        begins && name.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
    };
    for document in documents {
        let text = fs::read_to_string(&document).unwrap();
        let named = text.split('`').skip(1).step_by(2).filter(is_place);
        let wrong: Vec<&str> = named.filter(|name| !root.join(name).exists()).collect();
        assert!(wrong.is_empty(), "{} names what is not there: {wrong:?}", document.display());
    }
}

/// Maximum number of functions that a system must provide for reading and judging.
const MOST_OF_A_SYSTEM: usize = 60;

fn offered(file: &Path) -> Vec<String> {
    let module = file.file_stem().unwrap().to_str().unwrap().to_owned();
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap();
    let names = code.lines().filter_map(|line| line.trim_start().strip_prefix("pub fn "));
    names.map(|line| format!("`{module}::{}`", line.split(['(', '<']).next().unwrap())).collect()
}

#[test]
fn platform_functions_are_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/sys/src");
    let root = fs::read_to_string(folder.join("lib.rs")).unwrap();
    // Those that both systems have in a file each. What only Windows has is its own, and so is what runs need.
    let both = root.lines().filter_map(|line| line.strip_prefix("#[cfg_attr(windows, path = \""));
    let both = both.map(|line| line.split('"').next().unwrap()).filter(|file| !file.contains("/runs/"));
    let files: Vec<_> = both.map(|file| folder.join(file)).collect();
    assert!(files.len() > 9, "{files:?}");
    let count = is_listed(files, "offered");
    assert!(count <= MOST_OF_A_SYSTEM, "{count} functions");
}

#[test]
fn windows_only_functions_of_runs_are_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/sys/src/windows/runs");
    is_listed(fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect(), "own");
}

/// Compares the files' functions with a list in docs/design/windows.md; returns their number.
fn is_listed(mut files: Vec<PathBuf>, list: &str) -> usize {
    files.sort();
    let lists: Vec<Vec<String>> = files.iter().map(|file| offered(file)).collect();
    let count: usize = lists.iter().map(Vec::len).sum();
    let some = lists.iter().filter(|list| !list.is_empty());
    let lines: Vec<String> = some.map(|list| format!("* {}", list.join(", "))).collect();
    is_kept_between("docs/design/windows.md", list, &format!("{count} functions:\n\n{}", lines.join("\n")));
    count
}
