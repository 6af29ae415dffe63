//! File systems of paths and open files.

use diskspd_machine::file_systems::name_of_magic;
use rustix::fs::StatFs;
use std::os::fd::AsFd;
use std::path::Path;

/// Returns the mount(8) type name of a path's file system; the magic number as `0x..` if unknown, empty if
/// the path is inaccessible.
pub fn type_name(path: &Path) -> String {
    rustix::fs::statfs(path).map(|found| name(&found)).unwrap_or_default()
}

pub fn type_of_open(file: impl AsFd) -> String {
    rustix::fs::fstatfs(file).map(|found| name(&found)).unwrap_or_default()
}

// The field is a signed long on some architectures; the numbers have 32 bits.
fn name(found: &StatFs) -> String {
    name_of_magic(found.f_type as u32)
}
