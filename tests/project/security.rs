//! Tests of SECURITY.md. Each promise has an existing test, and the contact is valid.

#![allow(clippy::unwrap_used)]

use crate::common::kept::root;
use std::fs;
use std::path::Path;

fn text(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap()
}

/// Collects the paths and texts of all Rust files in a folder.
fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
            found.push((stem, fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Returns the rows of the table without its head, with trimmed cells.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().filter(|line| line.starts_with('|')).skip(2);
    lines.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// Returns the missing tests and checks of the table; a row without a name counts as well.
fn missing(text: &str, sources: &[(String, String)]) -> Vec<String> {
    let is_test = |name: &str| {
        // Without a module the test may be in any file.
        let (module, test) =
            name.split_once("::").map_or((None, name), |(module, test)| (Some(module), test));
        let function = format!("fn {test}()");
        let is_marked = |code: &str| {
            let before = code.split(&function).next().unwrap_or_default();
            before.len() < code.len()
                && before.rsplit("\n\n").next().is_some_and(|lines| lines.contains("#[test]"))
        };
        sources.iter().any(|(stem, code)| module.is_none_or(|module| stem == module) && is_marked(code))
    };
    let is_check = |name: &str| name.starts_with(".ci/checks/") && root().join(name).is_file();
    let mut missing = Vec::new();
    for row in rows(text) {
        let names: Vec<&str> = row.get(2).map_or("", |cell| cell).split('`').skip(1).step_by(2).collect();
        if row.len() != 3 || names.is_empty() {
            missing.push(format!("a test of '{}'", row[0]));
        }
        missing.extend(names.into_iter().filter(|name| !is_test(name) && !is_check(name)).map(str::to_owned));
    }
    missing
}

#[test]
fn promises_name_tests_that_exist() {
    let mut all = Vec::new();
    ["tests", "crates", "src", "xtask"].iter().for_each(|folder| sources(&root().join(folder), &mut all));
    let text = text("SECURITY.md");
    assert!(rows(&text).len() > 15);
    assert_eq!(missing(&text, &all), Vec::<String>::new());
}

#[test]
fn unknown_tests_are_reported() {
    let code = "#[test]\nfn first() {}\n\nfn helper() {}\n\n#[cfg(test)]\n#[test]\nfn second() {}\n";
    let sources = [("module".to_owned(), code.to_owned())];
    for (cell, expected) in [
        ("`module::first`, `module::second`", vec![]),
        ("`module::third`", vec!["module::third"]),
        ("`module::helper`", vec!["module::helper"]),
        ("`other::first`", vec!["other::first"]),
        ("`first`", vec![]),
        ("`third`, `helper`", vec!["third", "helper"]),
        ("`.ci/checks/dependencies`", vec![]),
        ("`.ci/checks/nothing`", vec![".ci/checks/nothing"]),
        ("none", vec!["a test of 'route'"]),
        ("`module::first` | more", vec!["a test of 'route'"]),
    ] {
        let table = format!("| route | rule | test |\n|---|---|---|\n| route | rule | {cell} |\n");
        assert_eq!(missing(&table, &sources), expected, "{cell}");
    }
}

#[test]
fn contact_is_the_private_report_alone() {
    for file in ["SECURITY.md", "CODE_OF_CONDUCT.md"] {
        let text = text(file);
        assert!(text.contains("Report a vulnerability"), "{file}");
        // The addresses of the packages lead nowhere.
        assert!(!text.contains('@') && !text.contains(".invalid") && !text.contains("mailto:"), "{file}");
    }
}
