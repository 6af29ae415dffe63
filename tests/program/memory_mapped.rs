//! Memory-mapped I/O (`-Sm`, `-Smw`, `-N`) as a user runs it. Expected values are read off the file.

#![allow(clippy::unwrap_used)]

use crate::common::loops::Loop;
use crate::common::{directory, directory_with, diskspd, side_by_side, skip, start, wait_until};
use std::fs::{self, OpenOptions};
use std::path::Path;

const KIB: usize = 1 << 10;

/// Returns a directory on the usual file system, and one in memory if available.
fn directories() -> Vec<tempfile::TempDir> {
    let memory = tempfile::Builder::new().prefix("diskspd-test-").tempdir_in("/dev/shm");
    if let Err(why) = &memory {
        skip(&format!("no directory in /dev/shm: {why}"));
    }
    std::iter::once(directory()).chain(memory.ok()).collect()
}

#[test]
fn mapped_writes_touch_every_block_of_the_area_only() {
    for directory in directories() {
        let all = ["-Sm", "-Smw", "-Sm -Nv", "-Smw -Nv", "-Sm -fr -fs"];
        side_by_side(all.into_iter().enumerate(), |(number, options)| {
            let file = directory.path().join(format!("{number}.dat"));
            fs::write(&file, vec![0xee; 96 * KIB]).unwrap();
            let ended = diskspd(&format!("{options} -b4K -B16K:64K -w100 -o4 BRIEF {{}}"), &file);
            let total = ended.report().total("Total IO");
            assert!(total.ios >= 16 && total.bytes == total.ios * 4096, "{options}: {}", ended.stdout);
            let content = fs::read(&file).unwrap();
            let (before, rest) = content.split_at(16 * KIB);
            let (written, behind) = rest.split_at(64 * KIB);
            assert!(before.iter().chain(behind).all(|&b| b == 0xee), "{options}");
            assert!(written.iter().enumerate().all(|(i, &b)| b == i as u8), "{options}");
        });
    }
}

#[test]
fn mapped_threads_give_a_complete_report() {
    for directory in directories() {
        let file = directory.path().join("test.dat");
        let ended = diskspd("-c4M -b4K -r -w30 -Sm -t2 -o8 -L -D BRIEF {}", &file);
        let report = ended.report();
        let (total, read, write) =
            (report.total("Total IO"), report.total("Read IO"), report.total("Write IO"));
        assert_eq!((total.ios, total.bytes), (read.ios + write.ios, total.ios * 4096));
        assert!(ended.stdout.contains("\n\t\tmemory mapped I/O enabled\n"), "{}", ended.stdout);
        assert!(fs::read(&file).unwrap().iter().enumerate().all(|(i, &b)| b == i as u8));
    }
}

#[test]
fn plan_states_the_mapping() {
    let (_directory, file) = directory_with("test.dat");
    for (options, expected) in [
        ("-Sm -o4", "mmap"),
        ("-Sm -o4", "mapped '"),
        ("-Smw", "mapped non-temporal '"),
        ("-Sm -Nv", "mapped msync '"),
        ("-Smw -Nn", "mapped non-temporal '"),
        ("-Sm -Ni", "mapped cache write-back without drain '"),
    ] {
        let ended = diskspd(&format!("{options} -c1M --dry-run {{}}"), &file);
        ended.report();
        assert!(ended.stdout.contains(expected), "{options}: {}", ended.stdout);
    }
}

#[test]
fn unmappable_or_unflushable_targets_are_refused() {
    let (_directory, file) = directory_with("test.dat");
    fs::write(&file, vec![1; 64 * KIB]).unwrap();
    for flush in ["-Nn", "-Ni"] {
        diskspd(&format!("-Sm {flush} BRIEF {{}}"), &file).fails(1, &["test.dat", "dax", "-Nv"]);
    }
    diskspd("-Sm --engine uring BRIEF {}", &file).fails(3, &["-Sm", "uring"]);
    diskspd("--engine mmap BRIEF {}", &file).fails(3, &["mmap", "add -Sm"]);
    assert_eq!(fs::read(&file).unwrap(), vec![1; 64 * KIB]);
    if let Some(device) = Loop::new(1 << 20) {
        diskspd("-Sm BRIEF {}", &device.device).fails(1, &["block device", "-Sm"]);
    }
}

/// Waits until the process has mapped the file. False = it ended before.
fn is_mapped(process: u32, file: &Path) -> bool {
    let mut mapped = false;
    wait_until("the file is mapped", || {
        let maps = fs::read_to_string(format!("/proc/{}/maps", crate::common::worker_process(process)));
        mapped = maps.as_ref().is_ok_and(|maps| maps.contains(file.to_str().unwrap()));
        // The process of a program that has ended has no mappings.
        mapped || maps.map_or(true, |maps| maps.is_empty())
    });
    mapped
}

#[test]
fn truncated_mapped_file_ends_the_run_with_an_error() {
    for directory in directories() {
        let file = directory.path().join("test.dat");
        for options in ["-Sm", "-Smw -w100", "-Sm -w50 -t2"] {
            fs::write(&file, vec![1; 1024 * KIB]).unwrap();
            let running = start(&format!("{options} -b4K -r -o4 -W0 -d60 {{}}"), &file);
            assert!(is_mapped(running.id(), &file));
            OpenOptions::new().write(true).open(&file).unwrap().set_len(4096).unwrap();
            let ended: crate::common::Ended = running.wait_with_output().unwrap().into();
            ended.fails(1, &["test.dat", "truncated during the run", "the run failed"]);
            assert!(ended.stdout.contains("\nInput parameters:\n"));
        }
    }
}
