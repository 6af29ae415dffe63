//! Discards: a part of a device or file is given back, and what was there is gone (`--trim`).

use super::{block, room};
use diskspd_model::access::TrimWay;
use std::io;
use std::os::fd::AsFd;

/// `BLOCK_URING_CMD_DISCARD` of linux/blkdev.h: a discard as a command of io_uring.
pub(super) const DISCARD_COMMAND: u32 = 0x12 << 8;

/// Gives back a part of an open device or file, in bytes; the thread waits for it.
///
/// # Errors
/// It can't; it isn't open for writing.
pub fn trim(file: impl AsFd, way: TrimWay, offset: u64, length: u32) -> io::Result<()> {
    match way {
        TrimWay::Discard => block::discard(file, offset, length.into()),
        TrimWay::Punch => room::punch(file, offset, length.into()),
    }
}

/// Whether the file system of an open file can punch holes: asks for one behind the end of the file, where
/// nothing is. The file has to be open for writing.
///
/// # Errors
/// What the kernel answers: it can't.
pub fn can_punch(file: impl AsFd, size: u64) -> io::Result<()> {
    /// A multiple of every block size.
    const BLOCK: u64 = 1 << 20;
    room::punch(file, size.next_multiple_of(BLOCK), BLOCK)
}
