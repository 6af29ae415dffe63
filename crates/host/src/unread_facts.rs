//! Finds facts about the machine that cannot be read, as in containers without parts of /proc and /sys.

use super::root::Root;
use diskspd_machine::unread_facts::UnreadFacts;
use diskspd_sys::failed_call::FailedCall;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

const PROCESSORS: &str = "/sys/devices/system/cpu";

/// Files and folders of every Linux system, with their facts.
const SOURCES: [(&str, &str); 8] = [
    ("/proc/stat", "CPU times and the time of the boot"),
    ("/proc/meminfo", "memory"),
    ("/proc/self/mountinfo", "mounts, and the devices of file systems"),
    ("/proc/swaps", "swap space"),
    ("/proc/loadavg", "the load by other programs"),
    ("/proc/sys/kernel/osrelease", "the names of kernel and computer"),
    (PROCESSORS, "cores, sockets, caches and frequencies of the processors"),
    ("/sys/class/block", "disks, their queues and their users"),
];

pub fn unread_facts(root: &Root) -> Vec<UnreadFacts> {
    let unread = |(path, facts): &(&str, &str)| {
        let failed = match is_filled(root, path) {
            Ok(true) => return None,
            Ok(false) => FailedCall::absent(path),
            Err(error) => FailedCall::reading(path, &error),
        };
        Some(UnreadFacts {
            path: (*path).to_owned(),
            facts: (*facts).to_owned(),
            reason: failed.to_string(),
            remedy: failed.remedy().to_owned(),
            processors: *path == PROCESSORS,
        })
    };
    // A kernel without swap has no list of swap space.
    let is_expected = |(path, _): &&(&str, &str)| *path != "/proc/swaps" || root.path(path).exists();
    SOURCES.iter().filter(is_expected).filter_map(unread).collect()
}

/// Whether a file or folder is not empty.
fn is_filled(root: &Root, path: &str) -> io::Result<bool> {
    let path: &Path = &root.path(path);
    let mut file = File::open(path)?;
    match file.metadata()?.is_dir() {
        true => Ok(fs::read_dir(path)?.next().is_some()),
        false => Ok(file.read(&mut [0])? > 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_files_and_folders_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path.trim_start_matches('/'));
        for (path, _) in SOURCES {
            fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            match path.starts_with("/sys") {
                true => fs::create_dir_all(at(path).join("one")).unwrap(),
                false => fs::write(at(path), "1\n").unwrap(),
            }
        }
        let root = Root::at(folder.path());
        let unread = || unread_facts(&root).into_iter().map(|unread| unread.path).collect::<Vec<_>>();
        assert!(unread().is_empty());
        fs::remove_file(at("/proc/swaps")).unwrap();
        assert!(unread().is_empty(), "a kernel without swap");
        fs::write(at("/proc/meminfo"), "").unwrap();
        fs::remove_dir(at("/sys/class/block/one")).unwrap();
        fs::remove_file(at("/proc/stat")).unwrap();
        assert_eq!(unread(), ["/proc/stat", "/proc/meminfo", "/sys/class/block"]);
    }
}
