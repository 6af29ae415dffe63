//! Tests of single lookups of a target: the checked, opened and judged object is the same, and the machine
//! is not queried repeatedly. Checked by the system calls.

#![allow(clippy::unwrap_used)]

use crate::common::loops::Loop;
use crate::common::{Ended, directory, directory_with, expanded, output, skip};
use std::path::Path;
use std::process::Command;

fn calls(line: &str, target: &Path) -> Option<Vec<String>> {
    let (_folder, trace) = directory_with("trace");
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-e", "trace=%file", "-o"]).arg(&trace).arg(env!("CARGO_BIN_EXE_diskspd"));
    let line = expanded(line).replace("{}", target.to_str().unwrap());
    let ended: Ended = output(command.args(line.split_whitespace())).ok()?.into();
    if ended.stderr.contains("ptrace") {
        return None;
    }
    assert_eq!(ended.code, 0, "{line}: {}", ended.stderr);
    // What another thread interrupted goes on in a second line, without the path.
    Some(std::fs::read_to_string(&trace).unwrap().lines().map(str::to_owned).collect())
}

fn naming<'a>(calls: &'a [String], path: &str) -> Vec<&'a str> {
    let quoted = format!("\"{path}\"");
    let named =
        |call: &&str| call.contains(&quoted) && !call.contains("execve(") && !call.contains("<unfinished");
    calls.iter().map(String::as_str).filter(named).collect()
}

fn check(target: &Path) {
    for line in ["-b4K -r -o2 -Su BRIEF {}", "-b4K -o4 -t3 -w50 BRIEF {}"] {
        let Some(calls) = calls(line, target) else { return skip("strace cannot trace here") };
        let named = naming(&calls, target.to_str().unwrap());
        let opened: Vec<_> = named.iter().filter(|call| call.contains("open")).collect();
        assert!(matches!(opened[..], [only] if only.contains("O_PATH")), "{line}: {named:#?}");
        // What the record says of its storage, what the user calls it, and whether a link of a stranger is on the way.
        assert!(named.len() <= 8, "{line}: {named:#?}");
        // For the record's storage, the layers below the target, mount options that change, and a check that it is
        // readable; the rest is for control groups.
        let mounts = naming(&calls, "/proc/self/mountinfo");
        assert!(mounts.len() <= 8, "{line}: {mounts:#?}");
        let disk = |call: &String| {
            Some(call.split_once("readlink(\"/sys/dev/block/")?.1.split_once('"')?.0.to_owned())
        };
        let mut disks: Vec<String> = calls.iter().filter_map(disk).collect();
        disks.sort();
        let most = disks.chunk_by(|a, b| a == b).map(<[String]>::len).max();
        // A claim looks for itself, at the moment at which it is made; and behind the measured time it is looked
        // whether the devices are still the same.
        assert!(most <= Some(6), "{line}: {disks:?}");
    }
}

#[test]
fn a_file_is_opened_by_its_name_once() {
    let (_folder, file) = directory_with("a.dat");
    std::fs::write(&file, vec![1; 1 << 20]).unwrap();
    check(&file);
}

#[test]
fn a_device_is_opened_by_its_name_once() {
    let Some(disk) = Loop::new(8 << 20) else { return };
    let folder = directory();
    // By a name of its own: as a layer of storage, a loop device is asked by its node what is behind it.
    let name = folder.path().join("disk");
    std::os::unix::fs::symlink(&disk.device, &name).unwrap();
    check(&name);
}
