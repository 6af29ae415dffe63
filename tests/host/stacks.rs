//! Tests of storage stacks down to the lowest device, on machines described as text.

#![allow(clippy::unwrap_used)]

use crate::machines::machine;
use diskspd::host;
use diskspd::machine::memory_backed::InMemory;
use diskspd::machine::stack::{self, LayerKind, Stack};
use std::path::Path;

/// Formats a stack as `sda1 > sda`, each device with its lower devices. `*` marks a device with lower
/// devices that are not queried, `!` an uncounted device, `^` a cache.
fn layer_names(stack: &Stack) -> String {
    let layer = |layer: &stack::Layer| {
        let marks = [(layer.one_to_one, "*"), (layer.statistics, "!"), (!layer.cache, "^")];
        let marks: String = marks.iter().filter(|(fine, _)| !fine).map(|(_, mark)| *mark).collect();
        let on = if layer.lower_devices.is_empty() {
            String::new()
        } else {
            format!(" > {}", layer.lower_devices.join(" "))
        };
        format!("{}{marks}{on}", layer.name)
    };
    stack.layers.iter().map(layer).collect::<Vec<_>>().join(", ")
}

#[test]
fn device_stack_is_followed_to_leaf_devices() {
    let (_directory, root) = machine("stacks");
    for (number, name, expected) in [
        ((8, 0), "a disk", "sda"),
        ((8, 1), "a partition", "sda1 > sda, sda"),
        ((8, 16), "without statistics", "sdb!"),
        ((8, 17), "a partition of that", "sdb1! > sdb, sdb!"),
        ((9, 0), "RAID on partitions", "md0* > sdc1 sdd1, sdc1 > sdc, sdd1 > sdd, sdc, sdd"),
        ((9, 1), "RAID 0", "md1 > sde sdf, sde, sdf"),
        ((253, 1), "LUKS on LVM", "dm-1 > dm-0, dm-0 > sda2, sda2 > sda, sda"),
        ((253, 2), "multipath", "dm-2 > sde sdf, sde, sdf"),
        ((253, 3), "a mirror", "dm-3* > sde sdf, sde, sdf"),
        ((253, 44), "a volume with a snapshot", "dm-44* > dm-45, dm-45 > sde, sde"),
        ((253, 50), "LVM's cache", "dm-50*^ > dm-51 sde, dm-51 > sdf, sde, sdf"),
        ((253, 46), "LUKS with checksums", "dm-46 > dm-47, dm-47* > sde, sde"),
        ((253, 48), "a mapper whose kind nobody tells", "dm-48* > sde, sde"),
        ((259, 0), "NVMe multipath", "nvme0n1 > nvme0c0n1 nvme0c1n1, nvme0c0n1, nvme0c1n1"),
        (
            (259, 1),
            "a partition of that",
            "nvme0n1p1 > nvme0n1, nvme0n1 > nvme0c0n1 nvme0c1n1, nvme0c0n1, nvme0c1n1",
        ),
        (
            (252, 0),
            "bcache",
            "bcache0*^ > nvme0n1 sdc, nvme0n1 > nvme0c0n1 nvme0c1n1, sdc, nvme0c0n1, nvme0c1n1",
        ),
        ((7, 0), "a loop on a device", "loop0 > sdd, sdd"),
        ((7, 1), "a loop on a file", "loop1* > dm-1, dm-1 > dm-0, dm-0 > sda2, sda2 > sda, sda"),
        ((230, 0), "a ZFS volume", "zd0"),
        ((251, 0), "one that counts whatever the switch says", "zram0"),
    ] {
        let found = host::stack::of_device(&root, number);
        assert_eq!(layer_names(&found), expected, "{name}");
        assert_eq!((found.top_devices.len(), found.no_device_reason), (1, None), "{name}");
    }
    let unknown = host::stack::of_device(&root, (1, 2));
    assert!(unknown.no_device_reason.unwrap().contains("/sys") && unknown.layers.is_empty());
}

#[test]
fn unresolvable_stack_names_the_reason() {
    let (_directory, root) = machine("stacks");
    use LayerKind::{Disk, Loop, Mapper};
    for (number, kind, words, memory) in [
        ((7, 2), Loop, "it was deleted", None),
        ((7, 3), Loop, "tmpfs keeps its files in memory", Some(InMemory::File)),
        ((7, 4), Loop, "a program serves the files", None),
        (
            (7, 5),
            Loop,
            "the overlay at /volatile has this file in /tmp/upper, and tmpfs",
            Some(InMemory::File),
        ),
        ((43, 0), Disk, "an NBD server holds its data", None),
        ((253, 4), Disk, "an NBD server holds its data", None),
        ((253, 5), Mapper, "lists no device", None),
        ((259, 20), Disk, "ublk", None),
        ((8, 96), Disk, "TCMU", None),
        ((230, 0), Disk, "zpool iostat", None),
    ] {
        let found = host::stack::of_device(&root, number);
        let layer = found.layers.last().unwrap();
        assert_eq!((layer.kind, layer.lower_devices.len(), layer.memory), (kind, 0, memory), "{layer:?}");
        assert!(layer.lower_unknown.as_ref().unwrap().contains(words), "{layer:?}");
    }
    let numbers: Vec<_> =
        host::stack::of_device(&root, (253, 4)).layers.into_iter().map(|layer| layer.number).collect();
    assert_eq!(numbers, [Some("253:4".to_owned()), Some("43:0".to_owned())]);
}

#[test]
fn file_stack_has_devices_of_its_file_system() {
    let (_directory, root) = machine("stacks");
    for (place, number, expected) in [
        ("/var/a.dat", Some((8, 1)), "sda1 > sda, sda"),
        ("/var/a.dat", None, "sda1 > sda, sda"),
        ("/home/me/a.dat", Some((253, 1)), "dm-1 > dm-0, dm-0 > sda2, sda2 > sda, sda"),
        ("/bound/a.dat", None, "dm-1 > dm-0, dm-0 > sda2, sda2 > sda, sda"),
        ("/run/hosts", None, "sda1 > sda, sda"),
        ("/pool/a.dat", Some((0, 77)), "sde, sdf"),
        ("/single/a.dat", Some((0, 78)), "sdb!"),
        ("/ntfs/a.dat", None, "sdb1! > sdb, sdb!"),
        ("/merged/new.dat", Some((0, 43)), "sda1 > sda, sda"),
        ("/merged/old.dat", Some((0, 43)), "sda1 > sda, sda"),
        ("/merged/deep.dat", Some((0, 43)), "dm-1 > dm-0, dm-0 > sda2, sda2 > sda, sda"),
    ] {
        let found = host::stack::of_file(&root, Path::new(place), number);
        assert_eq!(layer_names(&found), expected, "{place} {:?}", found.no_device_reason);
        assert!(found.file_system.is_some(), "{place}");
    }
    assert_eq!(host::stack::of_file(&root, Path::new("/pool/a.dat"), None).top_devices, ["sde", "sdf"]);
}

#[test]
fn file_without_device_states_the_reason() {
    let (_directory, root) = machine("stacks");
    for (place, words) in [
        ("/tmp/a.dat", "tmpfs keeps its files in memory"),
        ("/nfs/a.dat", "nfs4: the files are on another host"),
        ("/sshfs/a.dat", "a program serves the files"),
        ("/shared/a.dat", "the host's"),
        ("/tank/a.dat", "zpool iostat"),
        ("/pmem/a.dat", "(DAX)"),
        ("/flash/a.dat", "raw flash (MTD)"),
        ("/container/a.dat", "another mount namespace"),
        ("/merged/none.dat", "another mount namespace"),
        ("/what/a.dat", "no block device is known"),
    ] {
        let found = host::stack::of_file(&root, Path::new(place), None);
        let why = found.no_device_reason.unwrap_or_default();
        assert!(why.contains(words), "{place}: {why}");
        assert!(found.layers.is_empty(), "{place}");
        assert_eq!(found.in_memory, None, "{place}");
    }
    let hidden = host::stack::of_file(&root, Path::new("/volatile/v.img"), None);
    assert!(hidden.in_memory.unwrap().contains("/tmp/upper, and tmpfs keeps its files in memory"));
    let empty = tempfile::tempdir().unwrap();
    let nowhere = diskspd::host::root::Root::at(empty.path());
    assert!(host::stack::of_file(&nowhere, Path::new("/x"), Some((8, 1))).no_device_reason.is_some());
}

#[test]
fn overlay_of_relative_directories_is_unresolved_with_reason() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(directory.path().join("proc/self")).unwrap();
    let root = diskspd::host::root::Root::at(directory.path());
    for (options, reason) in [
        ("lowerdir=lower,upperdir=upper,workdir=work", "relative paths"),
        ("lowerdir=/gone,upperdir=upper,workdir=work", "relative paths"),
        ("lowerdir=/gone,upperdir=/away,workdir=/w", "in another mount namespace"),
    ] {
        let mounts = format!("1 0 0:1 / / rw - overlay overlay rw,{options}\n");
        std::fs::write(directory.path().join("proc/self/mountinfo"), mounts).unwrap();
        let why = host::stack::of_file(&root, Path::new("/a.dat"), None).no_device_reason.unwrap();
        assert!(why.starts_with("overlay: ") && why.contains(reason), "{options}: {why}");
    }
}
