//! The extents of a file (`FIEMAP`): whether all of its bytes were really written, and which were not.

mod pieces;
mod places;

pub use pieces::{ExtentPiece, PieceKind, each_piece};
pub use places::{DeviceExtent, places};

use rustix::ioctl::{Updater, ioctl, opcode};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

/// `struct fiemap_extent` of linux/fiemap.h.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Extent {
    /// Offset in the file in bytes.
    logical: u64,
    /// Offset on the device in bytes.
    physical: u64,
    length: u64,
    reserved64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

/// `struct fiemap` without its extents; its size is part of the request's number.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct MapHeader {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    room: u32,
    reserved: u32,
}

const ROOM: usize = 256;

#[repr(C)]
struct Map {
    header: MapHeader,
    extents: [Extent; ROOM],
}

const FS_IOC_FIEMAP: rustix::ioctl::Opcode = opcode::read_write::<MapHeader>(b'f', 11);
const FLAG_SYNC: u32 = 1;

const EXTENT_LAST: u32 = 0x1;
const EXTENT_UNKNOWN: u32 = 0x2;
const EXTENT_DELALLOC: u32 = 0x4;
const EXTENT_ENCODED: u32 = 0x8;
const EXTENT_INLINE: u32 = 0x200;
const EXTENT_UNWRITTEN: u32 = 0x800;
const EXTENT_SHARED: u32 = 0x2000;
/// Flags of extents whose data has no place on the device.
const EXTENT_ELSEWHERE: u32 = EXTENT_UNKNOWN | EXTENT_DELALLOC | EXTENT_ENCODED | EXTENT_INLINE;

/// Maximum size of a file whose data may be in its inode, where a rewrite stores it again.
const INLINE_LIMIT: u64 = 4096;

/// Returns whether every byte below `size` is in a written extent: no hole and no unwritten allocation,
/// because reads of those bypass the device. True for an empty file.
///
/// # Errors
/// Fails with `EOPNOTSUPP` or `ENOTTY` if the file system does not support it, or `EIO` and similar from
/// writeback.
pub fn all_written(file: impl AsFd, size: u64) -> io::Result<bool> {
    let mut covered = 0;
    while covered < size {
        let map = fetch_extents(file.as_fd(), covered, size, FLAG_SYNC)?;
        let extents = map.extents.get(..map.header.mapped as usize).unwrap_or_default();
        match next_offset(covered, size, extents) {
            Some(end) if end > covered => covered = end,
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// Whether the error means that the file system cannot report written extents.
pub fn cannot_tell(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::ENOTTY | libc::EINVAL | libc::EBADR))
}

/// Returns the first extents between two offsets.
fn fetch_extents(file: BorrowedFd<'_>, from: u64, to: u64, flags: u32) -> io::Result<Box<Map>> {
    let header =
        MapHeader { start: from, length: to - from, flags, room: ROOM as u32, ..MapHeader::default() };
    let mut map = Box::new(Map { header, extents: [Extent::default(); ROOM] });
    // SAFETY: the request reads the header and writes it and at most `room` extents behind it, which is how
    // Map is laid out; all its fields are plain integers.
    unsafe { ioctl(file, Updater::<FS_IOC_FIEMAP, Map>::new(&mut map)) }?;
    Ok(map)
}

/// Returns the written length when these extents follow `covered`; `None` if they leave a gap, or do not
/// reach the end.
fn next_offset(covered: u64, size: u64, extents: &[Extent]) -> Option<u64> {
    let mut end = covered;
    for extent in extents {
        let unfit = extent.flags & (EXTENT_UNKNOWN | EXTENT_DELALLOC | EXTENT_UNWRITTEN) != 0
            || extent.flags & EXTENT_INLINE != 0 && size > INLINE_LIMIT;
        if unfit || extent.logical > end {
            return None;
        }
        end = end.max(extent.logical.saturating_add(extent.length));
        if extent.flags & EXTENT_LAST != 0 {
            return (end >= size).then_some(end);
        }
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_extent(logical: u64, length: u64, flags: u32) -> Extent {
        Extent { logical, length, flags, ..Extent::default() }
    }

    #[test]
    fn gap_or_empty_extent_ends_the_walk() {
        let last = EXTENT_LAST;
        for (name, extents, expected) in [
            ("one extent", vec![sample_extent(0, 8192, last)], Some(8192)),
            ("two in a row", vec![sample_extent(0, 4096, 0), sample_extent(4096, 4096, last)], Some(8192)),
            ("more to come", vec![sample_extent(0, 4096, 0)], Some(4096)),
            ("longer than the file", vec![sample_extent(0, 1 << 20, last)], Some(1 << 20)),
            ("begins with a hole", vec![sample_extent(4096, 4096, last)], None),
            ("a hole between", vec![sample_extent(0, 2048, 0), sample_extent(4096, 4096, last)], None),
            ("ends with a hole", vec![sample_extent(0, 4096, last)], None),
            ("only allocated", vec![sample_extent(0, 8192, EXTENT_UNWRITTEN | last)], None),
            ("in memory", vec![sample_extent(0, 8192, EXTENT_DELALLOC | EXTENT_UNKNOWN | last)], None),
            ("in the inode", vec![sample_extent(0, 8192, EXTENT_INLINE | last)], None),
            ("nothing at all", vec![], Some(0)),
        ] {
            assert_eq!(next_offset(0, 8000, &extents), expected, "{name}");
        }
        assert_eq!(
            next_offset(0, 100, &[sample_extent(0, 100, EXTENT_INLINE | last)]),
            Some(100),
            "a tiny file in its inode"
        );
    }
}
