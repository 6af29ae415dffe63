//! Storage stacks by open file. The file's name may lead elsewhere by then, or be hidden by a later mount.

use super::{Stack, of_device, read_stack};
use crate::device::split;
use crate::file_place::FileLocation;
use crate::nvme::Generic;
use crate::root::Root;
use diskspd_machine::stack::StackMount;
use rustix::fs::FileType;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

/// Returns the stack of an open target. `path`: its name, for processes without access to their own files
/// (no /proc).
///
/// An overlay copies a file to its upper directory when it is opened for writing, so written files must be
/// open for writing first.
pub fn of_open(root: &Root, file: &File, path: &Path) -> Stack {
    let Ok(found) = rustix::fs::fstat(file) else { return Stack::without("it cannot be inspected") };
    if FileType::from_raw_mode(found.st_mode) == FileType::BlockDevice {
        return of_device(root, split(found.st_rdev));
    }
    if let Some(generic) = Generic::from_stat(root, &found) {
        return generic.stack(root, |number| of_device(root, number));
    }
    match FileLocation::of_open(file, path) {
        Some(place) => read_stack(root, &place),
        None => Stack::without("its location cannot be determined"),
    }
}

/// Returns the lowest devices of an open target if they differ from `before`. Empty if they are the same,
/// or unknown. `path`: as for [`of_open`].
pub fn moved_to(root: &Root, before: &Stack, file: &File, path: &Path) -> Vec<String> {
    let bottom =
        |stack: &Stack| -> BTreeSet<String> { stack.leaves().map(|leaf| leaf.name.clone()).collect() };
    let now = bottom(&of_open(root, file, path));
    if now == bottom(before) { Vec::new() } else { now.into_iter().collect() }
}

/// The file systems under an open file now, where their options are others than in `before`; empty = they
/// are the same. `path`: as for [`of_open`].
pub fn remounted(root: &Root, before: &Stack, file: &File, path: &Path) -> Vec<StackMount> {
    if before.mounts.is_empty() {
        return Vec::new();
    }
    let now = of_open(root, file, path).mounts;
    if now == before.mounts { Vec::new() } else { now }
}
