//! `diskspd doctor` as a user runs it.

#![allow(clippy::unwrap_used)]

use crate::common::{Ended, command_of, directory_with, diskspd, read_json};
use serde_json::Value;

fn doctor(arguments: &[&str]) -> Ended {
    command_of(&[&["doctor"], arguments].concat()).output().unwrap().into()
}

#[test]
fn doctor_exit_code_reports_distortions() {
    let ended = doctor(&["--json"]);
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    let findings = answer["findings"].as_array().unwrap();
    let worse = findings.iter().any(|finding| finding["severity"] != "note");
    assert_eq!(ended.code, if worse { 2 } else { 0 }, "{}{}", ended.stdout, ended.stderr);
    for finding in findings {
        assert!(finding["remedy"].is_string() && finding["message"].is_string(), "{finding}");
    }
    assert!(answer["system"]["environment"]["disks"].is_array());
}

#[test]
fn doctor_and_runs_have_the_same_fingerprint() {
    let (directory, file) = directory_with("a");
    let saved = directory.path().join("run.json");
    let line = format!("-c1M -b4K -r -Su -W0 -d1 --out {} {{}}", saved.display());
    assert_eq!(diskspd(&line, &file).code, 0);
    let record: Value = read_json(&saved);
    let hash = record["hosts"][0]["system"]["fingerprint"]["hash"].as_str().unwrap();
    assert_eq!(hash.len(), 16);
    let ended = doctor(&[file.to_str().unwrap()]);
    assert!([0, 2].contains(&ended.code), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.ends_with(&format!("fingerprint: {hash}\n")), "{hash}\n{}", ended.stdout);
}

#[test]
fn future_file_is_checked_by_its_directory() {
    let (_directory, missing) = directory_with("to be created");
    let ended = doctor(&[missing.to_str().unwrap(), "--json"]);
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert!(answer["system"]["targets"][0]["file_system"]["kind"].is_string(), "{}", ended.stdout);
    let found = answer["findings"].as_array().unwrap().iter().find(|found| found["name"] == "target-missing");
    let message = found.unwrap()["message"].as_str().unwrap();
    assert!(message.contains("to be created' does not exist: the devices below its folder"), "{message}");
    assert!(!missing.exists());
}

#[test]
fn unreadable_facts_are_reported() {
    for (arguments, code, part) in [
        (["#9999", "#9998"], 1, "'#9999' is not a block device"),
        (["/dev/no-such-device", "."], 1, "'/dev/no-such-device' does not exist, and /dev is for devices"),
        (["no-such-folder/file", "."], 1, "'no-such-folder/file'"),
        (["--xml", "a"], 3, "diskspd doctor [<target> ..] [--json]"),
        (["--privileges", "--json"], 3, "or --privileges"),
    ] {
        let ended = doctor(&arguments);
        assert_eq!(ended.code, code, "{}", ended.stderr);
        assert!(ended.stderr.contains(part), "{}", ended.stderr);
        assert_eq!(ended.stdout, "");
    }
}
