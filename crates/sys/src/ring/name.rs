//! How entries name their files.

use crate::operation;
use diskspd_model::access::IoWays;
use io_uring::squeue;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// What an entry says of its file.
#[derive(Debug, Clone, Copy)]
pub struct Name {
    /// Its index when registered, else its descriptor.
    pub file: RawFd,
    /// Of the entry.
    pub flags: squeue::Flags,
    /// It is a block device.
    pub device: bool,
    /// How its reads and writes are stated.
    pub data: DataForm,
}

/// How the reads and writes of a file are stated.
#[derive(Debug, Clone, Copy)]
pub enum DataForm {
    /// The memory is registered.
    Registered,
    /// It isn't.
    Unregistered,
    /// They ask this of the kernel, and the memory is registered or not.
    With(IoWays, bool),
}

impl Name {
    /// By its descriptor.
    pub fn of(file: &OwnedFd) -> Name {
        let device = operation::is_device(file);
        Name { file: file.as_raw_fd(), flags: squeue::Flags::empty(), device, data: DataForm::Unregistered }
    }
}
