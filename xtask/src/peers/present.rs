//! Available tools, and the sizes and disks of targets.

use crate::harness::Failure;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Finds a program in the search path.
pub(super) fn installed(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(name)).find(|path| path.is_file())
}

/// Returns the size of a file or device in bytes.
pub(super) fn size(target: &Path) -> Result<u64, Failure> {
    use std::io::{Seek, SeekFrom};
    let mut file = fs::File::open(target).map_err(|e| format!("{}: {e}", target.display()))?;
    match file.seek(SeekFrom::End(0))? {
        0 => Err(format!("{} is empty", target.display()).into()),
        size => Ok(size),
    }
}

pub(super) fn disk_of(target: &Path) -> Result<u32, Failure> {
    let found = fs::metadata(target)?;
    let number = if found.file_type().is_block_device() { found.rdev() } else { found.dev() };
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let own = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
    let name = match own.join("partition").exists() {
        true => fs::read_to_string(own.join("../dev"))?,
        false => format!("{major}:{minor}"),
    };
    let (major, minor) = name.trim().split_once(':').ok_or("a device without a number")?;
    Ok(major.parse::<u32>()? << 20 | minor.parse::<u32>()?)
}
