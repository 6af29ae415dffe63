//! What a run does when it is killed, or when the system runs out of something: one message, the right exit code, and
//! nothing left that looks like what it isn't.

#![allow(clippy::unwrap_used)]

mod common;

use common::loops::Loop;
use common::{Ended, directory, diskspd};
use diskspd::sys::extents;
use std::fs::{self, File};
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

const MIB: u64 = 1 << 20;

/// Whether every byte is what a prepared file holds there.
fn is_prepared(path: &Path, size: u64) -> bool {
    let expected: Vec<u8> = (0..MIB).map(|offset| offset as u8).collect();
    let mut file = File::open(path).unwrap();
    let mut block = vec![0; MIB as usize];
    (0..size / MIB).all(|_| file.read_exact(&mut block).is_ok() && block == expected)
        && file.read(&mut block).unwrap() == 0
}

#[test]
fn a_file_whose_preparation_was_killed_is_not_taken_for_a_prepared_one() {
    let directory = directory();
    let file = directory.path().join("test.dat");
    let size = 512 * MIB;
    for attempt in 0..10 {
        // An older file of the same size, prepared in full, is no help either when it is written anew.
        let again = if attempt == 0 || !file.exists() { "" } else { "--recreate" };
        let mut run = common::start(&format!("-c512M {again} -b4K -W0 -d1 {{}}"), &file);
        while fs::metadata(&file).map_or(0, |found| found.len()) < size && run.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        run.kill().unwrap(); // SIGKILL
        run.wait().unwrap();
        match extents::all_written(File::open(&file).unwrap().as_fd(), size) {
            // Too late: everything was written already.
            Ok(true) => {
                fs::remove_file(&file).unwrap();
                continue;
            }
            Ok(false) => {}
            Err(error) => return common::skip(&format!("/var/tmp can't tell what was written: {error}")),
        }
        let next = diskspd("-c512M -v -b4K -W0 -d1 {}", &file);
        next.report();
        let said = format!("{}{}", next.stdout, next.stderr);
        assert!(said.contains("written anew") && !said.contains("kept"), "{said}");
        assert!(is_prepared(&file, size));
        return;
    }
    common::skip("the file was always complete before the run could be killed");
}

#[test]
fn an_interruption_while_a_file_is_written_says_what_became_of_it() {
    let directory = directory();
    let file = directory.path().join("test.dat");
    let size = 1024 * MIB;
    for existing in [true, false] {
        let interrupted = (0..10).find_map(|_| {
            let _ = fs::remove_file(&file);
            if existing {
                fs::write(&file, vec![7; MIB as usize]).unwrap();
            }
            let mut run = common::start("-c1G -b4K -W0 -d1 {}", &file);
            while fs::metadata(&file).map_or(0, |found| found.len()) < size
                && run.try_wait().unwrap().is_none()
            {
                std::thread::yield_now();
            }
            common::tool(&format!("kill -INT {}", run.id()));
            let ended: Ended = run.wait_with_output().unwrap().into();
            // Otherwise it came too late: everything was written already.
            ended.stderr.contains("was not prepared").then_some(ended)
        });
        let Some(ended) = interrupted else {
            return common::skip("the file was always complete before the run could be interrupted");
        };
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert!(ended.stdout.contains("The test was interrupted"), "{}", ended.stdout);
        let told =
            ended.stderr.lines().find(|line| line.contains("test.dat: the file was not prepared")).unwrap();
        if !existing {
            assert!(told.ends_with("the unfinished file was removed again"), "{told}");
            assert!(!file.exists());
            continue;
        }
        let left = fs::metadata(&file).unwrap().len();
        assert!(
            told.starts_with("WARNING: ") && told.contains("its former content is overwritten"),
            "{told}"
        );
        assert!(told.ends_with(&format!("it is unfinished: it has {left} bytes now")), "{told}");
        assert!(left < size && is_prepared(&file, left), "{left} bytes");
        match extents::all_written(File::open(&file).unwrap().as_fd(), left) {
            Ok(written) => assert!(written, "nothing is left that is only allocated"),
            Err(error) => common::skip(&format!("/var/tmp can't tell what was written: {error}")),
        }
    }
}

/// Runs the program with limits of its own: words of prlimit, and of setpriv to be another user. Nobody can't reach the
/// build directory, so the program is copied.
fn limited(limits: &[&str], nobody: bool, line: &str, target: &Path) -> Option<Ended> {
    if ["prlimit", "setpriv"].iter().any(|tool| common::tool(&format!("{tool} --version")).is_none()) {
        common::skip("prlimit or setpriv (util-linux) is missing");
        return None;
    }
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("diskspd");
    fs::copy(env!("CARGO_BIN_EXE_diskspd"), &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new("prlimit");
    command.args(limits);
    if nobody && rustix::process::geteuid().is_root() {
        command.args(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]);
    }
    Some(command.arg(&program).args(line.split_whitespace()).arg(target).output().unwrap().into())
}

/// A file that everybody may write to.
fn open_to_all(directory: &Path) -> std::path::PathBuf {
    let file = directory.join("test.dat");
    fs::write(&file, vec![1; MIB as usize]).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    fs::set_permissions(directory, fs::Permissions::from_mode(0o755)).unwrap();
    file
}

#[test]
fn too_few_file_descriptors_are_named() {
    let directory = directory();
    let file = open_to_all(directory.path());
    for line in ["-t64 -o4", "-t64 -o1", "-t64 -o4 --engine aio"] {
        let line = format!("{line} -si -b4K -W0 -d1");
        let Some(ended) = limited(&["--nofile=40"], false, &line, &file) else { return };
        ended.fails(1, &["too many open files", "ulimit -n", "(-t)", "the run failed"]);
        assert!(!ended.stderr.contains("os error"), "what is explained isn't said again: {}", ended.stderr);
        told_by_cause(&ended);
        let Some(enough) = limited(&["--nofile=400"], false, &line, &file) else { return };
        enough.report();
    }
}

/// Hundreds of threads may have failed, of which each has its own number; there is a line for each of at most three
/// causes, and the one that ends it.
fn told_by_cause(ended: &Ended) {
    let errors: Vec<&str> = ended.stderr.lines().filter(|line| line.starts_with("ERROR: ")).collect();
    assert!((2..=4).contains(&errors.len()), "{}", ended.stderr);
}

#[test]
fn threads_that_lack_the_same_are_told_once() {
    let directory = directory();
    let file = open_to_all(directory.path());
    for (limit, line, words) in [
        // How many get to lack it before the first one has ended the run is a matter of time.
        ("--nofile=12", "-t16 -o2 -b4K", ["too many open files", "raise the limit (ulimit -n)"]),
        // Memory for a thread itself may be what lacks first.
        ("--as=250000000", "-t64 -o16 -b1M -w50", ["ERROR: thread ", "; lower -"]),
    ] {
        let Some(ended) = limited(&[limit], false, &format!("{line} -W0 -d1"), &file) else { return };
        ended.fails(1, &words);
        told_by_cause(&ended);
    }
}

#[test]
fn a_low_limit_of_locked_memory_is_enough_or_named() {
    let directory = directory();
    let file = open_to_all(directory.path());
    for (limit, line) in [
        // Without queues of the kernel nothing is locked.
        ("--memlock=0", "-o1"),
        ("--memlock=0", "-o8 --engine aio"),
        ("--memlock=8388608", "-o32"),
        ("--memlock=8388608", "-o8 -Su -w50"),
    ] {
        let Some(ended) = limited(&[limit], true, &format!("{line} -b4K -W0 -d1"), &file) else { return };
        assert!(ended.report().total("Total IO").ios > 0, "{limit} {line}");
    }
    // What is slower for it is said, once, with a limit that is enough.
    let line = "-t2 -si -o16 -b64K -W0 -d1 --engine uring";
    let Some(slow) = limited(&["--memlock=1048576"], true, line, &file) else { return };
    slow.report();
    let told: Vec<&str> = slow.stderr.lines().filter(|line| line.contains("not registered")).collect();
    assert!(matches!(told[..], [line] if line.ends_with("; ulimit -l 4096 is enough")), "{}", slow.stderr);
    let Some(fast) = limited(&["--memlock=4194304"], true, line, &file) else { return };
    fast.report();
    assert!(!fast.stderr.contains("not registered"), "{}", fast.stderr);
    // Whether the queues of io_uring count as locked memory depends on the kernel.
    let Some(ended) = limited(&["--memlock=0"], true, "-t2 -o32 -b64K -r -W0 -d1", &file) else { return };
    match ended.code {
        0 => assert!(ended.report().total("Total IO").ios > 0),
        // Not even the smallest ring can be had: that is known before anything is touched. As everything that lacks it
        // fails the run, whose report says so.
        _ => {
            ended.fails(1, &["engine uring is not available", "ulimit -l", "(-o)", "the run failed"]);
            assert!(ended.stdout.contains("No results are displayed"), "{}", ended.stdout);
        }
    }
}

#[test]
fn a_device_that_fails_in_part_ends_the_run_but_with_x_what_others_did_is_kept() {
    let Some(broken) = Loop::new(8 * MIB) else { return };
    let Some(sound) = Loop::new(8 * MIB) else { return };
    // Half of the medium is gone: a read of it ends with EIO.
    File::options().write(true).open(broken.backing()).unwrap().set_len(4 * MIB).unwrap();
    let name = broken.device.to_str().unwrap();
    for engine in ["-o1", "-o4 --engine uring", "-o4 --engine aio"] {
        let line = format!("{engine} -b64K -si -Su -W0 -d60 {name} {{}}");
        let ended = diskspd(&line, &sound.device);
        ended.fails(1, &[name, "Input/output error", "the run failed"]);
        assert_eq!(ended.stderr.matches(", request ").count(), 1, "{line}: {}", ended.stderr);
    }
    // Thread 0 loses its requests one after the other, at the first block that is gone; thread 1 goes on.
    let ended = diskspd(&format!("-x -o4 -b64K -si -Su -W0 -d2 {name} {{}}"), &sound.device);
    let report = ended.report();
    assert_eq!(ended.stderr.matches("Input/output error").count(), 4, "{}", ended.stderr);
    let ios: Vec<u64> = report.rows("Total IO").iter().map(|row| row[2].parse().unwrap()).collect();
    assert!((1..=64).contains(&ios[0]) && ios[1] > 128, "{ios:?}");
}

#[test]
fn a_file_system_that_becomes_full_while_a_hole_is_written_ends_the_run() {
    let Some((_disk, directory)) = Loop::with_file_system(32 * MIB, "ext4") else { return };
    let file = directory.join("sparse.dat");
    for line in ["-o1 -Su", "-o4 -Su", "-o4 -Sb", "-o4 -Su --engine aio"] {
        // Larger than the file system, and empty.
        let _ = fs::remove_file(&file);
        File::create(&file).unwrap().set_len(64 * MIB).unwrap();
        let ended = diskspd(&format!("{line} -w100 -b64K -W0 -d60 {{}}"), &file);
        ended.fails(
            1,
            &["sparse.dat", "No space left on device", "the file system is full", "the run failed"],
        );
        // The first I/O that failed is told with its place, the others are counted.
        assert_eq!(ended.stderr.matches("thread 0, request").count(), 1, "{}", ended.stderr);
        assert_eq!(fs::metadata(&file).unwrap().len(), 64 * MIB);
    }
    // One cause, one line, however many threads meet it.
    let _ = fs::remove_file(&file);
    File::create(&file).unwrap().set_len(64 * MIB).unwrap();
    let ended = diskspd("-t8 -T8M -o1 -Su -w100 -b64K -W0 -d60 {}", &file);
    ended.fails(1, &["No space left on device", "sparse.dat", "the run failed"]);
    assert_eq!(ended.stderr.matches(", request ").count(), 1, "{}", ended.stderr);
}
