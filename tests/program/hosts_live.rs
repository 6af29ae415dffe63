//! Live view, stream, plans and explanations of a job, with real launchers.

#![allow(clippy::unwrap_used)]

use super::hosts_lab::{LAUNCHERS, job, json, ranks, words};
use crate::common::{Ended, directory, skip};
use serde_json::Value;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn stream_of_job_has_hosts_and_their_sum() {
    let folder = directory();
    for launcher in LAUNCHERS {
        let line = "--stream s.json --engine null -b4K -r -g200i -c1M -d2 -W0 -L %r.dat";
        let Some(ended) = ranks(launcher, 2, line, folder.path()) else { return };
        assert_eq!(ended.code, 0, "{launcher}: {}", ended.stderr);
        let text = fs::read_to_string(folder.path().join("s.json")).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let ios = |line: &Value| line["total"]["ios"].as_u64();
        assert!(lines.len() >= 6 && lines.len().is_multiple_of(3), "{launcher}: {text}");
        for block in lines.chunks(3) {
            let [first, second, sum] = block else { panic!("{text}") };
            assert_eq!((sum["hosts"].as_u64(), sum.get("rank")), (Some(2), None), "{text}");
            let missing = block.iter().filter(|line| ios(line).is_none()).count() as u64;
            assert_eq!(sum["missing"].as_u64(), Some(missing), "{text}");
            assert_eq!(ios(sum).unwrap(), ios(first).unwrap_or(0) + ios(second).unwrap_or(0), "{text}");
            let mut found: Vec<u64> = [first, second].map(|line| line["rank"].as_u64().unwrap()).to_vec();
            found.sort_unstable();
            assert_eq!(found, [0, 1], "{text}");
        }
    }
}

#[test]
fn dry_run_of_job_groups_equal_plans() {
    let folder = directory();
    for (rank, size) in [(0, 1 << 20), (1, 1 << 20), (2, 2 << 20)] {
        fs::write(folder.path().join(format!("{rank}.dat")), vec![0; size]).unwrap();
    }
    for launcher in LAUNCHERS {
        let Some(ended) = ranks(launcher, 3, "--dry-run -b4K -w100 %r.dat", folder.path()) else { return };
        assert_eq!(ended.code, 0, "{launcher}: {}", ended.stderr);
        assert_eq!(ended.stdout.matches("Plan for timespan 1:").count(), 2, "{}", ended.stdout);
        assert!(ended.stdout.contains("ranks 0-1: equal plans"), "{}", ended.stdout);
        assert!(ended.stdout.contains("rank 2 ("), "{}", ended.stdout);
        let Some(refused) = ranks(launcher, 2, "--dry-run -b4K none%r.dat", folder.path()) else { return };
        assert_ne!(refused.code, 0);
        for rank in ["rank 0 (", "rank 1 ("] {
            assert!(refused.stderr.contains(rank), "{launcher}: {}", refused.stderr);
        }
    }
    assert_eq!(fs::read(folder.path().join("0.dat")).unwrap(), vec![0; 1 << 20], "nothing is written");
}

#[test]
fn explained_job_keeps_slowest_of_each_rank() {
    let folder = directory();
    let line = "--explain=3 --out e.json -b4K -r -o2 -c4M -d1 -W0 -Su %r.dat";
    let Some(ended) = ranks(LAUNCHERS[1], 2, line, folder.path()) else { return };
    if ended.stderr.contains("--explain:") {
        skip("--explain needs tracefs and the right to use it");
        return;
    }
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(ended.stdout.matches("Slowest I/Os of timespan 1 on ").count(), 2, "{}", ended.stdout);
    let record = json(&folder.path().join("e.json"));
    for host in record["hosts"].as_array().unwrap() {
        assert_eq!(host["summary"]["slow"][0]["requested"], 3, "{host}");
    }
}

/// A stopped rank sends no messages, and MPI reports no error.
#[test]
fn silent_rank_is_reported_and_ends_the_run() {
    let folder = directory();
    let Some(mut command) = job(LAUNCHERS[0], 2, folder.path()) else { return };
    command.args(["sh", "-c", "echo $$ > pid$OMPI_COMM_WORLD_RANK; exec \"$0\" \"$@\""]);
    command.arg(env!("CARGO_BIN_EXE_diskspd")).env("TMPDIR", folder.path());
    let line = "--stream s.json --out r.json --engine null -b4K -g50i -c1M -d300 -W0 %r.dat";
    let running = command.args(words(line)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    let streamed = || fs::metadata(folder.path().join("s.json")).is_ok_and(|file| file.len() > 0);
    while !streamed() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    let rank = fs::read_to_string(folder.path().join("pid1")).unwrap();
    assert!(Command::new("kill").args(["-STOP", rank.trim()]).status().unwrap().success());
    let ended: Ended = running.wait_with_output().unwrap().into();
    let _ = Command::new("kill").args(["-KILL", rank.trim()]).status();
    for said in ["has been silent for", "the figures cover only 1 of 2 hosts"] {
        assert!(ended.stderr.contains(said), "{said}: {}", ended.stderr);
    }
    let record = json(&folder.path().join("r.json"));
    assert_eq!(record["merged"]["host"]["results"]["time_spans"][0]["ended"]["cause"], "lost_rank");
    assert!(record["hosts"][1]["missing"].is_string());
    let stream = fs::read_to_string(folder.path().join("s.json")).unwrap();
    assert!(stream.contains("\"hosts\":2,\"missing\":1"), "{stream}");
}
