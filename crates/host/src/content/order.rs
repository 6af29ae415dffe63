//! Parameters of a content check of a target.

use crate::located::ResolvedTarget;
use diskspd_profile::{RawText, TargetId};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::path::Path;

#[derive(Debug, Clone)]
pub struct Order {
    pub target: TargetId,
    pub path: RawText,
    pub located: ResolvedTarget,
    pub from: u64,
    pub to: u64,
    /// Alignment of offsets for `O_DIRECT` in bytes; 0 = unsupported.
    pub direct: u32,
}

pub(super) fn open(path: &Path, flags: OFlags) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | flags;
    let quietly = rustix::fs::open(path, flags | OFlags::NOATIME, Mode::empty());
    quietly.or_else(|_| rustix::fs::open(path, flags, Mode::empty())).ok().map(File::from)
}
