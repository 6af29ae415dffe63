//! Operations other than reads and writes, without data transfer of the program: synchronous, or as an
//! entry of io_uring. The target decides which way is suitable.

use super::{block, free_space, zones};
use diskspd_base::operation::Operation;
use io_uring::{opcode, squeue, types};
use rustix::fs::{FallocateFlags, FileType};
use rustix::io::{Errno, retry_on_intr};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

/// `BLOCK_URING_CMD_DISCARD` of linux/blkdev.h: discard command of io_uring.
const DISCARD_COMMAND: u32 = 0x12 << 8;

/// Whether an open file is a block device; false if it is inaccessible.
pub fn is_device(file: impl AsFd) -> bool {
    let found = rustix::fs::fstat(file);
    found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::BlockDevice)
}

/// Executes an operation on this number of bytes of an open device or file, and waits for it.
///
/// # Errors
/// Fails if unsupported; modifications require a file that is open for writing.
pub fn perform(op: Operation, file: BorrowedFd, device: bool, offset: u64, length: u64) -> io::Result<()> {
    match op {
        Operation::Flush => Ok(retry_on_intr(|| rustix::fs::fdatasync(file))?),
        Operation::Discard if device => block::discard(file, offset, length),
        Operation::Discard => free_space::punch(file, offset, length),
        Operation::WriteZeroes => {
            let flags = FallocateFlags::ZERO_RANGE | FallocateFlags::KEEP_SIZE;
            Ok(rustix::fs::fallocate(file, flags, offset, length)?)
        }
        Operation::ZoneReset => zones::reset(file, offset, length),
        Operation::Read | Operation::Write | Operation::DurableWrite => Err(Errno::OPNOTSUPP.into()),
    }
}

/// Returns the operation as an io_uring entry. `None` for reads and writes, which are created elsewhere,
/// and zone resets, which io_uring lacks. File system operations run in a kernel worker, because they may
/// block.
pub(super) fn entry(
    op: Operation,
    file: types::Fd,
    device: bool,
    offset: u64,
    length: u64,
) -> Option<squeue::Entry> {
    let allocate = |mode| opcode::Fallocate::new(file, length).offset(offset).mode(mode).build();
    Some(match op {
        Operation::Flush => opcode::Fsync::new(file).flags(types::FsyncFlags::DATASYNC).build(),
        Operation::Discard if device => {
            // A command with the first byte as its address and the length behind it. By a worker of the
            // kernel from the start: when the device has no room for it, one does it again, and that fails
            // with EINVAL under load (Linux 6.18), as if the entry were read anew when it is another I/O's.
            let mut rest = [0; 16];
            rest[..8].copy_from_slice(&length.to_ne_bytes());
            let command = opcode::UringCmd16::new(file, DISCARD_COMMAND).addr(Some(offset)).cmd(rest);
            command.build().flags(squeue::Flags::ASYNC)
        }
        Operation::Discard => allocate(libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE),
        Operation::WriteZeroes => allocate(libc::FALLOC_FL_ZERO_RANGE | libc::FALLOC_FL_KEEP_SIZE),
        Operation::Read | Operation::Write | Operation::DurableWrite | Operation::ZoneReset => return None,
    })
}

/// Checks that the file system of an open file supports it, by trying past the end of the file. The file
/// must be open for writing; a block device is not checked.
///
/// # Errors
/// Fails with the kernel's error if unsupported.
pub fn supports(op: Operation, file: impl AsFd, size: u64) -> io::Result<()> {
    /// Multiple of every block size.
    const BLOCK: u64 = 1 << 20;
    if op == Operation::Flush || op.moves_data() || is_device(&file) {
        return Ok(());
    }
    let behind = size.next_multiple_of(BLOCK);
    perform(op, file.as_fd(), false, behind, BLOCK)?;
    // Frees the allocated space again: a file system that zeroes ranges can also punch holes.
    let _ = free_space::punch(file.as_fd(), behind, BLOCK);
    Ok(())
}
