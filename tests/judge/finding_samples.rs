//! One rendered sample of each finding in `tests/data/messages/findings.md`, as users see it. The evidence of
//! a sample is in `tests/data/messages/evidence.txt`: a simulated run, and the facts of its record that lead
//! to the finding. `UPDATE_EXPECT=1 cargo test --test library finding_samples` writes the samples again.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::diskspd;
use crate::common::in_process::run;
use crate::common::kept::{is_kept, place};
use crate::common::samples;
use diskspd::checks::{JudgedRecord, Severity, environment};
use diskspd::finding::Finding;
use diskspd::merge::merge_all;
use diskspd::results::{Host, Record};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const EVIDENCE: &str = "tests/data/messages/evidence.txt";
const SAMPLES: &str = "tests/data/messages/findings.md";

/// Findings outside of records: `doctor` reports them before a run, and `compare` in results of fio.
const OUTSIDE_RECORDS: [&str; 2] = ["target-missing", "fio-job-failed"];

/// Returns the member of a JSON value; adds a missing one.
fn member<'a>(value: &'a mut Value, path: &str) -> &'a mut Value {
    path.split('.').fold(value, |value, key| match key.parse::<usize>() {
        Ok(index) => {
            if value.is_null() {
                *value = Value::Array(Vec::new());
            }
            let list = value.as_array_mut().unwrap_or_else(|| panic!("{path} is not a list"));
            list.resize(list.len().max(index + 1), Value::Null);
            &mut list[index]
        }
        Err(_) => &mut value[key],
    })
}

/// Makes the record of a section: one simulated run, or a job of several hosts (`3 hosts: diskspd ..`). Facts
/// of a single host begin with its name (`node1.hosts.0..`), `node1: diskspd ..` replaces its run, and
/// `missing: ..` is a host without results.
fn make_record(section: &[&str], common: &[&str]) -> Record {
    let (line, facts) = section.split_first().unwrap();
    let (count, line) =
        line.split_once(" hosts: ").map_or((1, *line), |(count, line)| (count.parse().unwrap(), line));
    let records: Vec<Record> = (0..count)
        .map(|number: u32| {
            let name = format!("node{number}");
            let own = facts.iter().find_map(|fact| fact.strip_prefix(&format!("{name}: ")));
            let line = own.unwrap_or(line).strip_prefix("diskspd ").unwrap();
            let line = if count == 1 { line.to_owned() } else { format!("-z{number} {line}") };
            let mut record = serde_json::to_value(run(&line)).unwrap();
            for (path, value) in common.iter().chain(facts).filter_map(|fact| fact.split_once(" = ")) {
                let value: Value =
                    serde_json::from_str(value).unwrap_or_else(|error| panic!("{path}: {error}"));
                let own = path.strip_prefix(&name).and_then(|path| path.strip_prefix('.'));
                if let Some(path) = own.or_else(|| (!path.starts_with("node")).then_some(path)) {
                    *member(&mut record, path) = value;
                }
            }
            let mut record: Record = serde_json::from_value(record).unwrap();
            (record.hosts[0].name, record.hosts[0].rank) = (name.clone(), number);
            record.hosts[0].system.computer_name = name;
            assert_eq!(record.check(), Ok(()), "{line}");
            record
        })
        .collect();
    if count == 1 {
        return records.into_iter().next().unwrap();
    }
    let lost = facts.iter().filter_map(|fact| fact.strip_prefix("missing: ")).zip(count..);
    let lost = lost.map(|(reason, rank)| Host {
        name: format!("node{rank}"),
        rank,
        missing: Some(reason.to_owned()),
        ..Host::default()
    });
    merge_all(&records[0].profile.clone(), records, lost.collect()).unwrap()
}

/// Returns the findings about the machine as in `doctor`, then the findings about the run.
fn find_in(section: &[&str], common: &[&str]) -> Vec<Finding> {
    let record = make_record(section, common);
    let mut system = record.host().system.clone();
    system.targets = record.host().targets.iter().map(|target| target.storage.clone()).collect();
    let found = environment::findings(&system);
    found.into_iter().chain(JudgedRecord::new(&record).judgement.findings).collect()
}

/// Returns the samples by the name of the finding, one for each severity or situation.
fn render_samples() -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(place(EVIDENCE)).unwrap();
    let mut sections = text.split("\n## ");
    let common: Vec<&str> = sections.next().unwrap().lines().filter(|line| line.contains(" = ")).collect();
    let mut samples: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for section in sections {
        let (names, facts) = section.split_once('\n').unwrap();
        let facts: Vec<&str> = facts.lines().filter(|line| !line.is_empty()).collect();
        let found = find_in(&facts, &common);
        for name in names.split(' ') {
            let finding = found.iter().find(|finding| finding.name == name);
            let known: Vec<&str> = found.iter().map(|finding| finding.name).collect();
            let finding = finding.unwrap_or_else(|| panic!("{name} is not found: {known:?}"));
            assert!(finding.severity != Severity::Error && !finding.message.is_empty(), "{name}");
            samples.entry(name.to_owned()).or_default().push(finding.to_string());
        }
    }
    samples
}

#[test]
fn findings_are_kept_as_rendered_samples() {
    let samples = render_samples();
    let names: BTreeSet<&str> = samples.keys().map(String::as_str).collect();
    let page = fs::read_to_string(place("docs/reference/verdicts.md")).unwrap();
    let table = page.split_once("<!-- findings -->").unwrap().1.split_once("<!-- /findings -->").unwrap().0;
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let documented: BTreeSet<&str> = rows.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let expected: BTreeSet<&str> =
        documented.iter().copied().filter(|name| !OUTSIDE_RECORDS.contains(name)).collect();
    let missing: Vec<_> = expected.difference(&names).collect();
    assert!(missing.is_empty(), "without a sample: {missing:?}");
    assert!(names.is_subset(&expected), "not in the table: {:?}", names.difference(&expected));
    let section = |(name, texts): (&String, &Vec<String>)| {
        let texts: Vec<String> = texts.iter().map(|text| format!("```\n{text}\n```\n")).collect();
        format!("## {name}\n\n{}", texts.join("\n"))
    };
    is_kept(SAMPLES, &samples.iter().map(section).collect::<Vec<_>>().join("\n"));
}

#[test]
fn missing_target_is_reported_by_doctor() {
    const MISSING: &str = "/var/tmp/diskspd-test-missing";
    let ended = diskspd("doctor --json {}", Path::new(MISSING));
    let found: Value = serde_json::from_str(&ended.stdout).unwrap();
    let named = |finding: &&Value| finding["name"] == "target-missing";
    let finding = found["findings"].as_array().unwrap().iter().find(named).unwrap();
    assert_eq!((&finding["severity"], &finding["target"]), (&"note".into(), &MISSING.into()));
}

/// Finds unused sections, which would otherwise stay forever.
#[test]
fn sections_of_sample_pages_are_used() {
    let mut sources = String::new();
    let mut folders = vec![place("tests")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match path.extension() {
                Some(extension) if extension == "rs" => sources += &fs::read_to_string(&path).unwrap(),
                None if path.is_dir() => folders.push(path),
                _ => (),
            }
        }
    }
    for heading in samples::PAGES.into_iter().flat_map(|page| samples::sections(page).into_keys()) {
        // The rest of a heading may be an argument of `format!`.
        let mut begins = heading.match_indices(' ').map(|(at, _)| format!("\"{}{{", &heading[..=at]));
        let is_used =
            sources.contains(&format!("\"{heading}\"")) || begins.any(|begin| sources.contains(&begin));
        assert!(is_used, "no test has the sample {heading:?}");
    }
}
