//! What the kernel's queues (io_uring, Linux AIO) have in common: one transfer, and how it is named.

use super::io_priority::IoPriority;

/// One transfer between the memory of a queue and one of its files.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    /// To the file, else from it.
    pub write: bool,
    /// Index of the file.
    pub file: u32,
    /// Position in the file, bytes.
    pub offset: u64,
    /// Position in the memory, bytes.
    pub start: usize,
    /// Bytes.
    pub length: u32,
    /// Comes back with the completion. Below the depth.
    pub tag: u32,
    /// Told to the I/O scheduler.
    pub priority: IoPriority,
}
