//! Files by what is open, not by a name: a name may lead elsewhere by now, or lie beneath a later mount.

use super::{Stack, at, of_device};
use crate::device::split;
use crate::file_place::FilePlace;
use crate::nvme::Generic;
use crate::root::Root;
use diskspd_model::machine::stack::StackMount;
use rustix::fs::FileType;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

/// What an open target lies on; `path`: where it was found, for a process that can't see its own files
/// (no /proc).
///
/// An overlay copies a file to its upper directory when it is opened for writing: what is to be written has
/// to be open for that before it is asked where it lies.
pub fn of_open(root: &Root, file: &File, path: &Path) -> Stack {
    let Ok(found) = rustix::fs::fstat(file) else { return Stack::without("it can't be inspected") };
    if FileType::from_raw_mode(found.st_mode) == FileType::BlockDevice {
        return of_device(root, split(found.st_rdev));
    }
    if let Some(generic) = Generic::from_stat(root, &found) {
        return generic.stack(root, |number| of_device(root, number));
    }
    match FilePlace::of_open(file, path) {
        Some(place) => at(root, &place),
        None => Stack::without("its location cannot be determined"),
    }
}

/// Names of the devices at the bottom of an open target now, where they are others than those of `before`;
/// empty = they are the same, or it can't be told. `path`: as for [`of_open`].
pub fn moved_to(before: &Stack, file: &File, path: &Path) -> Vec<String> {
    let bottom =
        |stack: &Stack| -> BTreeSet<String> { stack.leaves().map(|leaf| leaf.name.clone()).collect() };
    let now = bottom(&of_open(&Root::live(), file, path));
    if now == bottom(before) { Vec::new() } else { now.into_iter().collect() }
}

/// The file systems under an open file now, where their options are others than in `before`; empty = they
/// are the same. `path`: as for [`of_open`].
pub fn remounted(before: &Stack, file: &File, path: &Path) -> Vec<StackMount> {
    if before.mounts.is_empty() {
        return Vec::new();
    }
    let now = of_open(&Root::live(), file, path).mounts;
    if now == before.mounts { Vec::new() } else { now }
}
