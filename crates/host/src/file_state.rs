//! The state of an open file, which other processes may change.

use diskspd_machine::file_systems::{DataHome, FileSystemType};
use diskspd_machine::io_counters::FileState;
use diskspd_sys::file_systems;
use rustix::fs::{AtFlags, FileType, IFlags, StatVfsMountFlags, StatxFlags, statx};
use std::fs::File;

/// Whether calls on the file wait for another program or host, which may hang.
pub fn needs_server(file: &File) -> bool {
    let home = FileSystemType::from_name(&file_systems::type_of_open(file)).home;
    matches!(home, DataHome::Host | DataHome::Network | DataHome::Program)
}

/// The state of a regular file, as of `seen_us`; `None` if it is not a regular file, or cannot be inspected.
/// With `is_cached` only attributes in memory count, so that the call does not wait for a server.
pub fn read(file: &File, seen_us: u64, is_cached: bool) -> Option<FileState> {
    let flags = AtFlags::EMPTY_PATH | if is_cached { AtFlags::STATX_DONT_SYNC } else { AtFlags::empty() };
    let found = statx(file, c"", flags, StatxFlags::BASIC_STATS).ok()?;
    let is_file = FileType::from_raw_mode(found.stx_mode.into()) == FileType::RegularFile;
    let flagged = || rustix::fs::ioctl_getflags(file).is_ok_and(|flags| flags.contains(IFlags::SYNC));
    let mounted = || {
        let found = rustix::fs::fstatvfs(file);
        found.is_ok_and(|found| found.f_flag.contains(StatVfsMountFlags::SYNCHRONOUS))
    };
    is_file.then(|| FileState {
        observed_us: seen_us,
        size: found.stx_size,
        links: found.stx_nlink.into(),
        synchronous: !is_cached && (flagged() || mounted()),
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
        let state =
            |seen_us, size, links| Some(FileState { observed_us: seen_us, size, links, synchronous: false });
        assert_eq!(read(&file, 1, false), state(1, 100, 1));
        std::fs::hard_link(&path, folder.path().join("b")).unwrap();
        assert_eq!(read(&file, 2, true), state(2, 100, 2));
        File::options().write(true).open(&path).unwrap().set_len(7).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::remove_file(folder.path().join("b")).unwrap();
        assert_eq!(read(&file, 3, false), state(3, 7, 0));
        assert_eq!(read(&File::open(folder.path()).unwrap(), 4, false), None, "a folder");
    }
}
