//! Outages as a user meets them: a server of files that stops, and the program itself that is stopped.

#![allow(clippy::unwrap_used)]

use super::faults::Served;
use crate::common::{Ended, directory, diskspd, read_json, start, tool, wait_until};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::Duration;

fn record(path: &Path) -> Value {
    read_json(path)
}

fn millis(ms: u64) {
    std::thread::sleep(Duration::from_millis(ms));
}

fn file_of(served: &Served) -> std::path::PathBuf {
    let file = served.mounted.join("f");
    fs::write(&file, vec![1; 4 << 20]).unwrap();
    file
}

#[test]
fn stopped_server_is_an_outage_ending_the_run() {
    let Some(served) = Served::new() else { return };
    let (folder, file) = (directory(), file_of(&served));
    let kept = folder.path().join("run.json");
    let other = folder.path().join("other");
    fs::write(&other, vec![1; 4 << 20]).unwrap();
    let log = folder.path().join("log.csv");
    let line = format!(
        "-b4K -r -o2 -F1 -W0 -d600 -Su --engine uring --stuck 300ms --fail-on-outage 1s --io-log {} --out {} {} {{}}",
        log.display(),
        kept.display(),
        other.display()
    );
    let mut run = start(&line, &file);
    wait_until("I/Os are logged", || fs::metadata(&log).is_ok_and(|log| log.len() >= 50_000));
    served.signal("STOP");
    // What it says ends with the I/Os in flight, which need the server.
    let (mut told, mut stderr) = (BufReader::new(run.stderr.take().unwrap()), String::new());
    while !stderr.contains("the run ends here") && told.read_line(&mut stderr).unwrap() > 0 {}
    served.signal("CONT");
    told.read_to_string(&mut stderr).unwrap();
    let ended = Ended { stderr, ..run.wait_with_output().unwrap().into() };
    assert_eq!(ended.code, 5, "{}", ended.stderr);
    for words in [
        "has completed no I/O for ",
        " s, with 2 I/Os in flight: the run ends here (--fail-on-outage)",
        "stuck: thread 0: read of 4096 bytes at offset ",
        "an outage (--fail-on-outage) ended the run after ",
        "nothing completed, 2 in flight, until the end)",
    ] {
        assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
    }
    let record = record(&kept);
    let span = &record["hosts"][0]["results"]["time_spans"][0];
    assert_eq!(span["ended"]["cause"], "outage");
    let outages = record["judgement"]["outages"][0].as_array().unwrap();
    assert_eq!(outages.len(), 1, "the other target answered: {outages:?}");
    assert_eq!(outages[0]["target"], file.to_str().unwrap());
    assert_eq!(
        span["observed"]["outage_observations"]["stuck"].as_array().unwrap().len(),
        2,
        "{}",
        span["observed"]["outage_observations"]
    );
}

#[test]
fn simulated_time_has_no_outage_watcher() {
    for option in ["--stuck 1s", "--fail-on-outage 5s"] {
        let ended = diskspd(&format!("--engine sim:outage -c1M -d12 {option} x"), Path::new(""));
        assert_eq!(ended.code, 3, "{}", ended.stderr);
        assert!(ended.stderr.contains("need real time; leave them out"), "{}", ended.stderr);
    }
}

#[test]
fn stopped_program_reports_no_outage() {
    let folder = directory();
    let (file, kept) = (folder.path().join("f"), folder.path().join("run.json"));
    let run =
        start(&format!("-c4M -b4K -r -o2 -W0 -d4 --fail-on-outage 1s --out {} {{}}", kept.display()), &file);
    millis(1500);
    tool(&format!("kill -STOP {}", run.id()));
    millis(1500);
    tool(&format!("kill -CONT {}", run.id()));
    let ended: Ended = run.wait_with_output().unwrap().into();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let record = record(&kept);
    assert_eq!(record["judgement"]["outages"][0].as_array().map(Vec::len), Some(0));
    let quiet = &record["hosts"][0]["results"]["time_spans"][0]["observed"]["outage_observations"];
    let unseen = quiet["watcher_gaps"].as_array().unwrap();
    let length = |time: &Value| time["end_us"].as_u64().unwrap() - time["start_us"].as_u64().unwrap();
    assert!(unseen.iter().map(length).max().unwrap() >= 1_200_000, "{unseen:?}");
}
