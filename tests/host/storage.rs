//! Tests of the recorded storage of targets: file system, mount options, device and its settings.

#![allow(clippy::unwrap_used)]

use crate::machines::machine;
use diskspd::host::storage::on_file_system;
use diskspd::machine::storage::Storage;
use std::path::Path;

fn lies_on(place: &str, number: (u32, u32)) -> Storage {
    let (_directory, root) = machine("storage");
    on_file_system(&root, &"target".into(), Path::new(place), number)
}

#[test]
fn file_is_on_its_deepest_mount() {
    for (place, number, mounted_at, kind, device) in [
        ("/var/test.dat", (8, 1), "/", "ext4", "/dev/sda1"),
        ("/home/me/test.dat", (253, 0), "/home", "xfs", "/dev/dm-0"),
        ("/homes/test.dat", (8, 1), "/", "ext4", "/dev/sda1"),
        ("/srv/my data/test.dat", (259, 10), "/srv/my data", "ext4", "/dev/md0p1"),
    ] {
        let found = lies_on(place, number);
        let file_system = found.file_system.unwrap();
        assert_eq!(
            (file_system.mounted_at.as_str(), file_system.kind.as_str()),
            (mounted_at, kind),
            "{place}"
        );
        assert!(file_system.options.starts_with("rw"), "{place}: {}", file_system.options);
        assert_eq!(found.device.unwrap().name, device, "{place}");
    }
}

#[test]
fn a_partition_has_the_settings_of_its_disk() {
    let device = lies_on("/test.dat", (8, 1)).device.unwrap();
    assert_eq!(device.disk.as_deref(), Some("/dev/sda"));
    assert_eq!(device.size, Some(100 * 512));
    assert_eq!(device.queue["logical_block_size"], "4096");
    assert_eq!(device.model.as_deref(), Some("SPINNER 4000"));
    assert_eq!(device.queue["scheduler"], "none [mq-deadline] bfq");
}

#[test]
fn unknown_facts_are_missing() {
    let found = lies_on("/test.dat", (0, 99));
    assert_eq!(found.device.unwrap().name, "/dev/sda1", "the mount's own device stands in");
    let empty = tempfile::tempdir().unwrap();
    let nowhere = diskspd::host::root::Root::at(empty.path());
    let found = on_file_system(&nowhere, &"target".into(), Path::new("/x"), (8, 1));
    assert_eq!((found.file_system, found.device), (None, None));
}
