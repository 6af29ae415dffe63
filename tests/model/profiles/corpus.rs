//! `tests/data/profiles/*.xml` against `expected.txt`: adding a case means adding a file and a line, no Rust.

use super::rows;
use super::settings::settings;
use diskspd::profile::xml::{XmlError, read};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

pub const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/profiles");

pub fn documents() -> BTreeMap<String, PathBuf> {
    let files = fs::read_dir(DIRECTORY).unwrap().map(|entry| entry.unwrap().path());
    let documents = files.filter(|path| path.extension().is_some_and(|e| e == "xml"));
    documents.map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path)).collect()
}

pub fn read_expected() -> BTreeMap<String, (String, String)> {
    let table = fs::read_to_string(format!("{DIRECTORY}/expected.txt")).unwrap();
    rows(&table)
        .into_iter()
        .map(|row| (row[0].to_owned(), (row[1].to_owned(), row[2..].join(" | "))))
        .collect()
}

pub fn one_line(error: &XmlError) -> String {
    error.to_string().replace('\n', "")
}

#[test]
fn corpus_documents_match_the_table() {
    let documents = documents();
    let expected = read_expected();
    assert!(documents.len() >= 70, "the corpus has lost documents");
    assert_eq!(documents.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    let mut differ = Vec::new();
    for (name, path) in documents {
        let (stage, expected) = &expected[&name];
        let found = match read(&fs::read(path).unwrap()) {
            Ok(profile) => ("ok", settings(&profile)),
            Err(error) => (stage.as_str(), one_line(&error)),
        };
        if found != (stage, expected.clone()) || (stage == "ok") != (found.0 == "ok") {
            differ.push(format!("{name} | {} | {}", found.0, found.1));
        }
    }
    assert!(differ.is_empty(), "these differ from the table:\n{}", differ.join("\n"));
}

#[test]
fn every_element_and_attribute_is_read_at_least_once() {
    let schema = diskspd::profile::xml::xsd::schema();
    let names = schema
        .lines()
        .filter_map(|line| line.trim().strip_prefix("<xs:"))
        .filter(|line| line.starts_with("element") || line.starts_with("attribute"))
        .filter_map(|line| line.split('"').nth(1));
    let valid: Vec<String> = read_expected()
        .iter()
        .filter(|(_, (stage, _))| stage == "ok")
        .filter_map(|(name, _)| fs::read_to_string(&documents()[name]).ok())
        .collect();
    let missing: Vec<&str> = names
        .filter(|name| {
            let (element, attribute) = (format!("<{name}"), format!(" {name}=\""));
            !valid.iter().any(|text| text.contains(&element) || text.contains(&attribute))
        })
        .collect();
    assert!(missing.is_empty(), "in no valid document: {missing:?}");
}
