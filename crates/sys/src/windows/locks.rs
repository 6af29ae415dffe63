//! Locks of files, as programs of this kind take them against each other.

use std::fs::File;
use std::io;
use std::os::windows::io::AsRawHandle;
use std::path::Path;
use windows_sys::Win32::Foundation::ERROR_LOCK_VIOLATION;
use windows_sys::Win32::Storage::FileSystem::{
    LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx,
};
use windows_sys::Win32::System::IO::OVERLAPPED;

/// Lock file of a folder, not part of its content.
pub const IN_USE: &str = ".in-use";

/// Halves of the locked byte's offset, past any possible file content, because locked bytes are
/// inaccessible to other programs.
const BYTE: [u32; 2] = [u32::MAX - 1, i32::MAX as u32];

/// Locks an open file exclusively for this process until the file is closed or the process ends. False =
/// locked by another process.
pub fn hold(file: &File) -> io::Result<bool> {
    // SAFETY: the structure is made of integers and pointers, for which all bytes zero are a value.
    let mut at: OVERLAPPED = unsafe { std::mem::zeroed() };
    (at.Anonymous.Anonymous.Offset, at.Anonymous.Anonymous.OffsetHigh) = (BYTE[0], BYTE[1]);
    let flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    // SAFETY: the handle is open as long as the file is borrowed, and was opened for I/O that waits: the
    // system is done with the structure on this stack when it answers.
    let answer = unsafe { LockFileEx(file.as_raw_handle().cast(), flags, 0, 1, 0, &raw mut at) };
    if answer != 0 {
        return Ok(true);
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() == i32::try_from(ERROR_LOCK_VIOLATION).ok() {
        true => Ok(false),
        false => Err(error),
    }
}

/// Locks a folder for this process by a file in it, while the returned file lives. `None` = locked by another
/// process.
pub fn hold_folder(path: &Path) -> io::Result<Option<File>> {
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path.join(IN_USE))?;
    Ok(hold(&file)?.then_some(file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn lock_belongs_to_one_handle_and_permits_reading() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let open = || File::options().read(true).write(true).open(file.path()).unwrap();
        let (mut first, mut other) = (open(), open());
        assert!(hold(&first).unwrap());
        assert!(!hold(&other).unwrap(), "somebody has it");
        first.write_all(b"text").unwrap();
        let mut text = String::new();
        other.read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
        drop(first);
        assert!(hold(&other).unwrap(), "it goes with the file");
    }
}
