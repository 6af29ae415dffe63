//! The system's metadata of a file: its kind and identity.

use std::fs::{File, Metadata};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::Path;
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_FLAG_BACKUP_SEMANTICS, GetFileInformationByHandle,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    File,
    Directory,
    BlockDevice,
    Pipe,
    Socket,
    Other,
}

impl Kind {
    /// Returns the kind of an inspected object. Drives, volumes and pipes cannot be inspected this way.
    pub fn from_metadata(found: &Metadata) -> Kind {
        match (found.is_file(), found.is_dir()) {
            (true, _) => Kind::File,
            (_, true) => Kind::Directory,
            _ => Kind::Other,
        }
    }
}

/// Returns (volume, file number) of a path's file: the same for all names of one file.
///
/// # Errors
/// Fails if it does not exist, or is inaccessible.
pub fn identity_at(path: &Path) -> io::Result<(u64, u64)> {
    // Nothing is read: so it can be opened whoever uses it. The flag is for folders.
    identity_of(&File::options().access_mode(0).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)?)
}

pub fn identity_of_open(file: &File) -> Option<(u64, u64)> {
    identity_of(file).ok()
}

/// Returns `None`, because Windows reopens files only by name.
pub fn reopen_to_read(_: &File) -> Option<File> {
    None
}

fn identity_of(file: &File) -> io::Result<(u64, u64)> {
    // SAFETY: the structure is made of integers, for which all bytes zero are a value.
    let mut found: BY_HANDLE_FILE_INFORMATION = unsafe { std::mem::zeroed() };
    // SAFETY: the file is open; the structure lives on this stack.
    if unsafe { GetFileInformationByHandle(file.as_raw_handle().cast(), &raw mut found) } == 0 {
        return Err(io::Error::last_os_error());
    }
    let number = (u64::from(found.nFileIndexHigh) << 32) | u64::from(found.nFileIndexLow);
    Ok((found.dwVolumeSerialNumber.into(), number))
}

/// Returns 0, because users have no numbers.
pub fn owner(_: &Metadata) -> u32 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_file_have_equal_identity() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("one"), "").unwrap();
        std::fs::write(at("other"), "").unwrap();
        std::fs::hard_link(at("one"), at("hard")).unwrap();
        let identity = |name: &str| identity_at(&at(name)).unwrap();
        assert_eq!(identity("one"), identity("hard"));
        assert_eq!(identity("one"), identity(".\\one"));
        assert_ne!(identity("one"), identity("other"));
        assert!(identity_at(&at("none")).is_err() && identity_at(folder.path()).is_ok());
        let kind = |path: &Path| Kind::from_metadata(&std::fs::metadata(path).unwrap());
        assert_eq!((kind(&at("one")), kind(folder.path())), (Kind::File, Kind::Directory));
    }
}
