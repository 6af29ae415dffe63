//! Tests of durable writes (`--fua`): their share, their figures, and the flushes of the device.

#![allow(clippy::unwrap_used)]

use crate::common::loops::Loop;
use crate::common::{Ended, command_of, directory, directory_with, diskspd};
use serde_json::Value;
use std::path::Path;

fn record_of(line: &str, path: &Path) -> Value {
    let ended = diskspd(line, path).succeeds();
    serde_json::from_str(&ended.stdout).unwrap()
}

/// Returns durable writes, their bytes, and all writes.
fn counts(record: &Value) -> [u64; 3] {
    let figures = &record["figures"]["time_spans"][0];
    let durable = &figures["durable_writes"]["total"];
    let writes = &figures["write"]["total"]["throughput"]["ios"];
    [&durable["durable_writes"], &durable["bytes"], writes].map(|count| count.as_u64().unwrap())
}

fn finding_names(record: &Value) -> Vec<&str> {
    let findings = record["judgement"]["findings"].as_array().unwrap();
    findings.iter().filter_map(|finding| finding["name"].as_str()).collect()
}

#[test]
fn every_engine_makes_all_writes_durable() {
    let (_folder, path) = directory_with("a.dat");
    for (engine, caching) in
        [("uring", "-Su"), ("uring", "-Sb"), ("aio", "-Su"), ("sync", "-Su"), ("sync", "-Sb")]
    {
        let line =
            format!("--engine {engine} -c1M -b4K -r -w100 {caching} -o2 -W0 -d1 --fua 100 --out json:- {{}}");
        let record = record_of(&line, &path);
        let [durable, bytes, writes] = counts(&record);
        assert!(
            durable > 0 && durable == writes && bytes == 4096 * writes,
            "{engine} {caching}: {durable} {writes}"
        );
        assert!(finding_names(&record).contains(&"durable-writes"), "{engine}");
    }
}

#[test]
fn loop_device_is_flushed_for_durable_writes() {
    let Some(device) = Loop::new(8 << 20) else { return };
    let line = "--destroy -b4K -r -w100 -Su -o1 -W0 -d1 --fua 100 --out json:- {}";
    let flushes = || {
        let name = device.device.file_name().unwrap().to_str().unwrap();
        let counters = std::fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
        counters.split_whitespace().nth(15).map_or(0, |flushes| flushes.parse::<u64>().unwrap())
    };
    let before = flushes();
    let [durable, ..] = counts(&record_of(line, &device.device));
    let flushed = flushes() - before;
    assert!(durable > 0 && flushed >= durable, "{flushed} flushes for {durable} durable writes");
    let before = flushes();
    let plain = record_of("--destroy -b4K -r -w100 -Su -o1 -W0 -d1 --out json:- {}", &device.device);
    assert!(plain["figures"]["time_spans"][0].get("durable_writes").is_none());
    assert!(flushes() - before < durable.min(64), "plain writes are not flushed one by one");
}

#[test]
fn share_of_writes_keeps_addresses_and_directions() {
    let folder = directory();
    let log = |options: &str| {
        let log = folder.path().join("io.csv");
        let line = format!(
            "--engine sim -c64M -b4K -r -w50 -o1 -t1 -W0 -d1 {options} --io-log {} --out json:- {{}}",
            log.display()
        );
        let record = record_of(&line, Path::new("a.dat"));
        let lines = std::fs::read_to_string(log).unwrap();
        let ios = lines.lines().filter(|line| line.starts_with("0,")).take(1000);
        let place = |line: &str| line.split(',').skip(2).take(3).map(str::to_owned).collect::<Vec<_>>();
        (record, ios.map(place).collect::<Vec<_>>())
    };
    let (_, plain) = log("");
    let (record, durable) = log("--fua 25");
    assert_eq!((plain.len(), &plain), (1000, &durable));
    let [durable, _, writes] = counts(&record);
    let share = durable as f64 / writes as f64;
    assert!(writes > 1000 && (0.2..0.3).contains(&share), "{durable} of {writes} writes are durable");
    assert!(share < 1.0 && record["profile"]["time_spans"][0]["targets"][0]["fua_ratio"] == 25);
}

#[test]
fn report_page_and_xml_have_durable_writes() {
    let folder = directory();
    let (page, profile) = (folder.path().join("page.html"), folder.path().join("p.xml"));
    let line = "--engine sim -c64M -b4K -r -w50 -o2 -L -W0 -d1 --fua 50";
    let ended = diskspd(&format!("{line} --out {} {{}}", page.display()), Path::new("a.dat"));
    assert!(ended.stdout.contains("Durable writes (--fua) of timespan 1:\n"), "{}", ended.stdout);
    assert!(ended.stdout.contains("\tFUA writes: 50% of the writes\n"), "{}", ended.stdout);
    assert!(std::fs::read_to_string(page).unwrap().contains("(--fua): "));
    let ended = diskspd(&format!("{line} --xml-verdict -Rxml {{}}"), Path::new("a.dat"));
    assert!(ended.stdout.contains("<DurableWrites>"), "{}", ended.stdout);
    let ended = diskspd(&format!("{line} -Rpxml {{}}"), Path::new("a.dat"));
    std::fs::write(&profile, ended.stdout).unwrap();
    let ended = diskspd(&format!("--engine sim -X{} -Rpxml", profile.display()), Path::new("a.dat"));
    assert!(ended.stdout.contains(">50</linux:FuaRatio>"), "{}", ended.stdout);
}

#[test]
fn verification_accepts_durable_writes() {
    let (_folder, path) = directory_with("a.dat");
    for engine in ["uring", "aio", "sync"] {
        let line = format!("--engine {engine} -c2M -b16K -r -w60 -Su -o4 -W0 -d1 --fua 50 --verify {{}}");
        diskspd(&line, &path).succeeds();
    }
}

#[test]
fn contradicting_options_are_refused_before_start() {
    let (_folder, path) = directory_with("a.dat");
    for (line, part) in [
        ("-c1M --fua 10 {}", "no data is written"),
        ("-c1M -w50 -Sh --fua 10 {}", "every write is durable"),
        ("-c1M -w50 -Sm --fua 10 {}", "-Sm (MemoryMappedIo)"),
        ("-c1M -w50 -x --fua 10 {}", "-x, CompletionRoutines"),
        ("-c1M -w50 -Su --poll --fua 10 {}", "--fua (linux:FuaRatio) and --poll"),
        ("-c1M -w50 --fua 0 {}", "invalid percentage"),
        ("-c1M -w50 --fua 101 {}", "invalid percentage"),
    ] {
        let ended = diskspd(line, &path);
        assert!(ended.code != 0 && ended.stderr.contains(part), "{line}: {}", ended.stderr);
        assert!(!path.exists(), "{line}");
    }
}

#[test]
fn doctor_reports_support_for_durable_writes() {
    let Some(device) = Loop::new(8 << 20) else { return };
    let arguments = ["doctor", "--json", device.device.to_str().unwrap()];
    let ended: Ended = command_of(&arguments).output().unwrap().into();
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    let row = answer["ways"].as_array().unwrap().iter().find(|row| row["option"] == "--fua").unwrap();
    assert_eq!((&row["works"], &row["since"]), (&Value::Bool(true), &Value::from("4.7")));
}
