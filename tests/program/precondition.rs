//! Tests of `diskspd precondition` for users: its rounds, their end, and rejections before the first step.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::{Ended, directory, directory_with, diskspd, read_json};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A simulated second takes some ms, because the device's link limits blocks of 1 MiB.
const SIM: &str = "-c1G -b1M -w100 -o8 -t1";

fn simulated(engine: &str, options: &str) -> Ended {
    let workload = match engine {
        "sim:throttle" => "-c1G -b4K -o8 -t1",
        "sim:drift" => "-c1G -b2M -o1 -t1",
        _ => SIM,
    };
    let line = format!("precondition --standard custom {options} {{}} -- --engine {engine} {workload}");
    diskspd(&line, Path::new("never-made.dat"))
}

/// Returns the I/Os per second of each row of the table.
fn rounds(stdout: &str) -> Vec<f64> {
    let rows = stdout.lines().skip(1).take_while(|line| !line.is_empty());
    rows.map(|row| row.split_whitespace().nth(1).unwrap().parse().unwrap()).collect()
}

#[test]
fn simulated_steady_drives_are_judged_steady() {
    // Credits are gone in the first round. A second without any I/O of every six is in every third round of 2 s.
    for (engine, options, count, code) in [
        ("sim", "--round 1s", 5, 0),
        ("sim:throttle", "--round 10s", 6, 0),
        // Slower and slower for a minute, and then no longer: what is left of the fall is within the limits two rounds later.
        ("sim:drift", "--round 10s", 8, 0),
        ("sim:stall", "--round 2s --rounds 7", 7, 2),
    ] {
        let ended = simulated(engine, &format!("{options} --quiet"));
        assert_eq!((ended.code, ended.stderr.as_str()), (code, ""), "{engine}: {}", ended.stdout);
        assert_eq!(rounds(&ended.stdout).len(), count, "{engine}: {}", ended.stdout);
        let verdict = ended.stdout.lines().last().unwrap();
        let expected = if code == 0 { "steady after" } else { "not steady after" };
        assert!(verdict.starts_with(&format!("{expected} {count} rounds: ")), "{engine}: {verdict}");
    }
}

/// A cache of 64 GiB is full after 13.7 s at 5 GB/s: in the third round of 5 s.
#[test]
fn table_shows_when_the_drive_cache_was_full() {
    let ended = simulated("sim:cliff", "--round 5s --quiet");
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let expected = "round          IOPS       MiB/s     avg ms     p99 ms    average of 5  excursion     \
                    slope
    1       4768.20     4768.20      1.677      1.689               -          \
                    -         -
    2       4768.40     4768.40      1.678      1.689               \
                    -          -         -
    3       3810.00     3810.00      2.098      \
                    8.413               -          -         -
    4        953.80      953.80      \
                    8.389      8.446               -          -         -
    5        953.60      \
                    953.60      8.389      8.446         3050.80    125.0 %  -150.0 %
    6        \
                    953.60      953.60      8.389      8.446         2287.88    166.7 %  -183.3 %
    \
                    7        953.80      953.80      8.389      8.446         1524.96    187.3 %  -149.8 \
                    %
    8        953.60      953.60      8.389      8.446          953.68      0.0 %    \
                    +0.0 %  steady

steady after 8 rounds: the last 5 rounds average 953.68 IOPS, excursion \
                    0.0 % (at most 20 %), slope +0.0 % (at most 10 %)
";
    assert_eq!(ended.stdout, expected);
}

#[test]
fn last_round_record_has_the_table_of_all_rounds() {
    let directory = directory();
    let (json, page) = (directory.path().join("last.json"), directory.path().join("last.html"));
    let outs = format!("--round 5s --rounds 6 --out {} --out={}", json.display(), page.display());
    let ended = simulated("sim:cliff", &outs);
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    let said =
        ["preconditioning of never-made.dat, 1 GiB, by custom", "fill: nothing, the target is simulated"];
    assert!(said.iter().all(|text| ended.stderr.contains(text)), "{}", ended.stderr);
    assert!(ended.stderr.contains("round 6: ") && ended.stderr.contains("5 to 6 of 5 s"), "{}", ended.stderr);
    let record: Value = read_json(&json);
    let table = &record["preconditioning"];
    let iops = |value: &Value| value["iops"].as_f64().unwrap();
    let stored: Vec<f64> = table["rounds"].as_array().unwrap().iter().map(iops).collect();
    let printed = rounds(&ended.stdout);
    assert!(stored.iter().zip(&printed).all(|(stored, printed)| (stored - printed).abs() < 0.01));
    assert_eq!((stored.len(), printed.len(), &table["steady"]), (6, 6, &Value::Bool(false)));
    // Five times as slow behind the cache; the drive of the sixth round has gone through five before.
    assert!((4.5..5.5).contains(&(stored[0] / stored[5])), "{stored:?}");
    assert_eq!(record["profile"]["time_spans"][0]["warmup"], 25);
    assert!(table.get("fill").is_none() && table.get("purged_bytes").is_none(), "{table}");
    assert!(fs::read_to_string(&page).unwrap().starts_with("<!DOCTYPE html>"));
    diskspd("report {}", &json).succeeds();
}

#[test]
fn file_is_purged_filled_and_written_in_rounds() {
    let directory = directory();
    let (file, json) = (directory.path().join("a.dat"), directory.path().join("last.json"));
    fs::write(&file, vec![0; 4 << 20]).unwrap();
    let line = format!(
        "precondition --standard=pts-client --purge --round 1s --rounds 5 --out {} {{}} -- -t1 -o2",
        json.display()
    );
    let ended = diskspd(&line, &file);
    if ended.stderr.contains("--purge: the file system cannot punch a hole into the file") {
        return crate::common::skip("the file system cannot punch holes");
    }
    assert!([0, 2].contains(&ended.code), "{}{}", ended.stdout, ended.stderr);
    assert_eq!(rounds(&ended.stdout).len(), 5);
    let record: Value = read_json(&json);
    let table = &record["preconditioning"];
    assert_eq!((&table["standard"], &table["purged_bytes"]), (&"pts-client".into(), &(4 << 20).into()));
    assert!(table["fill"]["bytes"].as_u64().unwrap() >= 8 << 20, "{table}");
    let target = &record["profile"]["time_spans"][0]["targets"][0];
    assert_eq!((&target["max_file_size"], &target["block_size"]), (&(3 << 20).into(), &4096.into()));
    // All of it has random content, none of it zero.
    assert!(fs::read(&file).unwrap().iter().filter(|byte| **byte == 0).count() < 64 << 10);
}

#[test]
fn impossible_preconditioning_is_refused_before_first_step() {
    let (_directory, file) = directory_with("a.dat");
    fs::write(&file, vec![7; 1 << 20]).unwrap();
    for (line, code, why) in [
        ("precondition {} -- -b8K", 3, "pts-client defines the workload"),
        ("precondition {} -- -w50", 3, "--standard custom"),
        ("precondition {} -- -d5", 3, "--round sets the duration"),
        ("precondition --standard custom {} -- -w100 -Rxml", 3, "-Rxml cannot be used"),
        ("precondition --standard custom {} -- -w100 b.dat", 3, "a round has one target"),
        ("precondition --standard custom {} -- -w101", 3, "-w"),
        ("precondition {}-missing", 1, "-missing"),
        ("precondition --purge --standard custom --out {} {} -- -w100", 3, "--out"),
    ] {
        let ended = diskspd(line, &file);
        assert_eq!(ended.code, code, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(why) && ended.stdout.is_empty(), "{line}: {}", ended.stderr);
        assert!(fs::read(&file).unwrap().iter().all(|byte| *byte == 7), "{line} wrote");
    }
    let dry = diskspd("precondition --dry-run --purge {} -- -t4", &file);
    assert_eq!((dry.code, dry.stderr.as_str()), (0, ""));
    assert!(
        dry.stdout.contains("--until-written=2x") && dry.stdout.contains("-f786432 -t4"),
        "{}",
        dry.stdout
    );
    assert!(fs::read(&file).unwrap().iter().all(|byte| *byte == 7));
}
