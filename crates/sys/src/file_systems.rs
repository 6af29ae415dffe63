//! File systems of paths and open files.

use diskspd_model::machine::file_systems::name_of_magic;
use rustix::fs::StatFs;
use std::os::fd::AsFd;
use std::path::Path;

/// Name of the type of the file system that a path lies on, as mount(8) takes it; the magic number as
/// `0x..` when it isn't known, empty when the path can't be looked at.
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
