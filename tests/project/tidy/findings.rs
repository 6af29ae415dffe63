//! Every finding has exactly one row in `docs/reference/verdicts.md`, and every row is a finding of the code.

use super::source::{SOURCES, Source};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const CHECKS: &str = "crates/checks/src/";
const OTHER_PLACES: [&str; 2] = ["crates/formats/src/fio/mod.rs", "src/commands/machine/doctor/mod.rs"];

/// Words with hyphens in the checks that do not name a finding.
const OTHER_WORDS: [&str; 3] = ["amd-pstate-epp", "refined-jiffies", "systemd-inhibit"];

/// Calls whose first text is the name of a finding.
const NAMING: [&str; 6] = [
    "Finding::new(",
    "of_machine(",
    "finding(",
    "lasting_rule(",
    "before(",
    "Findings::new(Some(Severity::Wrong),[",
];

fn is_name(text: &str) -> bool {
    let words = || text.split('-');
    words().all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()))
}

/// Returns the names of findings in a source, outside of its tests.
fn finding_names(source: &Source) -> BTreeSet<String> {
    let is_finding = |at: usize, text: &str| {
        let before: String =
            source.code[..at].chars().rev().filter(|c| !c.is_whitespace()).take(60).collect();
        let before: String = before.chars().rev().filter(|c| *c != '"').collect();
        let before = before.trim_end_matches(',');
        let before = ["Note", "Warning", "Wrong"].iter().fold(before, |rest, severity| {
            rest.strip_suffix(&format!("Severity::{severity}")).unwrap_or(rest)
        });
        let after = source.text[at..].split_once(text).map_or("", |(_, after)| after);
        let hyphenated = source.place.starts_with(CHECKS) && text.contains('-');
        hyphenated
            || NAMING.iter().any(|call| before.ends_with(call))
            || before.ends_with('(') && after.starts_with("\", format!(")
    };
    let literals = source.literals.iter().filter(|(at, text)| is_name(text) && !source.is_test(*at));
    let found = literals.filter(|(at, text)| is_finding(*at, text)).map(|(_, text)| text.clone());
    found.filter(|name| !OTHER_WORDS.contains(&name.as_str())).collect()
}

#[test]
fn findings_have_one_row_in_documentation() {
    let is_place =
        |source: &&Source| source.place.starts_with(CHECKS) || OTHER_PLACES.contains(&source.place.as_str());
    let in_code: BTreeSet<String> = SOURCES.iter().filter(is_place).flat_map(finding_names).collect();
    assert!(in_code.len() > 100 && in_code.contains("rising") && in_code.contains("outage"), "{in_code:?}");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/verdicts.md");
    let page = fs::read_to_string(page).unwrap();
    let table = page.split_once("<!-- findings -->").unwrap().1.split_once("<!-- /findings -->").unwrap().0;
    let mut in_page = Vec::new();
    for row in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(cells.len(), 4, "{row}");
        assert!(cells.iter().all(|cell| !cell.is_empty()), "{row}");
        assert!(cells[2].split_whitespace().count() <= 15, "more than 15 words: {row}");
        in_page.extend(cells[0].split('`').skip(1).step_by(2).map(str::to_owned));
    }
    let rows: BTreeSet<String> = in_page.iter().cloned().collect();
    assert_eq!(rows.len(), in_page.len(), "a finding has two rows");
    let missing: Vec<&String> = in_code.difference(&rows).collect();
    let unknown: Vec<&String> = rows.difference(&in_code).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "without a row: {missing:?}; not in code: {unknown:?}");
}
