//! The state of an open file, which other processes may change.

use diskspd_model::machine::io_counters::FileState;
use rustix::fs::{FileType, IFlags, StatVfsMountFlags};
use std::fs::File;

/// The state of a regular file, as of `seen_us`; `None` = it is not a regular file, or can't be inspected.
pub fn read(file: &File, seen_us: u64) -> Option<FileState> {
    let found = rustix::fs::fstat(file).ok()?;
    let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
    let flagged = || rustix::fs::ioctl_getflags(file).is_ok_and(|flags| flags.contains(IFlags::SYNC));
    let mounted = || {
        let found = rustix::fs::fstatvfs(file);
        found.is_ok_and(|found| found.f_flag.contains(StatVfsMountFlags::SYNCHRONOUS))
    };
    is_file.then(|| FileState {
        seen_us,
        size: u64::try_from(found.st_size).unwrap_or(0),
        links: found.st_nlink as u64,
        synchronous: flagged() || mounted(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sees_size_and_names_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, [0; 100]).unwrap();
        let file = File::open(&path).unwrap();
        let state = |seen_us, size, links| Some(FileState { seen_us, size, links, synchronous: false });
        assert_eq!(read(&file, 1), state(1, 100, 1));
        std::fs::hard_link(&path, folder.path().join("b")).unwrap();
        assert_eq!(read(&file, 2), state(2, 100, 2));
        File::options().write(true).open(&path).unwrap().set_len(7).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::remove_file(folder.path().join("b")).unwrap();
        assert_eq!(read(&file, 3), state(3, 7, 0));
        assert_eq!(read(&File::open(folder.path()).unwrap(), 4), None, "a folder");
    }
}
