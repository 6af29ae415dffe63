//! Tests with really stalling devices, really synchronous files, and a really traced program.

#![allow(clippy::unwrap_used)]

use crate::common::loops::{Loop, run};
use crate::common::{diskspd, skip};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// All writes wait while the file system is frozen, repeatedly.
#[test]
fn repeatedly_frozen_file_system_is_stalling() {
    let Some((_disk, directory)) = Loop::with_file_system(128 << 20, "ext4") else { return };
    let (at, file) = (directory.to_str().unwrap(), directory.join("f.dat"));
    if run("fsfreeze", &["--version"]).is_none() {
        return;
    }
    let over = AtomicBool::new(false);
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1300));
                run("fsfreeze", &["--freeze", at]).unwrap();
                std::thread::sleep(Duration::from_millis(400));
                run("fsfreeze", &["--unfreeze", at]).unwrap();
            }
        });
        let line = format!("-c32M -b4K -o4 -w100 -g400i -Su -L -W1 -d14 {}", file.display());
        let ended = diskspd(&line, Path::new(""));
        over.store(true, Ordering::Relaxed);
        ended
    });
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    for words in ["% of the time in stalls of 0.", "find the cause of the stalls"] {
        assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
    }
}

/// Attribute S makes writes to a file synchronous; attribute D of a folder does not.
#[test]
fn file_attributes_are_reported_by_effect() {
    let Some((_disk, directory)) = Loop::with_file_system(64 << 20, "ext4") else { return };
    let folder = directory.join("d");
    std::fs::create_dir(&folder).unwrap();
    let files = [directory.join("s.dat"), folder.join("d.dat"), directory.join("plain.dat")];
    files.iter().for_each(|file| std::fs::write(file, vec![1; 8 << 20]).unwrap());
    let attribute = |sign: &str, path: &Path| run("chattr", &[sign, path.to_str().unwrap()]);
    if attribute("+S", &files[0]).is_none() || attribute("+D", &folder).is_none() {
        return;
    }
    for (file, synchronous) in files.iter().zip([true, false, false]) {
        let ended = diskspd(&format!("-v -b4K -w100 -W0 -d1 {}", file.display()), Path::new("")).succeeds();
        let told = ended.stderr.contains("the file has the attribute S");
        let denied = ended.stderr.contains("complete in the page cache: they are not durable yet");
        assert_eq!((told, denied), (synchronous, !synchronous), "{}: {}", file.display(), ended.stderr);
    }
}

#[test]
fn attached_idle_debugger_is_a_note() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("f.dat");
    let mut command = std::process::Command::new("gdb");
    // The program's symbols, which are large, are not read.
    command.args(["-nx", "-batch", "-readnever", "-ex", "run", "--args", env!("CARGO_BIN_EXE_diskspd")]);
    command.args(["-v", "-c1M", "-b4K", "-W0", "-d1"]).arg(&file);
    let Ok(ended) = crate::common::output(&mut command) else {
        skip("gdb is not installed");
        return;
    };
    let stderr = String::from_utf8_lossy(&ended.stderr);
    if stderr.contains("ptrace") {
        skip("nobody may trace here");
        return;
    }
    let note = stderr.lines().find(|line| line.contains("gdb (process ")).unwrap_or_default();
    assert!(note.starts_with("NOTE: ") && note.contains("was a thread stopped"), "{stderr}");
}

/// `strace` is named, with its process.
#[test]
fn active_tracer_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("f.dat");
    let program = env!("CARGO_BIN_EXE_diskspd");
    let line = ["-c1M", "-b4K", "-W0", "-d1", file.to_str().unwrap()];
    let found =
        std::process::Command::new("strace").args(["-f", "-o", "/dev/null", program]).args(line).output();
    let Ok(ended) = found else {
        skip("strace is not installed");
        return;
    };
    let stderr = String::from_utf8_lossy(&ended.stderr);
    if stderr.contains("PTRACE") || stderr.contains("ptrace") {
        skip("nobody may trace here");
        return;
    }
    assert!(stderr.contains("WARNING: strace (process "), "{stderr}");
    assert!(stderr.contains("a system call that does nothing took at least "), "{stderr}");
    let ended = diskspd(&format!("-b4K -W0 -d1 {}", file.display()), Path::new(""));
    assert!(!ended.stderr.contains("traced"), "{}", ended.stderr);
}
