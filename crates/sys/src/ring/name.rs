//! How entries name their files.

use crate::operation;
use diskspd_base::access::IoFeatures;
use io_uring::squeue;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

#[derive(Debug, Clone, Copy)]
pub struct Name {
    pub file: RawFd,
    pub flags: squeue::Flags,
    pub device: bool,
    pub data: DataForm,
}

/// Form of the read and write commands of a file.
#[derive(Debug, Clone, Copy)]
pub enum DataForm {
    Registered,
    Unregistered,
    /// With flags; the boolean states whether the memory is registered.
    With(IoFeatures, bool),
}

impl Name {
    pub fn from_file(file: &OwnedFd) -> Name {
        let device = operation::is_device(file);
        Name { file: file.as_raw_fd(), flags: squeue::Flags::empty(), device, data: DataForm::Unregistered }
    }
}
