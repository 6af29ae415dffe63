use super::*;

/// Bytes at offsets.
type Marks<'a> = &'a [(u64, &'a [u8])];

/// What is found on a device of this size with these marks.
fn recognized(size: u64, marks: Marks) -> Vec<&'static str> {
    let device = tempfile::tempfile().unwrap();
    device.set_len(size).unwrap();
    for (offset, bytes) in marks {
        device.write_all_at(bytes, *offset).unwrap();
    }
    find(&device, size).unwrap()
}

const MIB: u64 = 1 << 20;
const SIZE: u64 = 100 * MIB + 7 * 512;

#[test]
fn every_mark_is_recognized_alone() {
    for (offset, magic, name) in AT_START {
        assert_eq!(recognized(SIZE, &[(*offset, magic)]), [*name]);
    }
    for (distance, magic, name) in AT_END {
        assert_eq!(recognized(SIZE, &[(SIZE - distance, magic)]), [*name]);
    }
}

#[test]
fn what_takes_more_than_one_mark() {
    let ext: &[u8] = &[0x53, 0xef];
    let md: &[u8] = &[0xfc, 0x4e, 0x2b, 0xa9];
    let boot: &[u8] = &[0x55, 0xaa];
    let entry: &[u8] = &[0x80, 1, 1, 0, 0x83, 1, 1, 1, 0, 8, 0, 0, 0, 0, 1, 0];
    let zfs: &[u8] = &[0x0c, 0xb1, 0xba, 0, 0, 0, 0, 0];
    let table: &[(&str, Marks, &[&str])] = &[
        ("nothing", &[], &[]),
        ("ext2", &[(1080, ext)], &["an ext2 file system"]),
        ("ext3", &[(1080, ext), (1024 + 0x5c, &[4])], &["an ext3 file system"]),
        ("ext4", &[(1080, ext), (1024 + 0x5c, &[4]), (1024 + 0x60, &[0x40])], &["an ext4 file system"]),
        ("LVM", &[(512, b"LABELONE"), (536, b"LVM2 001")], &["an LVM physical volume"]),
        ("another label", &[(512, b"LABELONE")], &[]),
        ("md 1.0", &[((SIZE - 8192) & !4095, md)], &["a member of an md RAID (1.0)"]),
        ("md 0.90", &[((SIZE & !65535) - 65536, md)], &["a member of an md RAID (0.90)"]),
        ("MBR", &[(446, entry), (510, boot)], &["a partition table (MBR)"]),
        ("MBR without partitions", &[(510, boot)], &[]),
        ("boot sector of NTFS", &[(3, b"NTFS    "), (446, entry), (510, boot)], &["an NTFS file system"]),
        ("GPT", &[(512, b"EFI PART"), (446, entry), (510, boot)], &["a partition table (GPT)"]),
        ("ZFS, first label", &[(128 << 10, zfs)], &["a member of a ZFS pool"]),
        ("ZFS, last label", &[((SIZE & !0x3_ffff) - (64 << 10), zfs)], &["a member of a ZFS pool"]),
        (
            "ZFS, big endian",
            &[((256 + 130) << 10, &[0, 0, 0, 0, 0, 0xba, 0xb1, 0x0c])],
            &["a member of a ZFS pool"],
        ),
        (
            "remains of a former use count, too",
            &[(0, b"XFSB"), (512, b"LABELONE"), (536, b"LVM2 001")],
            &["an xfs file system", "an LVM physical volume"],
        ),
    ];
    for (name, marks, expected) in table {
        assert_eq!(recognized(SIZE, marks), *expected, "{name}");
    }
}

#[test]
fn tiny_devices_are_no_problem() {
    for size in [0, 1, 511, 512, 1024, 4096, 65536, MIB - 1, MIB, MIB + 1] {
        assert_eq!(recognized(size, &[]), Vec::<&str>::new(), "{size}");
    }
    assert_eq!(recognized(8, &[(0, b"XFSB")]), ["an xfs file system"]);
}
