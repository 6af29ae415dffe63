//! Tests of reads that do not reach the medium: staged on real kernel objects, and honest files.

#![allow(clippy::unwrap_used)]

use crate::common::loops::{Loop, run};
use crate::common::{Ended, Zram, diskspd, schema};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};

const MIB: u64 = 1 << 20;

/// Options of a short run with unbuffered reads.
const READS: &str = "-b4K -r -o4 -Su BRIEF";

fn reads(options: &str, target: &Path) -> Ended {
    diskspd(&format!("{READS} {options} {{}}"), target)
}

fn content_messages(ended: &Ended) -> (Vec<&str>, Vec<&str>) {
    const WORDS: [&str; 4] = [" holes", "extents", "zeros", "compresses"];
    const LABELS: [&str; 3] = ["NOTE: ", "WARNING: ", "WRONG: "];
    let labelled = |line: &str| LABELS.iter().any(|label| line.starts_with(label));
    let about = |line: &&str| labelled(line) && WORDS.iter().any(|word| line.contains(word));
    let lines: Vec<&str> = ended.stderr.lines().filter(about).collect();
    // The warning before names the remedy in the same line.
    lines.into_iter().partition(|line| line.contains("; "))
}

#[track_caller]
fn is_reported(target: &Path, severity: &str, words: &str) {
    let ended = reads("", target);
    ended.report();
    let (before, after) = content_messages(&ended);
    assert!(before.len() == 1 && before[0].starts_with("WARNING: "), "{}", ended.stderr);
    assert!(before[0].contains(words), "{words:?} is not in {}", ended.stderr);
    assert!(after.len() == 1 && after[0].starts_with(severity), "{}", ended.stderr);
    assert!(after[0].contains(words), "{words:?} is not in {}", ended.stderr);
    let strict = reads("--strict", target);
    if severity == "WRONG" {
        assert_eq!(strict.code, 2, "{}", strict.stderr);
    }
}

#[track_caller]
fn is_honest(ended: &Ended) {
    ended.report();
    assert_eq!(content_messages(ended), (vec![], vec![]), "{}", ended.stderr);
}

fn random(bytes: u64) -> Vec<u8> {
    let mut data = vec![0; bytes as usize];
    File::open("/dev/urandom").unwrap().read_exact(&mut data).unwrap();
    data
}

fn content(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap()
}

/// Creates a sparse file with random data in some parts.
fn sparse(path: PathBuf, size: u64, written: &[(u64, u64)]) -> PathBuf {
    let file = File::create(&path).unwrap();
    file.set_len(size).unwrap();
    for (from, length) in written {
        file.write_all_at(&random(*length), *from).unwrap();
    }
    file.sync_all().unwrap();
    path
}

fn allocated(path: PathBuf, size: u64) -> Option<PathBuf> {
    run("fallocate", &["-l", &size.to_string(), path.to_str().unwrap()])?;
    Some(path)
}

#[test]
fn unwritten_files_are_reported_before_and_after_the_run() {
    let directory = crate::common::directory();
    let at = |name: &str| directory.path().join(name);
    let Some(unwritten) = allocated(at("unwritten"), 16 * MIB) else { return };
    is_reported(
        &unwritten,
        "WRONG",
        "is 100 % unwritten extents: reads of those parts never reach the device",
    );
    is_reported(&sparse(at("sparse"), 16 * MIB, &[]), "WRONG", "is 100 % holes");
    is_reported(&sparse(at("half"), 16 * MIB, &[(0, 8 * MIB)]), "WRONG", "is 50 % holes");
    is_reported(&sparse(at("quarter"), 16 * MIB, &[(4 * MIB, 12 * MIB)]), "WARNING", "is 25 % holes");
    // Only the part that is read counts.
    is_honest(&reads("-B8M", &sparse(at("end"), 16 * MIB, &[(8 * MIB, 8 * MIB)])));
    // What is only written needs nothing to read.
    is_honest(&reads("-w100", &at("sparse")));
}

#[test]
fn honest_files_have_no_findings() {
    let directory = crate::common::directory();
    let filled = sparse(directory.path().join("random"), 16 * MIB, &[(0, 16 * MIB)]);
    is_honest(&reads("", &filled));
    let own = directory.path().join("own");
    is_honest(&reads("-c16M", &own));
    let zeros = directory.path().join("zeros");
    is_honest(&reads("-c16M -Z", &zeros));
    // Written into allocated space, and still in memory.
    let Some(fresh) = allocated(directory.path().join("fresh"), 4 * MIB) else { return };
    File::options().write(true).open(&fresh).unwrap().write_all_at(&random(4 * MIB), 0).unwrap();
    is_honest(&reads("", &fresh));
    is_honest(&diskspd("-c1M -r BRIEF --engine null {}", &directory.path().join("null")));
}

#[test]
fn record_contains_content_facts_and_finding() {
    let directory = crate::common::directory();
    let half = sparse(directory.path().join("half"), 16 * MIB, &[(0, 8 * MIB)]);
    let json = directory.path().join("a.json");
    reads(&format!("--out {}", json.display()), &half).report();
    let record = schema::record(&fs::read(&json).unwrap());
    let facts = &record["hosts"][0]["results"]["time_spans"][0]["observed"]["content"][0];
    assert_eq!(facts["space"]["holes"], 8 * MIB);
    assert_eq!(facts["space"]["examined"], 16 * MIB);
    assert_eq!(facts["sample"]["zeros"], 0);
    assert!(facts["sample"]["blocks"].as_u64().unwrap() > 0);
    let findings = record["judgement"]["findings"].as_array().unwrap();
    assert!(findings.iter().any(|finding| finding["name"] == "content-unwritten"), "{findings:?}");
}

#[test]
fn compressible_content_is_reported() {
    let Some((_device, plain)) = Loop::with_file_system(256 * MIB, "btrfs") else { return };
    let random = sparse(plain.join("random"), 16 * MIB, &[(0, 16 * MIB)]);
    is_honest(&reads("", &random));
    is_honest(&reads("-c16M", &plain.join("uncompressed")));
    let Some(_) = run("mount", &["-o", "remount,compress=zstd", plain.to_str().unwrap()]) else { return };
    fs::write(plain.join("zeros"), vec![0; 16 * MIB as usize]).unwrap();
    File::open(plain.join("zeros")).unwrap().sync_all().unwrap();
    is_reported(&plain.join("zeros"), "WRONG", "compresses to about 0 %, and btrfs (compress=zstd");
    let pattern: Vec<u8> = (0..16 * MIB).map(|at| at as u8).collect();
    fs::write(plain.join("pattern"), pattern).unwrap();
    File::open(plain.join("pattern")).unwrap().sync_all().unwrap();
    is_reported(&plain.join("pattern"), "WRONG", "compresses to about");
    let again = sparse(plain.join("again"), 16 * MIB, &[(0, 16 * MIB)]);
    is_honest(&reads("", &again));
}

#[test]
fn unwritten_devices_are_reported() {
    let Some(zram) = Zram::new(64) else { return };
    is_reported(&zram.0, "WRONG", "holds only zeros, which zram");
    File::options().write(true).open(&zram.0).unwrap().write_all_at(&random(64 * MIB), 0).unwrap();
    is_honest(&reads("", &zram.0));
    let compressible: Vec<u8> = (0..64 * MIB).map(|at| at as u8).collect();
    File::options().write(true).open(&zram.0).unwrap().write_all_at(&compressible, 0).unwrap();
    is_reported(&zram.0, "WRONG", "compresses: the device reads less than the run counts");
}

#[test]
fn loop_device_on_sparse_file_is_reported() {
    let Some(device) = Loop::new(16 * MIB) else { return };
    is_reported(&device.device, "WRONG", "is a loop device on a file that is 100 % holes");
    let Some(full) = Loop::with(16 * MIB, &[], |file| file.write_all_at(&random(16 * MIB), 0).unwrap())
    else {
        return;
    };
    is_honest(&reads("", &full.device));
}

#[test]
fn prefill_writes_unwritten_parts_only() {
    let directory = crate::common::directory();
    let at = |name: &str| directory.path().join(name);
    // A part that ends within a block, and one behind that begins there.
    let half = sparse(at("half"), 16 * MIB + 100, &[(3 * MIB, 5 * MIB)]);
    let before = content(&half);
    let ended = reads("--prefill", &half);
    is_honest(&ended);
    assert!(ended.stderr.contains("--prefill writes 11"), "{}", ended.stderr);
    let after = content(&half);
    let kept = 3 * MIB as usize..8 * MIB as usize;
    assert_eq!(after.len(), before.len());
    assert_eq!(after[kept.clone()], before[kept.clone()], "what was there stays");
    assert!(after[..kept.start].iter().chain(&after[kept.end..]).all(|byte| *byte != 0), "no zeros");
    is_honest(&reads("--prefill", &half));
    assert_eq!(content(&half), after, "there is nothing more to do");

    let Some(unwritten) = allocated(at("unwritten"), 4 * MIB) else { return };
    is_honest(&reads("--prefill=pattern", &unwritten));
    assert!(content(&unwritten).iter().enumerate().all(|(offset, byte)| *byte == offset as u8));
    let zeros = sparse(at("zeros"), 4 * MIB, &[]);
    is_honest(&reads("--prefill=zero", &zeros));
    assert!(fs::metadata(&zeros).unwrap().len() == 4 * MIB && content(&zeros).iter().all(|byte| *byte == 0));
}

#[test]
fn prefill_refuses_protected_files() {
    let directory = crate::common::directory();
    let sealed = sparse(directory.path().join("sealed"), MIB, &[]);
    fs::set_permissions(&sealed, fs::Permissions::from_mode(0o444)).unwrap();
    reads("--prefill", &sealed).fails(1, &["is read-only", "--prefill"]);
    reads("--prefill=ones", &sealed).fails(3, &["unknown content", "auto, random, pattern or zero"]);
    assert!(content(&sealed).iter().all(|byte| *byte == 0));

    let Some(zram) = Zram::new(16) else { return };
    reads("--prefill", &zram.0).fails(1, &["is a block device", "pass --destroy to allow it"]);
    is_honest(&reads("--prefill --destroy", &zram.0));
    let filled = content(&zram.0);
    assert!(filled.iter().all(|byte| *byte != 0));
    is_honest(&reads("--prefill --destroy", &zram.0));
    assert_eq!(content(&zram.0), filled, "auto writes only what is empty");
}

#[test]
fn prefill_without_space_is_reported() {
    let Some((_device, at)) = Loop::with_file_system(64 * MIB, "ext4") else { return };
    let huge = sparse(at.join("huge"), 256 * MIB, &[]);
    reads("--prefill", &huge).fails(1, &["the file system is full", "256", "free some space"]);
}
