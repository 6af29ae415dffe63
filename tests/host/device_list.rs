//! The list of block devices, and targets named by it.

#![allow(clippy::unwrap_used)]

use crate::common::loops::Loop;
use crate::machines::machine;
use diskspd::host::devices::{self, Disk};
use diskspd::host::target::locate_at;
use std::path::Path;

fn disks() -> Vec<Disk> {
    let (_directory, root) = machine("storage");
    devices::list(&root)
}

#[test]
fn devices_are_sorted_by_kind_and_name() {
    let names: Vec<String> = disks().into_iter().map(|disk| disk.name).collect();
    let expected = [
        "cciss!c0d0",
        "nvme0n1",
        "sda",
        "sdb",
        "sdc",
        "sdd",
        "sde",
        "sdf",
        "sdg",
        "sdh",
        "sdi",
        "sdj",
        "sdk",
        "bcache0",
        "dm-0",
        "md0",
        "zd0",
        "loop0",
    ];
    // Paths of a multipath NVMe disk, partitions, and loop devices without a file are no disks.
    assert_eq!(names, expected);
}

#[test]
fn missing_or_odd_device_facts_are_unknown() {
    let disks = disks();
    let disk = |name: &str| disks.iter().find(|disk| disk.name == name).unwrap();
    let spinner = disk("sda");
    let details = &spinner.details;
    assert_eq!((spinner.size, spinner.path.as_path()), (512_000, Path::new("/dev/sda")));
    assert_eq!(details.model.as_deref(), Some("SPINNER 4000"));
    assert_eq!((details.rotational, details.queue_depth), (Some(true), Some(256)));
    assert_eq!((details.logical_block_size, details.physical_block_size), (Some(4096), Some(4096)));
    assert_eq!(details.write_cache.as_deref(), Some("write back"));
    assert_eq!(details.scheduler.as_deref(), Some("mq-deadline"));
    let partitions: Vec<_> = spinner.partitions.iter().map(|part| (part.name.as_str(), part.size)).collect();
    assert_eq!(partitions, [("sda1", 51_200), ("sda2", 0), ("sda3", 0)]);
    assert!(
        spinner
            .uses
            .iter()
            .any(|each| each.device == "/dev/sda1" && each.to_string().contains("at / (ext4)"))
    );

    let raid = &disk("sdb").details;
    assert_eq!(raid.model.as_deref(), Some("HPE LOGICAL VOLUME"));
    assert_eq!((raid.rotational, raid.queue_depth), (None, None));
    assert_eq!(raid.scheduler.as_deref(), Some("none"));
    assert_eq!(disk("nvme0n1").details.model.as_deref(), Some("FAST 1TB"));
    assert_eq!(disk("dm-0").details.mapper_name.as_deref(), Some("vg-root"));
    assert_eq!(disk("loop0").details.backing_file.as_deref(), Some("/dev/sdj"));
    assert_eq!(disk("cciss!c0d0").path, Path::new("/dev/cciss/c0d0"));
    assert!(disk("sdf").uses.is_empty());
}

#[test]
fn numbers_and_names_select_listed_devices() {
    let (_directory, root) = machine("storage");
    for (target, expected) in [
        ("#0", "/dev/cciss/c0d0"),
        ("#1", "/dev/nvme0n1"),
        ("#01", "/dev/nvme0n1"),
        ("#17", "/dev/loop0"),
        ("#sda", "/dev/sda"),
        ("#sda3", "/dev/sda3"),
        ("#vg-root", "/dev/dm-0"),
        ("#dm-0", "/dev/dm-0"),
        ("#", "#"),
        ("./#1", "./#1"),
    ] {
        assert_eq!(locate_at(&root, target.as_bytes()).unwrap(), Path::new(expected), "{target}");
    }
    for target in ["#18", "#99999999999999999999", "#nvme0c0n1", "#loop1", "#+1", "#-1", "#1x", "# 1"] {
        let message = locate_at(&root, target.as_bytes()).unwrap_err().to_string();
        assert!(message.contains(&format!("'{target}' is not a block device")), "{message}");
        assert!(message.contains("#17, /dev/loop0") && message.contains("diskspd devices"), "{message}");
    }
}

#[test]
fn machines_without_devices_list_none() {
    let (_directory, root) = machine("bare-vm");
    assert_eq!(devices::list(&root), []);
    assert!(locate_at(&root, b"#0").unwrap_err().to_string().contains("no block devices"));
}

#[test]
fn device_list_prints_the_same_table_and_json() {
    let Some(disk) = Loop::new(48 << 20) else { return };
    let name = disk.device.file_name().unwrap().to_str().unwrap();
    let table = crate::common::diskspd("devices", Path::new(""));
    let line = table.report().0.lines().find(|line| line.contains(disk.device.to_str().unwrap())).unwrap();
    assert!(line.starts_with('#') && line.contains("48MiB"), "{line}");
    assert!(line.contains(disk.backing().to_str().unwrap()), "{line}");
    let json = crate::common::diskspd("devices --json", Path::new(""));
    let list = crate::common::schema::devices(json.report().0.as_bytes());
    let list = list.as_array().unwrap();
    let found = list.iter().find(|each| each["name"] == name).unwrap();
    assert_eq!(found["size"], 48 << 20);
    assert_eq!(found["path"], disk.device.to_str().unwrap());
    assert!(found["partitions"].is_array() && found["uses"].is_array() && found["scheduler"].is_string());
    // Other tests' devices come and go between the two commands: only the counting itself can be compared.
    assert!(list.iter().enumerate().all(|(number, each)| each["number"] == number));
}

#[test]
fn device_run_reports_the_given_name() {
    let Some(disk) = Loop::new(16 << 20) else { return };
    let name = format!("#{}", disk.device.file_name().unwrap().to_str().unwrap());
    let ended = crate::common::diskspd("-b4K -r -o4 -w50 -c1M -W0 -d1 {}", Path::new(&name));
    assert!(ended.report().total("Total IO").ios > 0);
    assert!(ended.stdout.contains(&format!("\tpath: '{name}'\n")), "{}", ended.stdout);
    assert_eq!(ended.report().rows("Total IO")[0].last().unwrap(), &format!("{name} (16MiB)"));
    assert!(ended.stderr.contains("-c creates files"), "{}", ended.stderr);
    if disk.mkfs("ext4").is_some() {
        crate::common::diskspd("-w100 -W0 -d1 {}", Path::new(&name)).fails(1, &["ext4", "--destroy"]);
    }
}
