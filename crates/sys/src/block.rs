//! Capacity, block size, write protection and discards of a block device.

use rustix::ioctl::{Getter, Setter, ioctl, opcode};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

/// `BLKGETSIZE64` of linux/fs.h, whose encoded size is the size of a `size_t` regardless of the result.
const BLKGETSIZE64: rustix::ioctl::Opcode = opcode::read::<usize>(0x12, 114);

/// `BLKROGET` of linux/fs.h.
const BLKROGET: rustix::ioctl::Opcode = opcode::none(0x12, 94);

/// `BLKDISCARD` of linux/fs.h.
const BLKDISCARD: rustix::ioctl::Opcode = opcode::none(0x12, 119);

/// Discards a part of a block device, in bytes; the device decides the result of later reads there.
///
/// # Errors
/// Fails if it is unsupported, or not open for writing.
pub fn discard(device: impl AsFd, offset: u64, length: u64) -> io::Result<()> {
    // SAFETY: the request reads two u64, offset and length, which live until the call returns; of memory it
    // touches nothing else.
    Ok(unsafe { ioctl(device, Setter::<BLKDISCARD, [u64; 2]>::new([offset, length])) }?)
}

/// Capacity of an open block device, bytes.
///
/// # Errors
/// Fails with `ENOTTY` if it is not a block device.
pub fn capacity(device: BorrowedFd<'_>) -> io::Result<u64> {
    // SAFETY: the request takes nothing and writes one u64 to where its argument leads, which is what
    // Getter provides.
    Ok(unsafe { ioctl(device, Getter::<BLKGETSIZE64, u64>::new()) }?)
}

/// Returns whether an open block device is read-only for all users.
///
/// # Errors
/// Fails with `ENOTTY` if it is not a block device.
pub(crate) fn read_only(device: BorrowedFd<'_>) -> io::Result<bool> {
    // SAFETY: the request takes nothing and writes one int to where its argument leads, which is what
    // Getter provides.
    Ok(unsafe { ioctl(device, Getter::<BLKROGET, std::ffi::c_int>::new()) }? != 0)
}

/// Returns the logical block size of an open block device in bytes. `O_DIRECT` transfers must be multiples
/// of it.
///
/// # Errors
/// Fails with `ENOTTY` if it is not a block device.
pub fn logical_block_size(device: BorrowedFd<'_>) -> io::Result<u32> {
    Ok(rustix::fs::ioctl_blksszget(device)?)
}
