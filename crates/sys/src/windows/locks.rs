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

/// The file by which a folder is taken: it is none of what is kept there.
pub const IN_USE: &str = ".in-use";

/// Where the locked byte is, by the halves of its offset: behind everything that a file can hold, because
/// nobody else may read or write what is locked.
const BYTE: [u32; 2] = [u32::MAX - 1, i32::MAX as u32];

/// Takes the lock of an open file for this process, which no other then gets until the file is closed or the
/// process ends, however it ends. False = another one has it.
///
/// # Errors
/// What the system says.
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

/// Takes a folder for this process, in the same way: for as long as what is returned lives. `None` = another
/// one has it. A file in it stands for it.
///
/// # Errors
/// What the system says.
pub fn hold_folder(path: &Path) -> io::Result<Option<File>> {
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path.join(IN_USE))?;
    Ok(hold(&file)?.then_some(file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn a_lock_is_one_opening_s_and_keeps_nobody_from_reading() {
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
