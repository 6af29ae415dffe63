//! Which file system a path lies on.

use diskspd_model::machine::file_systems::name_of_magic;
use std::path::Path;

/// Name of the type of the file system that a path lies on, as mount(8) takes it; the magic number as
/// `0x..` when it isn't known, empty when the path can't be looked at.
pub fn type_name(path: &Path) -> String {
    // The field is a signed long on some architectures; the numbers have 32 bits.
    rustix::fs::statfs(path).map(|found| name_of_magic(found.f_type as u32)).unwrap_or_default()
}
