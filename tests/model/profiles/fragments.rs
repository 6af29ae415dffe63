//! Tests with `tests/data/profiles/fragments.txt`: pieces of an otherwise minimal profile, and their
//! results.

use super::corpus::{DIRECTORY, one_line};
use super::rows;
use super::settings::settings;
use diskspd::finding::Severity;
use diskspd::profile::validate::validate;
use diskspd::profile::xml::read;

/// Returns the profile with `fragment` in its element `place`.
pub fn document(place: &str, fragment: &str) -> String {
    let at = |wanted: &str| if wanted == place { fragment } else { "" };
    let path = if place == "Target" && fragment.contains("<Path") { "" } else { "<Path>f</Path>" };
    format!(
        "<Profile>{}<TimeSpans><TimeSpan>{}<Targets><Target>{path}{}</Target></Targets></TimeSpan></TimeSpans></Profile>",
        at("Profile"),
        at("TimeSpan"),
        at("Target"),
    )
}

/// Returns the violated rules, or the settings, or the message without its location.
fn outcome(document: &str) -> String {
    let profile = match read(document.as_bytes()) {
        Ok(profile) => profile,
        Err(error) => return one_line(&error).split_once(": ").unwrap().1.to_owned(),
    };
    let broken: Vec<&str> = validate(&profile, true)
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| finding.name)
        .collect();
    match broken.is_empty() {
        true => format!("ok {}", settings(&profile).replace("1.1.path=\"f\"", "").trim()),
        false => broken.join(" "),
    }
}

#[test]
fn fragments_are_accepted_or_rejected_as_the_table_says() {
    let table = std::fs::read_to_string(format!("{DIRECTORY}/fragments.txt")).unwrap();
    let rows = rows(&table);
    assert!(rows.len() >= 70, "the table has lost rows");
    let mut differ = Vec::new();
    for row in rows {
        let (place, fragment, expected) = (row[0], row[1], row[2]);
        let found = outcome(&document(place, fragment));
        if found.trim() != expected {
            differ.push(format!("{place} | {fragment} | {found}"));
        }
    }
    assert!(differ.is_empty(), "these differ from the table:\n{}", differ.join("\n"));
}
