//! Atomic writes, I/O that leaves nothing in the page cache, and write hints, as a user asks for them.

#![allow(clippy::unwrap_used)]

use crate::common::loops::Loop;
use crate::common::{Ended, command_of, directory, directory_with, diskspd, finding_names, read_json};
use serde_json::Value;

/// Returns XFS with reflink, for which Linux guarantees atomic writes since 6.16, by writing elsewhere first.
fn xfs() -> Option<(Loop, std::path::PathBuf)> {
    Loop::with_file_system(320 << 20, "xfs")
}

fn feature_lines(ended: &Ended, code: i32, part: &str) {
    assert_eq!(ended.code, code, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
}

#[test]
fn atomic_writes_need_a_guarantee() {
    let Some((_device, at)) = xfs() else { return };
    let file = at.join("a.dat");
    for (engine, line) in [
        ("uring", "-c1M -b16K -r -w50 -o4 -Su -W0 -d1 -v --atomic {}"),
        ("aio", "-b16K -r -w100 -o4 -Sh -W0 -d1 -v --atomic {}"),
        ("sync", "-b4K -r -w100 -Su -W0 -d1 -v --atomic {}"),
    ] {
        let ended = diskspd(&format!("--engine {engine} {line}"), &file).succeeds();
        assert!(ended.stdout.contains("(RWF_ATOMIC)"), "{}", ended.stdout);
        assert!(ended.stderr.contains("(RWF_ATOMIC)") && ended.stderr.contains("4KiB"), "{}", ended.stderr);
    }
    for (line, part) in [
        ("-b16K -r -w100 --atomic -d1 {}", "atomic writes bypass the page cache: add -Su"),
        ("-b12K -r -w100 -Su --atomic -d1 {}", "the block size (-b) is 12288 bytes"),
        ("-b16K -r4K -w100 -Su --atomic -d1 {}", "the stride or alignment (-s, -r) of 4096"),
        ("-b16K -r -B4K -w100 -Su --atomic -d1 {}", "the base offset (-B) of 4096"),
    ] {
        feature_lines(&diskspd(line, &file), 1, part);
    }
    let folder = directory();
    feature_lines(
        &diskspd("-c1M -b16K -w100 -Su --atomic -d1 {}", &folder.path().join("b.dat")),
        1,
        "guarantees none here (statx)",
    );
}

#[test]
fn uncached_buffered_io_is_checked_afterwards() {
    let (folder, file) = directory_with("a.dat");
    let record = folder.path().join("r.json");
    for engine in ["uring", "aio", "sync"] {
        let line =
            format!("--engine {engine} -c8M -b64K -r -W0 -d1 -v --dontcache --out {}", record.display());
        let ended = diskspd(&format!("{line} {{}}"), &file).succeeds();
        assert!(ended.stdout.contains("(RWF_DONTCACHE)"), "{}", ended.stdout);
        let names = finding_names(&record);
        assert!(names.iter().any(|name| name == "dontcache"), "{engine}: {names:?}");
    }
    let shared = tempfile::tempdir_in("/dev/shm").unwrap();
    let ended = diskspd("-c1M -b64K -W0 -d1 --dontcache {}", &shared.path().join("b.dat"));
    feature_lines(&ended, 1, "no RWF_DONTCACHE for file system tmpfs");
}

#[test]
fn write_hint_is_in_record_and_report() {
    let folder = directory();
    let (file, record) = (folder.path().join("a.dat"), folder.path().join("a.json"));
    let line = format!("-c1M -b4K -w100 -Su -W0 -d1 --write-hint short --out {} {{}}", record.display());
    let ended = diskspd(&line, &file).succeeds();
    assert!(ended.stdout.contains("lifetime hint of writes: short"), "{}", ended.stdout);
    let kept: Value = read_json(&record);
    assert_eq!(kept["profile"]["time_spans"][0]["targets"][0]["write_hint"], "short");
}

#[test]
fn incompatible_options_are_refused_before_start() {
    let (_folder, file) = directory_with("a.dat");
    for (line, part) in [
        ("-c1M --atomic -Su {}", "--atomic (linux:Atomic): no data is written"),
        ("-c1M --write-hint long {}", "--write-hint (linux:WriteHint): no data is written"),
        ("-c1M -w10 --atomic -Sm {}", "--atomic (linux:Atomic) and -Sm"),
        ("-c1M -w10 --atomic --dontcache {}", "--atomic (linux:Atomic) and --dontcache"),
        ("-c1M --dontcache -Su {}", "goes through the page cache, which -Su"),
        ("-c1M --dontcache -Sm {}", "--dontcache (linux:DontCache) and -Sm"),
        ("-c1M -w10 -Su --atomic --engine null {}", "--atomic and --engine null"),
        ("-c1M -w10 --dontcache --engine sim {}", "--dontcache and --engine sim"),
        ("-c1M -w10 -Su --atomic --verify --bs-split 4K/1:8K/1 {}", "needs one block size"),
    ] {
        feature_lines(&diskspd(line, &file), 3, part);
        assert!(!file.exists(), "{line}");
    }
}

#[test]
fn doctor_lists_target_features() {
    let (_folder, file) = directory_with("a.dat");
    std::fs::write(&file, [1; 4096]).unwrap();
    let ended: Ended = command_of(&["doctor", "--json", file.to_str().unwrap()]).output().unwrap().into();
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    let rows = answer["ways"].as_array().unwrap();
    let of = |option: &str| rows.iter().find(|row| row["option"] == option).unwrap();
    assert_eq!(of("--atomic")["since"], "6.11");
    assert_eq!(of("--dontcache")["works"], true, "{rows:?}");
    assert!(rows.iter().all(|row| row["detail"] != "" && row["good_for"] != ""), "{rows:?}");
}
