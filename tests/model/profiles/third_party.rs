//! Tests by other programs: a schema validator (libxml2's xmllint) and an XML parser (Python's, which is
//! expat).

use super::corpus::{documents, read_expected};
use super::generated::profile;
use super::written;
use crate::common::output;
use diskspd::profile::{Profile, xml};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/profile.xsd");

#[test]
fn committed_schema_matches_the_reader() {
    if std::env::var_os("DISKSPD_TEST_BLESS").is_some() {
        fs::write(SCHEMA, xml::xsd::schema()).unwrap();
    }
    let ours = Path::new(SCHEMA).with_file_name(xml::xsd::LINUX_SCHEMA);
    if std::env::var_os("DISKSPD_TEST_BLESS").is_some() {
        fs::write(&ours, xml::xsd::own_schema()).unwrap();
    }
    for (file, schema) in [(Path::new(SCHEMA), xml::xsd::schema()), (&*ours, xml::xsd::own_schema())] {
        assert!(
            fs::read_to_string(file).unwrap() == schema,
            "{} is out of date: DISKSPD_TEST_BLESS=1 cargo test --test library profiles",
            file.display()
        );
    }
}

const READ_THOUGH: &[&str] = &["recoded-utf-16", "utf-16-without-mark"];

/// Whether a tool is installed; otherwise prints that the test is skipped.
fn has(tool: &str) -> bool {
    let found = output(Command::new(tool).arg("--version")).is_ok();
    if !found {
        crate::common::skip(&format!("{tool} is missing"));
    }
    found
}

/// Returns whether the validator accepts each document.
fn accepted(documents: &[PathBuf]) -> Vec<bool> {
    let mut xmllint = Command::new("xmllint");
    let output = output(xmllint.args(["--nonet", "--noout", "--schema", SCHEMA]).args(documents)).unwrap();
    let verdicts = String::from_utf8_lossy(&output.stderr).into_owned();
    let of = |path: &PathBuf| verdicts.lines().any(|line| line == format!("{} validates", path.display()));
    documents.iter().map(of).collect()
}

#[test]
fn schema_validator_agrees_with_the_reader() {
    if !has("xmllint") {
        return;
    }
    let documents = documents();
    // What isn't well-formed or is refused for other reasons says nothing about the schema.
    let expected: Vec<(String, bool)> = read_expected()
        .into_iter()
        .filter(|(_, (stage, _))| stage != "xml")
        .map(|(name, (stage, _))| (name.clone(), stage != "schema" && !READ_THOUGH.contains(&name.as_str())))
        .collect();
    let paths: Vec<PathBuf> = expected.iter().map(|(name, _)| documents[name].clone()).collect();
    let found: Vec<(String, bool)> =
        expected.iter().map(|(name, _)| name.clone()).zip(accepted(&paths)).collect();
    assert_eq!(found, expected);
}

/// Writes generated profiles to files.
fn written_files(directory: &Path) -> Vec<(Profile, PathBuf)> {
    let mut runner = TestRunner::deterministic();
    (0..100)
        .map(|number| {
            let profile = profile().new_tree(&mut runner).unwrap().current();
            let path = directory.join(format!("{number}.xml"));
            fs::write(&path, written(&profile)).unwrap();
            (profile, path)
        })
        .collect()
}

#[test]
fn schema_validator_accepts_written_profiles() {
    if !has("xmllint") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = written_files(directory.path()).into_iter().map(|(_, path)| path).collect();
    let accepted = accepted(&paths);
    let refused: Vec<&PathBuf> =
        paths.iter().zip(accepted).filter(|(_, ok)| !ok).map(|(path, _)| path).collect();
    assert!(refused.is_empty(), "{refused:?}");
}

/// Prints the text of every Path as code points, one line each.
const PATHS: &str = "
import sys, xml.etree.ElementTree as tree
for file in sys.argv[1:]:
    for path in tree.parse(file).getroot().iter('Path'):
        print(' '.join(str(ord(c)) for c in path.text or ''))
";

#[test]
fn parsers_agree_on_paths() {
    if !has("python3") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let files = written_files(directory.path());
    let mut python = Command::new("python3");
    let output = output(python.args(["-c", PATHS]).args(files.iter().map(|(_, path)| path))).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let character = |number: &str| char::from_u32(number.parse().unwrap()).unwrap();
    let found: Vec<Vec<u8>> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| xml::text::bytes(&line.split_whitespace().map(character).collect::<String>()))
        .collect();
    let targets = files.iter().flat_map(|(profile, _)| &profile.time_spans).flat_map(|span| &span.targets);
    let expected: Vec<Vec<u8>> = targets.map(|target| target.path.as_bytes().to_vec()).collect();
    assert_eq!(found, expected);
}
