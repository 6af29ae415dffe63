//! Capacity, block size and write protection of a block device.

use rustix::ioctl::{Getter, ioctl, opcode};
use std::io;
use std::os::fd::BorrowedFd;

/// `BLKGETSIZE64` of linux/fs.h, whose "size" is that of a `size_t`, whatever it writes.
const BLKGETSIZE64: rustix::ioctl::Opcode = opcode::read::<usize>(0x12, 114);

/// `BLKROGET` of linux/fs.h.
const BLKROGET: rustix::ioctl::Opcode = opcode::none(0x12, 94);

/// Capacity of an open block device, bytes.
///
/// # Errors
/// `ENOTTY` when it isn't a block device.
pub fn capacity(device: BorrowedFd<'_>) -> io::Result<u64> {
    // SAFETY: the request takes nothing and writes one u64 to where its argument leads, which is what
    // Getter provides.
    Ok(unsafe { ioctl(device, Getter::<BLKGETSIZE64, u64>::new()) }?)
}

/// Whether the kernel lets nobody write to an open block device.
///
/// # Errors
/// `ENOTTY` when it isn't a block device.
pub fn read_only(device: BorrowedFd<'_>) -> io::Result<bool> {
    // SAFETY: the request takes nothing and writes one int to where its argument leads, which is what
    // Getter provides.
    Ok(unsafe { ioctl(device, Getter::<BLKROGET, std::ffi::c_int>::new()) }? != 0)
}

/// Logical block size of an open block device, bytes: what `O_DIRECT` transfers have to be multiples of.
///
/// # Errors
/// `ENOTTY` when it isn't a block device.
pub fn logical_block_size(device: BorrowedFd<'_>) -> io::Result<u32> {
    Ok(rustix::fs::ioctl_blksszget(device)?)
}
