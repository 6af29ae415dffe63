//! Common parts of the kernel's queues (io_uring, Linux AIO): a transfer, and its identification.

use diskspd_base::access::IoPriority;
use diskspd_base::operation::Operation;

/// Most bytes of one transfer: 2 GiB less one page. The kernel shortens anything longer (`read(2)`, NOTES).
pub const MAX_LENGTH: u32 = 0x7fff_f000;

/// One transfer between the memory of a queue and one of its files, or what else is done to that.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    /// Operation; those without data do not use the memory.
    pub op: Operation,
    pub file: u32,
    /// Position in the file in bytes.
    pub offset: u64,
    /// Position in the memory in bytes.
    pub start: usize,
    pub length: u32,
    /// Tag of the completion, less than the depth.
    pub tag: u32,
    /// Priority for the I/O scheduler.
    pub priority: IoPriority,
}

/// Whether the kernel would execute exactly `length` bytes at `offset` of a file, from or to `start` in
/// `memory` bytes. It shortens transfers over [`MAX_LENGTH`], and its offsets are signed.
#[inline]
pub fn fits(offset: u64, length: u32, start: usize, memory: usize) -> bool {
    length <= MAX_LENGTH
        && offset <= i64::MAX as u64
        && start.checked_add(length as usize).is_some_and(|end| end <= memory)
}

/// Whether the range of an operation without data, whose length is not limited by memory, is valid.
pub fn fits_without_data(offset: u64, length: u32) -> bool {
    offset.checked_add(length.into()).is_some_and(|end| i64::try_from(end).is_ok())
}
