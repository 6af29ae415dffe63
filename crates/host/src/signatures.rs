//! Detection of a device's content by the signatures of file systems, partition tables, volume managers
//! and others at its start and end. Writing would destroy this content. The results combine libblkid, if
//! installed, and the built-in table (`signatures/marks.rs`). The table has formats unknown to libblkid,
//! and works alone.

mod magic;

use magic::{AT_END, AT_START, DRBD, PAGES, SWAP, UFS};
use std::borrow::Cow;
use std::io;
#[cfg(target_os = "linux")]
use {
    diskspd_sys::blkid,
    magic::{KINDS, TABLES},
    std::fs::File,
    std::os::fd::AsFd,
    std::os::unix::fs::FileExt,
};

/// Bytes checked at the start, up to the last position of a second LUKS header.
pub const HEAD: u64 = (4 << 20) + (64 << 10);

/// Bytes checked at the end, as far as Promise's RAID signature.
pub(crate) const TAIL: u64 = 2 << 20;

const KIB: u64 = 1 << 10;

pub type Name = Cow<'static, str>;

/// Returns the table's matches on a device of `size` bytes. `read` fills a buffer from an offset.
pub(crate) fn find_in(
    size: u64,
    mut read: impl FnMut(&mut [u8], u64) -> io::Result<()>,
) -> io::Result<Vec<Name>> {
    let buffer = |length: u64| vec![0; usize::try_from(size.min(length)).unwrap_or_default()];
    let (mut head, mut tail) = (buffer(HEAD), buffer(TAIL));
    read(&mut head, 0)?;
    let tail_start = size - tail.len() as u64;
    read(&mut tail, tail_start)?;
    Ok(recognize(&DeviceEnds { head, tail, size }).into_iter().map(Cow::Borrowed).collect())
}

/// Returns the content of a device of `size` bytes, without duplicates; empty = unknown.
#[cfg(target_os = "linux")]
pub fn find(device: &File, size: u64) -> io::Result<Vec<Name>> {
    let mut found = find_in_table(device, size)?;
    for name in blkid::probe(device.as_fd()).iter().flat_map(signature_names) {
        // A name may say more, in brackets.
        if !found.iter().any(|known| known.starts_with(&*name)) {
            found.push(name);
        }
    }
    // Data read here must not stay in memory when the run begins.
    let _ = rustix::fs::fadvise(device, 0, None, rustix::fs::Advice::DontNeed);
    Ok(found)
}

/// Returns the signatures of the table, without libblkid.
#[cfg(target_os = "linux")]
fn find_in_table(device: &File, size: u64) -> io::Result<Vec<Name>> {
    find_in(size, |bytes, offset| device.read_exact_at(bytes, offset))
}

#[cfg(target_os = "linux")]
fn signature_names(found: &blkid::BlkidSignature) -> impl Iterator<Item = Name> {
    let named = |table: &'static [(&str, &'static str)], kind: &str| {
        table.iter().find(|(known, _)| *known == kind).map(|(_, name)| Cow::Borrowed(*name))
    };
    let kind = &found.kind;
    let format = (!kind.is_empty()).then(|| match (named(KINDS, kind), found.usage.as_str()) {
        (Some(name), _) => name,
        (None, "filesystem") => format!("a file system ({kind})").into(),
        (None, "raid") => format!("a member of a RAID or pool ({kind})").into(),
        (None, "crypto") => format!("an encrypted volume ({kind})").into(),
        (None, _) => format!("data of a known format ({kind})").into(),
    });
    let table = (!found.table.is_empty()).then(|| {
        named(TABLES, &found.table).unwrap_or_else(|| format!("a partition table ({})", found.table).into())
    });
    format.into_iter().chain(table)
}

/// First and last bytes of a device.
struct DeviceEnds {
    head: Vec<u8>,
    tail: Vec<u8>,
    size: u64,
}

impl DeviceEnds {
    /// Returns `length` bytes at an offset, if they are within one of the ends.
    fn bytes_at(&self, offset: u64, length: usize) -> Option<&[u8]> {
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

    fn has_magic(&self, offset: u64, magic: &[u8]) -> bool {
        self.bytes_at(offset, magic.len()) == Some(magic)
    }

    fn has_before_end(&self, distance: u64, magic: &[u8]) -> bool {
        (self.size & !511).checked_sub(distance).is_some_and(|offset| self.has_magic(offset, magic))
    }
}

fn recognize(ends: &DeviceEnds) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    let start = AT_START.iter().filter(|(offset, magic, _)| ends.has_magic(*offset, magic));
    let end = AT_END.iter().filter(|(distance, magic, _)| ends.has_before_end(*distance, magic));
    found.extend(start.chain(end).map(|(.., name)| name));
    let pages = PAGES.iter().flat_map(|page| SWAP.iter().map(move |(magic, name)| (page - 10, magic, name)));
    found.extend(pages.filter(|(at, magic, _)| ends.has_magic(*at, magic)).map(|(.., name)| name));
    found.extend(ext_version(ends));
    found.extend(is_ufs(ends).then_some("a UFS file system"));
    found.extend(xfs_journal(ends).then_some("a journal of an xfs file system"));
    found.extend(is_drbd(ends).then_some("a DRBD device"));
    found.extend(is_via(ends).then_some("a member of a VIA RAID"));
    found.extend(is_atari(ends).then_some("a partition table (Atari)"));
    found.extend(core_storage(ends).then_some("a Core Storage volume (FileVault 2)"));
    found.extend(is_pc98(ends).then_some("a partition table (PC-98)"));
    found.extend(is_lvm(ends).then_some("an LVM physical volume"));
    found.extend(md_at_end(ends));
    found.extend(is_zfs(ends).then_some("a member of a ZFS pool"));
    // Boot sectors of FAT and NTFS end like a partition table, and a GPT has one for its protection.
    if found.is_empty() && is_mbr(ends) {
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

/// The superblock at 1 KiB: magic at 0x38, compatible features at 0x5c (4 = journal), incompatible ones at
/// 0x60 (0x40 extents, 0x80 64 bit, 0x200 flexible groups: ext4 alone has them).
fn ext_version(ends: &DeviceEnds) -> Option<&'static str> {
    if !ends.has_magic(1024 + 0x38, &[0x53, 0xef]) {
        return None;
    }
    let word = |offset: u64| ends.bytes_at(1024 + offset, 4)?.try_into().ok().map(u32::from_le_bytes);
    Some(match (word(0x5c)?, word(0x60)?) {
        // It has its own device.
        (_, incompatible) if incompatible & 8 != 0 => "a journal of an ext file system",
        (_, incompatible) if incompatible & 0x2c0 != 0 => "an ext4 file system",
        (compatible, _) if compatible & 4 != 0 => "an ext3 file system",
        _ => "an ext2 file system",
    })
}

fn is_ufs(ends: &DeviceEnds) -> bool {
    let (places, magic, values) = UFS;
    let bytes = |at: u64| -> Option<[u8; 4]> { ends.bytes_at(at + magic, 4)?.try_into().ok() };
    places.into_iter().filter_map(bytes).any(|bytes| {
        values.contains(&u32::from_le_bytes(bytes)) || values.contains(&u32::from_be_bytes(bytes))
    })
}

/// Whether it is an external XFS log, with a record in one of the first sectors. Checks magic number,
/// version and non-zero length in `xlog_rec_header` of linux fs/xfs/libxfs/xfs_log_format.h.
fn xfs_journal(ends: &DeviceEnds) -> bool {
    let record = |at: u64| {
        let version = ends.bytes_at(at + 8, 4).map(|version| matches!(version, [0, 0, 0, 1..=3]));
        let empty = ends.bytes_at(at + 12, 4) == Some(&[0; 4]);
        ends.has_magic(at, &[0xfe, 0xed, 0xba, 0xbe]) && version == Some(true) && !empty
    };
    (0..512).any(|sector| record(sector * 512))
}

fn is_drbd(ends: &DeviceEnds) -> bool {
    let (offset, versions) = DRBD;
    let place = (ends.size & !(4 * KIB - 1)).checked_sub(4 * KIB);
    // At the end as it is, too: libblkid looks there.
    let places = [place, ends.size.checked_sub(4 * KIB)];
    places.into_iter().flatten().any(|at| versions.iter().any(|magic| ends.has_magic(at + offset, magic)))
}

/// Whether it is a VIA RAID: a short magic number, and a checksum of the first 50 bytes (libblkid
/// superblocks/via_raid.c).
fn is_via(ends: &DeviceEnds) -> bool {
    let Some(at) = (ends.size & !511).checked_sub(512) else { return false };
    match ends.bytes_at(at, 51) {
        Some([summed @ .., sum]) if summed.starts_with(&[0x55, 0xaa]) => {
            summed.get(2).is_some_and(|version| *version <= 2)
                && summed.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte)) == *sum
        }
        _ => false,
    }
}

/// Atari's root sector has no magic number: four entries of 12 bytes at 0x1c6, a flag, three letters, start
/// and length in sectors (linux block/partitions/atari.h).
fn is_atari(ends: &DeviceEnds) -> bool {
    const KINDS: [&[u8]; 6] = [b"GEM", b"BGM", b"XGM", b"LNX", b"SWP", b"RAW"];
    let entries = ends.bytes_at(0x1c6, 48).unwrap_or_default().chunks_exact(12);
    let number = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_be_bytes);
    entries.into_iter().any(|entry| match entry {
        [flag, a, b, c, rest @ ..] if flag & 1 == 1 && KINDS.contains(&&[*a, *b, *c][..]) => {
            let (start, length) = rest.split_at(4);
            let end = u64::from(number(start)) + u64::from(number(length));
            number(length) > 0 && end <= ends.size / 512
        }
        _ => false,
    })
}

/// The header of a physical volume of Apple's Core Storage: a checksum of 8 bytes, version 1, kind of block
/// 0x10; at 88 its letters and the kind of checksum (libblkid superblocks/cs_fvault2.c).
fn core_storage(ends: &DeviceEnds) -> bool {
    ends.has_magic(88, b"CS") && ends.has_magic(8, &[1, 0, 0x10, 0]) && ends.has_magic(90, &[1, 0, 0, 0])
}

/// The table of NEC's PC-98 has the end mark of a boot sector, and the name of its loader in front.
fn is_pc98(ends: &DeviceEnds) -> bool {
    let loaders: [&[u8]; 3] = [b"IPL1", b"Linux 98", b"GRUB/98 "];
    ends.has_magic(510, &[0x55, 0xaa]) && loaders.iter().any(|loader| ends.has_magic(4, loader))
}

/// Whether one of the first four sectors has an LVM label.
fn is_lvm(ends: &DeviceEnds) -> bool {
    (0..4)
        .map(|sector| sector * 512)
        .any(|at| ends.has_magic(at, b"LABELONE") && ends.has_magic(at + 24, b"LVM2 001"))
}

/// Superblock 1.0 lies 8 KiB before the end, rounded down to 4 KiB; 0.90 in the last whole 64 KiB, in
/// either byte order.
fn md_at_end(ends: &DeviceEnds) -> Option<&'static str> {
    let magic = 0xa92b_4efc_u32;
    let newest = ends.size.checked_sub(8 * KIB).map(|offset| offset & !(4 * KIB - 1));
    if newest.is_some_and(|offset| ends.has_magic(offset, &magic.to_le_bytes())) {
        return Some("a member of an md RAID (1.0)");
    }
    let old = (ends.size & !(64 * KIB - 1)).checked_sub(64 * KIB)?;
    let has = ends.has_magic(old, &magic.to_le_bytes()) || ends.has_magic(old, &magic.to_be_bytes());
    has.then_some("a member of an md RAID (0.90)")
}

/// Two labels of 256 KiB at each end; the second half of each is an array of uberblocks, at least 1 KiB
/// apart.
fn is_zfs(ends: &DeviceEnds) -> bool {
    let magic = 0x00ba_b10c_u64;
    let end = ends.size & !(256 * KIB - 1);
    let labels = [Some(0), Some(256 * KIB), end.checked_sub(512 * KIB), end.checked_sub(256 * KIB)];
    let mut uberblocks = labels
        .into_iter()
        .flatten()
        .flat_map(|label| (0..128).map(move |slot| label + 128 * KIB + slot * KIB));
    uberblocks.any(|at| ends.has_magic(at, &magic.to_le_bytes()) || ends.has_magic(at, &magic.to_be_bytes()))
}

/// Whether it is an MBR: 0x55 0xAA at the end of the first sector, and four entries with valid boot flags.
/// A table without partitions counts too, because it may have a boot loader and a disk identifier.
fn is_mbr(ends: &DeviceEnds) -> bool {
    let mut entries = ends.bytes_at(446, 64).unwrap_or_default().chunks_exact(16);
    ends.has_magic(510, &[0x55, 0xaa]) && entries.all(|entry| matches!(entry, [0 | 0x80, ..]))
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests;
