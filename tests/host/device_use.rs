//! Tests of block device users, which must prevent writes by the program.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::machines::machine;
use diskspd::host::refusal::{Use, uses, uses_of_file};
use diskspd::host::root::Root;
use std::path::Path;

const TABLE: &[((u32, u32), &str, &[&str])] = &[
    (
        (8, 0),
        "a disk with partitions",
        &[
            "/dev/sda2 is part of /dev/mapper/vg-root (dm-0)",
            "/dev/sda2 is part of /dev/mapper/vg-swap (dm-1)",
            "/dev/sda1 is mounted at / (ext4)",
            "/dev/mapper/vg-root (dm-0) is mounted at /home (xfs)",
            "/dev/mapper/vg-swap (dm-1) is swap space",
        ],
    ),
    ((8, 1), "a mounted partition", &["/dev/sda1 is mounted at / (ext4)"]),
    ((8, 3), "a free partition between used ones", &[]),
    ((253, 1), "a logical volume used as swap", &["/dev/mapper/vg-swap (dm-1) is swap space"]),
    (
        (8, 32),
        "a disk of a RAID with a mounted partition",
        &["/dev/sdc is part of /dev/md0", "/dev/md0p1 is mounted at /srv/my data (ext4)"],
    ),
    ((9, 0), "the RAID", &["/dev/md0p1 is mounted at /srv/my data (ext4)"]),
    (
        (8, 64),
        "a path of a multipath device",
        &[
            "/dev/sde is part of /dev/mapper/mpatha (dm-2)",
            "/dev/mapper/mpatha (dm-2) is part of /dev/mapper/mpatha-part1 (dm-3)",
            "/dev/mapper/mpatha-part1 (dm-3) is mounted at /san (xfs)",
        ],
    ),
    (
        (8, 49),
        "a partition of a held disk",
        &[
            "/dev/sdd is part of /dev/mapper/mpatha (dm-2)",
            "/dev/mapper/mpatha (dm-2) is part of /dev/mapper/mpatha-part1 (dm-3)",
            "/dev/mapper/mpatha-part1 (dm-3) is mounted at /san (xfs)",
        ],
    ),
    ((8, 80), "a free disk", &[]),
    ((259, 0), "NVMe with native multipath", &["/dev/nvme0n1p1 is mounted at /boot/efi (vfat)"]),
    (
        (8, 96),
        "the disk a btrfs was mounted from",
        &["/dev/sdg is mounted at /pool (btrfs)", "/dev/sdg belongs to a mounted btrfs file system"],
    ),
    ((8, 112), "another disk of that btrfs", &["/dev/sdh belongs to a mounted btrfs file system"]),
    (
        (8, 128),
        "a disk with a partition behind bcache",
        &["/dev/sdi1 is part of /dev/bcache0", "/dev/bcache0 is mounted at /cached (ext4)"],
    ),
    ((8, 144), "a disk behind a loop device", &["/dev/sdj is part of /dev/loop0"]),
    ((7, 1), "a loop device on a file", &[]),
    (
        (8, 160),
        "a disk of a bcachefs",
        &["/dev/sdk is mounted at /fast (bcachefs)", "/dev/sdk belongs to a mounted bcachefs file system"],
    ),
    ((230, 0), "a ZFS volume that /sys says little of", &[]),
    ((104, 0), "a name with a slash", &["/dev/cciss/c0d0p1 is mounted at /old (ext3)"]),
];

const BEHIND: &[((u32, u32), &str, &[&str])] = &[
    (
        (7, 1),
        "a loop device over the file of a mounted one, which has another name too",
        &[
            "/images/mounted.img is part of /dev/loop0",
            "/images/mounted.img is part of /dev/loop2",
            "/dev/loop0 is mounted at /mnt (ext4)",
        ],
    ),
    ((7, 3), "a loop device over a mounted disk", &["/dev/sda is mounted at /data (xfs)"]),
    (
        (253, 0),
        "a logical volume whose disk is mounted by a loop device; the volume beside it does not matter",
        &["/dev/sdb is part of /dev/loop4", "/dev/loop4 is mounted at /behind (ext4)"],
    ),
    ((7, 5), "a loop device over a file that nobody else has", &[]),
    ((7, 6), "one of two over a file that is out of sight", &["/gone/elsewhere.img is part of /dev/loop7"]),
    ((8, 32), "a disk of a storage target", &["/dev/sdc is used by the storage target LIO (iblock_1/raw)"]),
    ((8, 48), "a disk behind zram", &["/dev/sdd is used by zram, which writes back to it (zram0)"]),
    ((8, 64), "a free disk", &[]),
];

const FILES: &[(&str, &[&str])] = &[
    (
        "/images/mounted.img",
        &[
            "/images/mounted.img is part of /dev/loop0",
            "/images/mounted.img is part of /dev/loop1",
            "/images/mounted.img is part of /dev/loop2",
            "/dev/loop0 is mounted at /mnt (ext4)",
        ],
    ),
    ("/images/free.img", &["/images/free.img is part of /dev/loop5"]),
    ("/images/lio.img", &["/images/lio.img is used by the storage target LIO (fileio_0/disk)"]),
    ("/images/nvme.img", &["/images/nvme.img is used by the NVMe target (namespaces/1)"]),
    ("/images/scst file.img", &["/images/scst file.img is used by the storage target SCST (one)"]),
    ("/images/nbd.img", &["/images/nbd.img is used by a network block device (nbd0)"]),
    ("/images/bitmap.img", &["/images/bitmap.img is used by a RAID, as its bitmap"]),
    ("/swapfile", &["/swapfile is swap space"]),
    ("/images/unused.img", &[]),
    ("/images/none.img", &[]),
];

#[track_caller]
fn facts(uses: Vec<Use>) -> Vec<String> {
    let said = uses.iter().map(ToString::to_string).collect::<Vec<_>>();
    let parts = said.iter().map(|text| text.split_once(": ").expect("the next step is missing"));
    parts.map(|(fact, _)| fact.to_owned()).collect()
}

#[test]
fn every_use_of_a_device_is_found() {
    for (name, table) in [("storage", TABLE), ("behind", BEHIND)] {
        let (_directory, root) = machine(name);
        for (number, name, expected) in table {
            assert_eq!(facts(uses(&root, *number).unwrap()), *expected, "{name}");
        }
    }
}

#[test]
fn uses_of_a_file_are_found_by_any_name() {
    let (directory, root) = machine("behind");
    for (file, expected) in FILES {
        let (uses, unknown) = uses_of_file(&root, Path::new(file));
        assert_eq!((facts(uses), unknown), (expected.iter().map(ToString::to_string).collect(), Vec::new()));
    }
    // A hard link has the use of the file.
    let at = |name: &str| directory.path().join(name);
    std::fs::hard_link(at("images/free.img"), at("other")).unwrap();
    assert_eq!(facts(uses_of_file(&root, Path::new("/other")).0), ["/other is part of /dev/loop5"]);
}

#[test]
fn unreadable_use_is_unknown_not_unused() {
    let (directory, root) = machine("storage");
    let free = (8, 80);
    assert_eq!(facts(uses(&root, free).unwrap()), Vec::<String>::new());
    let why = |number| uses(&root, number).unwrap_err();
    assert!(why((1, 2)).to_string().contains("/sys/dev/block/1:2"), "{:?}", why((1, 2)));
    // Each of these away, or unreadable, which a directory in place of a file is even to root.
    for (path, instead) in [
        ("sys/class/block", None),
        ("proc/self/mountinfo", None),
        ("proc/self/mountinfo", Some("a directory")),
        ("proc/swaps", Some("a directory")),
    ] {
        let (path, aside) = (directory.path().join(path), directory.path().join("aside"));
        std::fs::rename(&path, &aside).unwrap();
        if instead.is_some() {
            std::fs::create_dir(&path).unwrap();
        }
        let unknown = why(free);
        let name = path.strip_prefix(directory.path()).unwrap().display().to_string();
        assert!(unknown.to_string().contains(&name), "{unknown:?}");
        assert_eq!(unknown.cause.remedy().contains("mount -t"), instead.is_none(), "{unknown:?}");
        let _ = std::fs::remove_dir(&path);
        std::fs::rename(&aside, &path).unwrap();
    }
    let empty = tempfile::tempdir().unwrap();
    assert!(uses(&Root::at(empty.path()), free).is_err());
}

#[test]
fn known_file_uses_count_despite_unknown_ones() {
    let (directory, root) = machine("behind");
    let used = |file: &str| {
        let (uses, unknown) = uses_of_file(&root, Path::new(file));
        let mut guards: Vec<_> = unknown.iter().map(|unknown| unknown.guards).collect();
        guards.sort_unstable();
        (facts(uses), guards)
    };
    let swap = || vec!["/swapfile is swap space".to_owned()];
    assert_eq!(used("/swapfile"), (swap(), vec![]));
    std::fs::rename(directory.path().join("sys/class/block"), directory.path().join("aside")).unwrap();
    assert_eq!(used("/swapfile"), (swap(), vec!["the backing file of a loop device"]));
    assert_eq!(used("/images/unused.img"), (vec![], vec!["the backing file of a loop device"]));
    // As a container masks it.
    std::fs::write(directory.path().join("proc/swaps"), "").unwrap();
    assert_eq!(used("/swapfile"), (vec![], vec!["a swap file", "the backing file of a loop device"]));
}
