//! What the kernel is told of an I/O: an entry of the submission queue.

use crate::memory::Buffer;
use crate::operation;
use crate::transfer::{Transfer, fits, fits_without_data};
use diskspd_model::operation::Operation;
use io_uring::{opcode, squeue, types};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// What an entry says of its file.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntryFile {
    /// Its index when registered, else its descriptor.
    pub(super) number: RawFd,
    pub(super) flags: squeue::Flags,
    /// It is a block device.
    device: bool,
}

impl EntryFile {
    /// By its descriptor.
    pub(super) fn of(file: &OwnedFd) -> EntryFile {
        let device = operation::is_device(file);
        EntryFile { number: file.as_raw_fd(), flags: squeue::Flags::empty(), device }
    }
}

/// The entry of a read or write; `None` = the memory has no such range, or the kernel wouldn't take it as it
/// is.
#[inline(always)]
pub(super) fn data_entry(
    memory: &Buffer,
    registered: bool,
    file: &EntryFile,
    transfer: &Transfer,
) -> Option<squeue::Entry> {
    let Transfer { offset, length, start, .. } = *transfer;
    let write = transfer.op == Operation::Write;
    if !fits(offset, length, start, memory.usable(write)) {
        return None;
    }
    let (file, priority) = (types::Fd(file.number), transfer.priority.encoded());
    // SAFETY: start is within the memory, checked above.
    let data = unsafe { memory.as_ptr().add(start) };
    Some(match (registered, write) {
        (true, false) => {
            opcode::ReadFixed::new(file, data, length, 0).offset(offset).ioprio(priority).build()
        }
        (true, true) => {
            opcode::WriteFixed::new(file, data, length, 0).offset(offset).ioprio(priority).build()
        }
        (false, false) => opcode::Read::new(file, data, length).offset(offset).ioprio(priority).build(),
        (false, true) => opcode::Write::new(file, data, length).offset(offset).ioprio(priority).build(),
    })
}

/// The entry of what refers to no memory.
#[cold]
pub(super) fn other_entry(file: &EntryFile, transfer: &Transfer) -> Option<squeue::Entry> {
    let Transfer { op, offset, length, .. } = *transfer;
    let entry = || operation::entry(op, types::Fd(file.number), file.device, offset, length.into());
    fits_without_data(offset, length).then(entry).flatten()
}
