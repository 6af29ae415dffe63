//! Operations beside reads and writes, which move no data of the program's: done by the thread itself, or
//! as an entry of io_uring. Which way suits depends on what the target is.

use super::{block, room, zones};
use diskspd_model::operation::Operation;
use io_uring::{opcode, squeue, types};
use rustix::fs::{FallocateFlags, FileType};
use rustix::io::{Errno, retry_on_intr};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

/// `BLOCK_URING_CMD_DISCARD` of linux/blkdev.h: a discard as a command of io_uring.
const DISCARD_COMMAND: u32 = 0x12 << 8;

/// Whether an open file is a block device; what can't be looked at isn't.
pub fn is_device(file: impl AsFd) -> bool {
    let found = rustix::fs::fstat(file);
    found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::BlockDevice)
}

/// Does one on so many bytes of an open device or file; the thread waits for it.
///
/// # Errors
/// It can't be done; what changes something needs a file that is open for writing.
pub fn perform(op: Operation, file: BorrowedFd, device: bool, offset: u64, length: u64) -> io::Result<()> {
    match op {
        Operation::Flush => Ok(retry_on_intr(|| rustix::fs::fdatasync(file))?),
        Operation::Discard if device => block::discard(file, offset, length),
        Operation::Discard => room::punch(file, offset, length),
        Operation::WriteZeroes => {
            let flags = FallocateFlags::ZERO_RANGE | FallocateFlags::KEEP_SIZE;
            Ok(rustix::fs::fallocate(file, flags, offset, length)?)
        }
        Operation::ZoneReset => zones::reset(file, offset, length),
        Operation::Read | Operation::Write => Err(Errno::OPNOTSUPP.into()),
    }
}

/// The same as an entry of io_uring; `None` = there is none for it: of reads and writes, which are made
/// elsewhere, and of zone resets, which io_uring doesn't have. What a file system does is done by a
/// worker of the kernel, since it may wait.
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
        Operation::Read | Operation::Write | Operation::ZoneReset => return None,
    })
}

/// Whether the file system of an open file can do it: tries behind the end of the file, where nothing is.
/// The file has to be open for writing; a block device isn't asked.
///
/// # Errors
/// What the kernel answers: it can't.
pub fn can(op: Operation, file: impl AsFd, size: u64) -> io::Result<()> {
    /// A multiple of every block size.
    const BLOCK: u64 = 1 << 20;
    if op == Operation::Flush || is_device(&file) {
        return Ok(());
    }
    let behind = size.next_multiple_of(BLOCK);
    perform(op, file.as_fd(), false, behind, BLOCK)?;
    // What it took is given back: whoever zeroes ranges punches holes too.
    let _ = room::punch(file.as_fd(), behind, BLOCK);
    Ok(())
}
