//! Tests of I/Os with a first attempt without waiting (`--nowait`): uncached I/Os would have waited, and
//! each completes once.

#![allow(clippy::unwrap_used)]

use crate::common::loops::Loop;
use crate::common::{Ended, command_of, directory_with, diskspd};
use serde_json::Value;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

const SIZE: u64 = 8 << 20;
const PAGE: u64 = 4096;
/// Length of a section, of which the first half is in the page cache.
const STEP: u64 = 64 << 10;

fn half_cached(file: &File) {
    use rustix::fs::{Advice, fadvise};
    file.sync_all().unwrap();
    fadvise(file, 0, None, Advice::DontNeed).unwrap();
    fadvise(file, 0, None, Advice::Random).unwrap();
    for start in (0..SIZE).step_by(STEP as usize) {
        file.read_exact_at(&mut vec![0; STEP as usize / 2], start).unwrap();
    }
}

/// Creates a file of non-repeating data.
fn filled(path: &Path) -> File {
    let content: Vec<u8> =
        (0..SIZE / 8).flat_map(|word| word.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()).collect();
    std::fs::write(path, content).unwrap();
    File::open(path).unwrap()
}

/// Reads a whole target once in order; returns the reads that would have waited, and all reads.
fn misses(path: &Path, engine: &str, block: &str) -> (u64, u64) {
    let line = format!(
        "--engine {engine} --nowait -fr -Sb -b{block} -s -t1 -o1 -w0 -W0 -d60 --until-read=8M --out json:- {{}}"
    );
    let ended = diskspd(&line, path).succeeds();
    assert!(ended.stderr.contains("nowait-misses") || ended.stderr.contains("would have waited"));
    let record: Value = serde_json::from_str(&ended.stdout).unwrap();
    let read = &record["figures"]["time_spans"][0]["nowait"]["total"]["read"];
    let of_index = &record["index"]["time_spans"][0]["read"]["nowait_misses"];
    assert_eq!(&read["misses"], of_index);
    (read["misses"].as_u64().unwrap(), read["ios"].as_u64().unwrap())
}

/// Returns the numbers of misses: 4 KiB with half of the file cached, 64 KiB with all cached, and 64 KiB with
/// the first half of each cached.
fn round(path: &Path, file: &File, engine: &str) -> [u64; 3] {
    half_cached(file);
    let (of_pages, ios) = misses(path, engine, "4K");
    assert_eq!(ios, SIZE / PAGE, "{engine}");
    let (of_cached, _) = misses(path, engine, "64K");
    half_cached(file);
    // The kernel cuts such reads short where the page cache ends.
    let (of_halves, ios) = misses(path, engine, "64K");
    assert_eq!(ios, SIZE / STEP, "{engine}");
    [of_pages, of_cached, of_halves]
}

/// Checks that exactly the uncached reads miss. Slightly fewer do if readahead finishes before the
/// kernel's second check. The machine may evict pages in the meantime, so one of several rounds has to
/// agree.
fn assert_half_misses(path: &Path, file: &File) {
    for engine in ["uring", "aio", "sync"] {
        let [pages, blocks] = [SIZE / PAGE, SIZE / STEP];
        let agrees = |[of_pages, of_cached, of_halves]: &[u64; 3]| {
            (pages / 4..=pages / 2).contains(of_pages) && *of_cached == 0 && *of_halves > blocks / 2
        };
        let mut seen = Vec::new();
        while seen.len() < 6 && !seen.last().is_some_and(agrees) {
            seen.push(round(path, file, engine));
        }
        assert!(seen.last().is_some_and(agrees), "{engine} on {path:?}: {seen:?}");
    }
}

#[test]
fn uncached_file_reads_are_nowait_misses() {
    let (_folder, path) = directory_with("a.dat");
    assert_half_misses(&path, &filled(&path));
}

#[test]
fn nowait_counts_match_on_xfs_and_loop_devices() {
    let Some((_xfs, at)) = Loop::with_file_system(320 << 20, "xfs") else { return };
    let path = at.join("a.dat");
    let file = filled(&path);
    assert_half_misses(&path, &file);
    // XFS does writes through the page cache so, too.
    let page = at.join("page.html");
    let line = format!("--nowait -b4K -r -w50 -o4 -W0 -d1 --out {} {{}}", page.display());
    diskspd(&line, &path).succeeds();
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("(--nowait), "), "no table on the page");
    let Some(device) = Loop::new(SIZE) else { return };
    let file = File::options().read(true).open(&device.device).unwrap();
    assert_half_misses(&device.device, &file);
    let ended = diskspd("--nowait -Sb -b4K -r -w50 -W0 -d1 --destroy {}", &device.device);
    report_lines(&ended, "for writes through the page cache of block devices");
}

fn report_lines(ended: &Ended, part: &str) {
    assert_ne!(ended.code, 0, "{}", ended.stdout);
    assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
}

#[test]
fn reads_return_their_data_with_nowait() {
    let (_folder, path) = directory_with("a.dat");
    for engine in ["uring", "aio", "sync"] {
        let ended = diskspd(
            &format!("--engine {engine} -c8M -b64K -r -w100 -Su -o4 -W0 -d1 --nowait --verify {{}}"),
            &path,
        );
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let ended = diskspd(
            &format!("--engine {engine} -b64K -r -w30 -Su -o4 -W0 -d1 --nowait --verify {{}}"),
            &path,
        );
        assert_eq!(ended.code, 0, "{engine}: {}", ended.stderr);
        assert!(ended.stdout.contains("(--nowait) of timespan 1"), "{}", ended.stdout);
    }
}

#[test]
fn incompatible_options_are_refused_before_start() {
    let (_folder, path) = directory_with("a.dat");
    for (line, part) in [
        ("-c1M --nowait --engine sim {}", "--nowait and --engine sim exclude each other"),
        ("-c1M --nowait --engine null {}", "--nowait and --engine null exclude each other"),
        ("-c1M --nowait -Sm {}", "--nowait (linux:NoWait) and -Sm"),
    ] {
        report_lines(&diskspd(line, &path), part);
        assert!(!path.exists(), "{line}");
    }
    let shared = tempfile::tempdir_in("/dev/shm").unwrap();
    let ended = diskspd("-c1M -b64K -W0 -d1 --nowait {}", &shared.path().join("b.dat"));
    report_lines(&ended, "no RWF_NOWAIT for file system tmpfs");
}

#[test]
fn ext4_refuses_writes_through_the_page_cache_alone() {
    let Some((_ext4, at)) = Loop::with_file_system(64 << 20, "ext4") else { return };
    let path = at.join("a.dat");
    let ended = diskspd("-c1M -b4K -r -w50 -W0 -d1 --nowait {}", &path);
    report_lines(&ended, "no RWF_NOWAIT for writes through the page cache of file system ext4");
    let ended = diskspd("-c1M -b4K -r -w50 -Su -W0 -d1 --nowait --xml-verdict -Rxml {}", &path).succeeds();
    assert!(
        ended.stdout.contains("<NoWait>") && ended.stdout.contains("<WriteMissCount>"),
        "{}",
        ended.stdout
    );
    let ended: Ended = command_of(&["doctor", "--json", path.to_str().unwrap()]).output().unwrap().into();
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    let row = answer["ways"].as_array().unwrap().iter().find(|row| row["option"] == "--nowait").unwrap();
    assert_eq!((&row["works"], &row["since"]), (&Value::Bool(true), &Value::from("4.14")));
}
