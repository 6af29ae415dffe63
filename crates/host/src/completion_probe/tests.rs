use super::*;
use crate::target::probe;
use std::fs;

fn probe_path(path: &Path, direct: bool) -> Completion {
    let facts = TargetFacts { file_system: "ext4".into(), ..probe(path).expect("facts") };
    completion(path, &facts, direct)
}

#[test]
fn unreadable_facts_are_unknown() {
    let directory = tempfile::tempdir().expect("a directory");
    let short = directory.path().join("short");
    fs::write(&short, [1; 100]).expect("a file");
    assert_eq!(probe_path(&short, false), Completion::Unknown);
    assert_eq!(probe_path(directory.path(), false), Completion::Unknown);
    let missing = TargetFacts { file_system: "ext4".into(), ..TargetFacts::default() };
    assert_eq!(completion(Path::new("none"), &missing, true), Completion::Unknown);
}

#[test]
fn cached_io_completes_in_the_call() {
    for file_system in ["tmpfs", "ramfs", "hugetlbfs"] {
        for kind in [TargetKind::Missing, TargetKind::File] {
            let facts = TargetFacts { file_system: file_system.into(), kind, ..TargetFacts::default() };
            assert_eq!(completion(Path::new("none"), &facts, false), Completion::InCall);
        }
    }
}

#[test]
fn polling_needs_disk_with_poll_queues() {
    for (io_poll, expected) in [
        (Some("1\n"), Polling::Possible),
        (Some("0\n"), Polling::Without("nvme0n1".into())),
        (None, Polling::Without("nvme0n1".into())),
    ] {
        let machine = tempfile::tempdir().expect("a directory");
        let disk = machine.path().join("sys/class/block/nvme0n1");
        fs::create_dir_all(disk.join("queue")).expect("a disk");
        fs::write(disk.join("dev"), "259:0\n").expect("its number");
        if let Some(text) = io_poll {
            fs::write(disk.join("queue/io_poll"), text).expect("its setting");
        }
        let disk = Device::find_by_name(&Root::at(machine.path()), "nvme0n1").expect("a disk");
        assert_eq!(disk.polling(), expected);
    }
}
