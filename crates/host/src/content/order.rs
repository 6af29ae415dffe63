//! What is looked at of a target's content, and when.

use crate::located::Located;
use diskspd_model::profile::{RawText, TargetId};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::path::Path;

#[derive(Debug, Clone)]
pub struct Order {
    pub target: TargetId,
    pub path: RawText,
    pub located: Located,
    /// First byte that is read.
    pub from: u64,
    pub to: u64,
    /// What `O_DIRECT` needs offsets to be multiples of, bytes; 0 = it isn't possible.
    pub direct: u32,
}

pub(super) fn open(path: &Path, flags: OFlags) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | flags;
    let quietly = rustix::fs::open(path, flags | OFlags::NOATIME, Mode::empty());
    quietly.or_else(|_| rustix::fs::open(path, flags, Mode::empty())).ok().map(File::from)
}
