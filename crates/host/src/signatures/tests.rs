use super::*;

type Marks<'a> = &'a [(u64, &'a [u8])];

fn recognized_names(size: u64, marks: Marks) -> Vec<Name> {
    find_in_table(crafted_image(size, marks).as_file(), size).unwrap()
}

fn crafted_image(size: u64, marks: Marks) -> tempfile::NamedTempFile {
    let device = tempfile::NamedTempFile::new_in("/var/tmp").unwrap();
    device.as_file().set_len(size).unwrap();
    for (offset, bytes) in marks {
        device.as_file().write_all_at(bytes, *offset).unwrap();
    }
    device
}

const MIB: u64 = 1 << 20;
const SIZE: u64 = 100 * MIB + 7 * 512;

#[test]
fn each_signature_is_recognized_alone() {
    for (page, (magic, name)) in PAGES.iter().flat_map(|page| SWAP.iter().map(move |mark| (page, mark))) {
        assert_eq!(recognized_names(SIZE, &[(page - 10, magic)]), [*name]);
    }
    for (offset, magic, name) in AT_START {
        assert_eq!(recognized_names(SIZE, &[(*offset, magic)]), [*name]);
    }
    for (distance, magic, name) in AT_END {
        assert_eq!(recognized_names(SIZE, &[(SIZE - distance, magic)]), [*name], "{distance} before the end");
    }
}

#[test]
fn signature_needs_all_its_magic_numbers() {
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
        ("MBR without partitions", &[(510, boot)], &["a partition table (MBR)"]),
        ("the end mark alone, and no table", &[(446, &[7]), (510, boot)], &[]),
        ("PC-98", &[(4, b"IPL1"), (510, boot)], &["a partition table (PC-98)"]),
        ("a loader's name alone", &[(4, b"IPL1")], &[]),
        (
            "Core Storage",
            &[(8, &[1, 0, 0x10, 0]), (88, b"CS\x01\0\0\0")],
            &["a Core Storage volume (FileVault 2)"],
        ),
        ("its letters alone", &[(88, b"CS")], &[]),
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
        assert_eq!(recognized_names(SIZE, marks), *expected, "{name}");
    }
}

#[test]
fn tiny_devices_are_scanned_without_error() {
    for size in [0, 1, 511, 512, 1024, 4096, 65536, MIB - 1, MIB, MIB + 1] {
        assert_eq!(recognized_names(size, &[]), Vec::<Name>::new(), "{size}");
    }
    assert_eq!(recognized_names(8, &[(0, b"XFSB")]), ["an xfs file system"]);
}

#[test]
fn test_patterns_are_not_signatures() {
    let pattern: Vec<u8> = (0..SIZE).map(|offset| offset as u8).collect();
    for (name, content) in
        [("pattern", pattern), ("ones", vec![0xff; SIZE as usize]), ("zeros", vec![0; SIZE as usize])]
    {
        let device = tempfile::tempfile_in("/var/tmp").unwrap();
        device.write_all_at(&content, 0).unwrap();
        assert_eq!(find(&device, SIZE).unwrap(), Vec::<Name>::new(), "{name}");
    }
}

/// The answer of `blkid -p`: TYPE or PTTYPE; `None` = not installed, empty = no signature.
fn blkid_says(image: &std::path::Path) -> Option<Vec<String>> {
    let program =
        std::process::Command::new("blkid").args(["-p", "-o", "export"]).arg(image).output().ok()?;
    let text = String::from_utf8_lossy(&program.stdout).into_owned();
    let values = text.lines().filter_map(|line| line.strip_prefix("TYPE=").or(line.strip_prefix("PTTYPE=")));
    Some(values.map(str::to_owned).collect())
}

/// Checks that the table alone and both sources recognize the image, and that the results include all of
/// `blkid -p`.
fn check_image(name: &str, image: &std::path::Path, expected: &str) {
    let device = File::open(image).unwrap();
    let size = device.metadata().unwrap().len();
    let has = |found: &[Name], name: &str| found.iter().any(|found| found.starts_with(name));
    let table = find_in_table(&device, size).unwrap();
    assert!(has(&table, expected), "{name}, the table alone: {table:?}");
    let all = find(&device, size).unwrap();
    assert!(has(&all, expected), "{name}: {all:?}");
    if !diskspd_sys::blkid::is_available() {
        return;
    }
    for kind in blkid_says(image).unwrap_or_default() {
        let known = KINDS.iter().chain(TABLES).find(|(known, _)| *known == kind);
        let (_, ours) = known.unwrap_or_else(|| panic!("{name}: blkid says {kind}"));
        assert!(has(&all, ours), "{name}: blkid says {kind}: {all:?}");
    }
}

/// Images made by the original tools: size in MiB, the command line with `{}` for the image and `[]` for a
/// directory with a file, and the name. Missing tools are skipped.
const TOOLS: &[(u64, &str, &str)] = &[
    (16, "mkfs.ext2 -q -F {}", "an ext2"),
    (16, "mkfs.ext3 -q -F {}", "an ext3"),
    (16, "mkfs.ext4 -q -F {}", "an ext4"),
    (16, "mke2fs -q -F -O journal_dev {}", "a journal of an ext"),
    (300, "mkfs.xfs -q -f {}", "an xfs"),
    (120, "mkfs.btrfs -q {}", "a btrfs"),
    (16, "mkfs.minix {}", "a minix"),
    (16, "mkfs.minix -3 {}", "a minix"),
    (16, "mkfs.bfs {}", "a bfs"),
    (16, "mkfs.cramfs [] {}", "a cramfs"),
    (16, "mkfs.vfat {}", "a FAT"),
    (64, "mkfs.vfat -F 32 {}", "a FAT"),
    (16, "mkfs.ntfs -q -F {}", "an NTFS"),
    (16, "mkfs.exfat {}", "an exFAT"),
    (100, "mkfs.f2fs -q {}", "an f2fs"),
    (20, "mkfs.jfs -q {}", "a jfs"),
    (64, "mkfs.reiserfs -q -ff {}", "a reiserfs"),
    (140, "mkfs.nilfs2 -q {}", "a nilfs2"),
    (16, "mkudffs {}", "a UDF"),
    (16, "mkfs.erofs {} []", "an erofs"),
    (0, "mksquashfs [] {} -noappend -quiet", "a squashfs"),
    (0, "genisoimage -quiet -o {} []", "an ISO 9660"),
    (16, "mkswap {}", "swap space"),
    (20, "cryptsetup luksFormat -q --pbkdf pbkdf2 --iter-time 10 {} /etc/hostname", "a LUKS"),
    (20, "cryptsetup luksFormat -q --type luks1 --iter-time 10 {} /etc/hostname", "a LUKS"),
    (16, "parted -s {} mklabel gpt", "a partition table (GPT)"),
    (16, "parted -s {} mklabel msdos mkpart primary 1MiB 5MiB", "a partition table (MBR)"),
    (16, "parted -s {} mklabel bsd", "a partition table (BSD)"),
    (16, "parted -s {} mklabel mac", "a partition table (Mac)"),
    (16, "parted -s {} mklabel sun", "a partition table (Sun)"),
    (16, "parted -s {} mklabel dvh", "a partition table (SGI)"),
    (16, "parted -s {} mklabel amiga", "a partition table (Amiga)"),
    (0, "qemu-img create -q -f qcow2 {} 16M", "a virtual disk (qcow2)"),
    (0, "qemu-img create -q -f qed {} 16M", "a virtual disk (QED)"),
    (0, "qemu-img create -q -f vmdk {} 16M", "a virtual disk (VMDK)"),
    (0, "qemu-img create -q -f vhdx {} 16M", "a virtual disk (VHDX)"),
    (0, "qemu-img create -q -f vpc {} 16M", "a virtual disk (VHD)"),
    (0, "qemu-img create -q -f vpc -o subformat=fixed {} 16M", "a virtual disk (VHD)"),
    (0, "qemu-img create -q -f vdi {} 16M", "a virtual disk (VDI)"),
    (0, "qemu-img create -q -f parallels {} 16M", "a virtual disk (Parallels)"),
    (0, "tar cf {} []", "a tar archive"),
];

#[test]
fn images_of_real_tools_are_recognized() {
    let made = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for part in TOOLS.chunks(TOOLS.len().div_ceil(4)) {
            let made = &made;
            scope.spawn(move || {
                for (mib, line, expected) in part {
                    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
                    let (image, files) = (directory.path().join("image"), directory.path().join("files"));
                    std::fs::create_dir(&files).unwrap();
                    std::fs::write(files.join("file"), "content").unwrap();
                    if *mib > 0 {
                        File::create(&image).unwrap().set_len(mib * MIB).unwrap();
                    }
                    let place = |word: &str| match word {
                        "{}" => image.clone().into_os_string(),
                        "[]" => files.clone().into_os_string(),
                        word => word.into(),
                    };
                    let mut words = line.split(' ').map(place);
                    let mut command = std::process::Command::new(words.next().unwrap());
                    let answer = { command.args(words).output() };
                    match answer {
                        Ok(output) if output.status.success() => check_image(line, &image, expected),
                        answer => {
                            let here = std::env::var_os("DISKSPD_TEST_NO_SKIP").is_none();
                            assert!(here, "{line}: {answer:?}");
                            eprintln!("SKIPPED: {line}: {answer:?}");
                        }
                    }
                    made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(made.into_inner(), TOOLS.len());
}

/// Formats whose tools are hard to obtain, in the form that libblkid accepts.
#[test]
fn crafted_signatures_match_blkid_results() {
    const END: u64 = 64 * MIB;
    let last = END - 512;
    // Sums as the formats have them, so that libblkid believes them.
    let mut jmicron = vec![0u8; 128];
    jmicron[..2].copy_from_slice(b"JM");
    let words = |bytes: &[u8]| {
        bytes.chunks_exact(2).fold(0u16, |sum, word| sum.wrapping_add(u16::from_le_bytes([word[0], word[1]])))
    };
    let sum = 0u16.wrapping_sub(words(&jmicron)).to_le_bytes();
    jmicron[6..8].copy_from_slice(&sum);
    let mut via = vec![0u8; 51];
    (via[0], via[1], via[50]) = (0x55, 0xaa, 0xff);
    let page = |mark: &[u8]| [mark, &[0; 10]].concat()[..10].to_vec();
    let mut vmfs = vec![0; 512];
    vmfs[..4].copy_from_slice(&[0x5e, 0xf1, 0xab, 0x2f]);
    let table: Vec<(&str, u64, Vec<u8>)> = vec![
        ("a member of a JMicron RAID", last, jmicron),
        ("a member of a VIA RAID", last, via),
        ("a member of an LSI RAID", last, b"$XIDE$".to_vec()),
        ("a member of an NVIDIA RAID", last - 512, [&b"NVIDIA  "[..], &30u32.to_le_bytes()].concat()),
        ("a member of a Promise RAID", END - 63 * 512, b"Promise Technology, Inc.".to_vec()),
        ("a member of a Promise RAID", END - 3087 * 512, b"Promise Technology, Inc.".to_vec()),
        ("a member of a HighPoint RAID", END - 11 * 512, vec![0xf3, 0x16, 0x78, 0x5a]),
        ("a member of a HighPoint RAID", 4640, vec![0xf0, 0x16, 0x78, 0x5a]),
        ("a member of a Silicon Image RAID", last + 0x60, vec![0, 0, 0, 0x2f]),
        ("a member of an Adaptec RAID", last, vec![0x37, 0xfc, 0x4d, 0x1e]),
        ("a member of an Intel firmware RAID", last - 512, b"Intel Raid ISM Cfg Sig. 1.1.00\0".to_vec()),
        ("a DRBD device", END - 4096 + 60, vec![0x83, 0x74, 0x02, 0x6b]),
        ("a DRBD device", END - 4096 + 60, vec![0x83, 0x74, 0x02, 0x6c]),
        ("a DRBD device", END - 4096 + 60, vec![0x83, 0x74, 0x02, 0x6d]),
        ("a hibernation image", 4086, page(b"S1SUSPEND")),
        ("a hibernation image", 4086, page(b"S2SUSPEND")),
        ("a hibernation image", 65526, page(b"ULSUSPEND")),
        ("a hibernation image", 8182, page(b"LINHIB0001")),
        ("a UFS file system", 8192 + 1372, 0x0001_1954u32.to_le_bytes().to_vec()),
        ("a UFS file system", 65536 + 1372, 0x1954_0119u32.to_be_bytes().to_vec()),
        ("a VMFS file system", 2 * MIB, vmfs),
        ("a VMFS volume", MIB, vec![0x0d, 0xd0, 0x01, 0xc0]),
        ("a snapshot (dm-snapshot)", 0, b"SnAp\x01\0\0\0\x01\0\0\0".to_vec()),
        ("a squashfs file system", 0, [&b"sqsh"[..], &[0; 24], &[0, 3, 0, 1]].concat()),
        ("a squashfs file system", 0, [&b"hsqs"[..], &[0; 24], &[3, 0, 1, 0]].concat()),
        ("a journal of an xfs file system", 0, {
            [&[0xfe, 0xed, 0xba, 0xbe, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 2, 0][..], &[0; 284], &[0, 0, 0, 1]]
                .concat()
        }),
        ("a partition table (AIX)", 0, vec![0xc9, 0xc2, 0xd4, 0xc1]),
        ("a partition table (Solaris)", 512 + 12, vec![0xee, 0xde, 0x0d, 0x60, 1, 0, 0, 0]),
        ("an Oracle ASM disk", 32, b"ORCLDISK".to_vec()),
        ("a Ceph OSD", 0, b"bluestore block device".to_vec()),
        ("a System V file system", 1016, 0xfd18_7e20u32.to_le_bytes().to_vec()),
        ("a romfs file system", 0, b"-rom1fs-\0\0\x10\0".to_vec()),
        ("a VxFS file system", 1024, vec![0xf5, 0xfc, 0x01, 0xa5]),
    ];
    let mut known = 0;
    for (name, offset, bytes) in &table {
        let image = crafted_image(END, &[(*offset, bytes)]);
        check_image(name, image.path(), name);
        known += usize::from(blkid_says(image.path()).is_some_and(|kinds| !kinds.is_empty()));
    }
    assert!(
        known >= 20 || blkid_says(std::path::Path::new("/dev/null")).is_none(),
        "blkid knows {known} of them"
    );
}

#[test]
fn unlisted_signatures_keep_libblkid_names() {
    let found = |kind: &str, usage: &str, table: &str| {
        let (kind, usage, table) = (kind.into(), usage.into(), table.into());
        signature_names(&blkid::BlkidSignature { kind, usage, table, version: String::new() })
            .collect::<Vec<_>>()
    };
    assert_eq!(found("newfs", "filesystem", ""), ["a file system (newfs)"]);
    assert_eq!(found("new", "raid", "gpt"), ["a member of a RAID or pool (new)", "a partition table (GPT)"]);
    assert_eq!(found("new", "crypto", ""), ["an encrypted volume (new)"]);
    assert_eq!(found("new", "", "karma"), ["data of a known format (new)", "a partition table (karma)"]);
}
