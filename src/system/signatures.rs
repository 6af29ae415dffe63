//! What lies on a device, by the marks that file systems, partition tables and volume managers leave in its first
//! and last MiB: what writing to it would destroy.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// How much of each end is looked at, bytes.
pub const WINDOW: u64 = 1 << 20;

const KIB: u64 = 1 << 10;

/// (offset, bytes, what it is), offsets from the start.
const AT_START: &[(u64, &[u8], &str)] = &[
    (0, b"XFSB", "an xfs file system"),
    (0x10040, b"_BHRfS_M", "a btrfs file system"),
    (1024, &[0x10, 0x20, 0xf5, 0xf2], "an f2fs file system"),
    (1024, &[0xe2, 0xe1, 0xf5, 0xe0], "an erofs file system"),
    (0, b"hsqs", "a squashfs file system"),
    (3, b"NTFS    ", "an NTFS file system"),
    (3, b"EXFAT   ", "an exFAT file system"),
    (3, b"-FVE-FS-", "a BitLocker volume"),
    (3, b"ReFS", "a ReFS file system"),
    (54, b"FAT1", "a FAT file system"),
    (82, b"FAT32", "a FAT file system"),
    (32769, b"CD001", "an ISO 9660 file system"),
    (32768, b"JFS1", "a jfs file system"),
    (65536 + 52, b"ReIsEr", "a reiserfs file system"),
    (1024, b"H+", "an HFS+ file system"),
    (32, b"NXSB", "an APFS container"),
    (0, b"LUKS\xba\xbe", "a LUKS encrypted volume"),
    (16 * KIB, b"SKUL\xba\xbe", "a LUKS encrypted volume (second header)"),
    (0, &[0xfc, 0x4e, 0x2b, 0xa9], "a member of an md RAID (1.1)"),
    (4096, &[0xfc, 0x4e, 0x2b, 0xa9], "a member of an md RAID (1.2)"),
    (4096 + 24, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81", "a bcache device"),
    (
        4096 + 24,
        b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef",
        "a bcachefs file system",
    ),
    (4096 - 10, b"SWAPSPACE2", "swap space"),
    (4096 - 10, b"SWAP-SPACE", "swap space"),
    (16 * KIB - 10, b"SWAPSPACE2", "swap space"),
    (64 * KIB - 10, b"SWAPSPACE2", "swap space"),
    (512, b"EFI PART", "a partition table (GPT)"),
    (4096, b"EFI PART", "a partition table (GPT)"),
    (0, b"bluestore block device", "a Ceph OSD"),
    (64 * KIB, &[0x01, 0x16, 0x19, 0x70], "a GFS2 file system"),
    (1024, b"OCFSV2", "an OCFS2 file system"),
    (2048, b"OCFSV2", "an OCFS2 file system"),
    (4096, b"OCFSV2", "an OCFS2 file system"),
    (8192, b"OCFSV2", "an OCFS2 file system"),
    (1024 + 6, &[0x34, 0x34], "a nilfs2 file system"),
    (32769, b"BEA01", "a UDF file system"),
    (32768 + 2048 + 1, b"BEA01", "a UDF file system"),
    (0, b"integrt\0", "a dm-integrity volume"),
    (0, b"verity\0\0", "the hash tree of a dm-verity volume"),
    (0, b"dmvdo001", "a VDO volume"),
    (512 + 4, b"!Stra0tis\x86\xff\x02^\x41rh", "a member of a Stratis pool"),
    (4096 + 512 + 4, b"!Stra0tis\x86\xff\x02^\x41rh", "a member of a Stratis pool"),
    (32, b"ORCLDISK", "an Oracle ASM disk"),
];

/// (distance from the end, bytes, what it is).
const AT_END: &[(u64, &[u8], &str)] = &[
    (512, b"EFI PART", "a partition table (GPT, its copy at the end)"),
    (4096, b"EFI PART", "a partition table (GPT, its copy at the end)"),
    (1024, b"Intel Raid ISM Cfg Sig. ", "a member of an Intel firmware RAID"),
    (512, &[0xde, 0x11, 0xde, 0x11], "a member of a firmware RAID (DDF)"),
];

/// What lies on a device of `size` bytes, at most once each; empty = nothing known.
///
/// # Errors
/// What reading answers.
pub fn find(device: &File, size: u64) -> io::Result<Vec<&'static str>> {
    let mut head = vec![0; usize::try_from(size.min(WINDOW)).unwrap_or_default()];
    let mut tail = head.clone();
    device.read_exact_at(&mut head, 0)?;
    let tail_start = size - tail.len() as u64;
    device.read_exact_at(&mut tail, tail_start)?;
    Ok(recognize(&Ends { head, tail, size }))
}

/// The first and the last bytes of a device.
struct Ends {
    head: Vec<u8>,
    tail: Vec<u8>,
    size: u64,
}

impl Ends {
    /// `length` bytes at an offset, if they're within one of the ends.
    fn at(&self, offset: u64, length: usize) -> Option<&[u8]> {
        let part = |bytes: &'_ [u8], from: u64| -> Option<std::ops::Range<usize>> {
            let start = usize::try_from(offset.checked_sub(from)?).ok()?;
            let end = start.checked_add(length)?;
            (end <= bytes.len()).then_some(start..end)
        };
        let tail_start = self.size - self.tail.len() as u64;
        match part(&self.head, 0) {
            Some(range) => self.head.get(range),
            None => self.tail.get(part(&self.tail, tail_start)?),
        }
    }

    fn has(&self, offset: u64, magic: &[u8]) -> bool {
        self.at(offset, magic.len()) == Some(magic)
    }

    fn has_before_end(&self, distance: u64, magic: &[u8]) -> bool {
        self.size.checked_sub(distance).is_some_and(|offset| self.has(offset, magic))
    }
}

fn recognize(ends: &Ends) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    let start = AT_START.iter().filter(|(offset, magic, _)| ends.has(*offset, magic));
    let end = AT_END.iter().filter(|(distance, magic, _)| ends.has_before_end(*distance, magic));
    found.extend(start.chain(end).map(|(.., name)| name));
    found.extend(ext(ends));
    found.extend(lvm(ends).then_some("an LVM physical volume"));
    found.extend(md_at_end(ends));
    found.extend(zfs(ends).then_some("a member of a ZFS pool"));
    // Boot sectors of FAT and NTFS end like a partition table, and a GPT has one for its protection.
    if found.is_empty() && mbr(ends) {
        found.push("a partition table (MBR)");
    }
    let mut once = Vec::new();
    for name in found {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    once
}

/// The superblock at 1 KiB: magic at 0x38, compatible features at 0x5c (4 = journal), incompatible ones at 0x60
/// (0x40 extents, 0x80 64 bit, 0x200 flexible groups: ext4 alone has them).
fn ext(ends: &Ends) -> Option<&'static str> {
    if !ends.has(1024 + 0x38, &[0x53, 0xef]) {
        return None;
    }
    let word = |offset: u64| ends.at(1024 + offset, 4)?.try_into().ok().map(u32::from_le_bytes);
    Some(match (word(0x5c)?, word(0x60)?) {
        (_, incompatible) if incompatible & 0x2c0 != 0 => "an ext4 file system",
        (compatible, _) if compatible & 4 != 0 => "an ext3 file system",
        _ => "an ext2 file system",
    })
}

/// The label is in one of the first four sectors.
fn lvm(ends: &Ends) -> bool {
    (0..4).map(|sector| sector * 512).any(|at| ends.has(at, b"LABELONE") && ends.has(at + 24, b"LVM2 001"))
}

/// Superblock 1.0 lies 8 KiB before the end, rounded down to 4 KiB; 0.90 in the last whole 64 KiB, in either byte order.
fn md_at_end(ends: &Ends) -> Option<&'static str> {
    let magic = 0xa92b_4efc_u32;
    let newest = ends.size.checked_sub(8 * KIB).map(|offset| offset & !(4 * KIB - 1));
    if newest.is_some_and(|offset| ends.has(offset, &magic.to_le_bytes())) {
        return Some("a member of an md RAID (1.0)");
    }
    let old = (ends.size & !(64 * KIB - 1)).checked_sub(64 * KIB)?;
    let has = ends.has(old, &magic.to_le_bytes()) || ends.has(old, &magic.to_be_bytes());
    has.then_some("a member of an md RAID (0.90)")
}

/// Two labels of 256 KiB at each end; the second half of each is an array of uberblocks, at least 1 KiB apart.
fn zfs(ends: &Ends) -> bool {
    let magic = 0x00ba_b10c_u64;
    let end = ends.size & !(256 * KIB - 1);
    let labels = [Some(0), Some(256 * KIB), end.checked_sub(512 * KIB), end.checked_sub(256 * KIB)];
    let mut uberblocks = labels
        .into_iter()
        .flatten()
        .flat_map(|label| (0..128).map(move |slot| label + 128 * KIB + slot * KIB));
    uberblocks.any(|at| ends.has(at, &magic.to_le_bytes()) || ends.has(at, &magic.to_be_bytes()))
}

/// 0x55 0xAA at the end of the first sector, and four entries of which one has a type and a length, each marked as
/// bootable or not.
fn mbr(ends: &Ends) -> bool {
    let entries = ends.at(446, 64).unwrap_or_default().chunks_exact(16);
    ends.has(510, &[0x55, 0xaa])
        && entries.clone().all(|entry| matches!(entry, [0 | 0x80, ..]))
        && entries.clone().any(|entry| {
            matches!(entry, [_, _, _, _, kind, .., a, b, c, d] if *kind != 0 && [*a, *b, *c, *d] != [0; 4])
        })
}

#[cfg(test)]
#[path = "signatures_tests.rs"]
mod tests;
