//! Who uses a block device: what must keep the program from writing to it.

mod machines;

use diskspd::system::refusal::uses;
use machines::machine;

/// (device, what is said of it and of its relatives); nothing said = free to be written to.
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
    ((1, 2), "unknown to /sys", &[]),
];

#[test]
fn every_use_of_a_device_is_found() {
    let (_directory, root) = machine("storage");
    for (number, name, expected) in TABLE {
        let said: Vec<String> = uses(&root, *number).iter().map(ToString::to_string).collect();
        let facts: Vec<&str> = said.iter().filter_map(|text| text.split(": ").next()).collect();
        assert_eq!(facts, *expected, "{name}");
        assert!(said.iter().all(|text| text.contains(": ")), "the next step is missing: {said:?}");
    }
}
