//! Disks and volumes as targets: opening, and sizes. The caller checks the write permission on the open
//! object before any write.

use crate::storage_answers::{StorageQuery, ask, control};
use crate::targets::OpenTarget;
use diskspd_base::access::OpenMode;
use std::fs::File;
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::{AsHandle, AsRawHandle};
use std::path::Path;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_TEMPORARY, FILE_FLAG_NO_BUFFERING, FILE_FLAG_OVERLAPPED, FILE_FLAG_RANDOM_ACCESS,
    FILE_FLAG_SEQUENTIAL_SCAN, FILE_FLAG_WRITE_THROUGH, FILE_SHARE_READ, FILE_SHARE_WRITE, GetFileSizeEx,
};
use windows_sys::Win32::System::Ioctl::FSCTL_ALLOW_EXTENDED_DASD_IO;

/// Whether a path is `\\.\PhysicalDrive<n>` or `\\.\<letter>:`; other devices are never opened.
pub fn may_be_device(path: &Path) -> bool {
    let text = path.as_os_str().to_string_lossy();
    let Some(name) = text.strip_prefix(r"\\.\") else { return false };
    let is_volume = matches!(name.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic());
    let is_disk = name.get(..DISK.len()).is_some_and(|start| start.eq_ignore_ascii_case(DISK));
    let number = name.get(DISK.len()..).unwrap_or_default();
    let is_number =
        !number.is_empty() && number.len() < 6 && number.bytes().all(|digit| digit.is_ascii_digit());
    is_volume || is_disk && is_number
}

const DISK: &str = "PhysicalDrive";

fn no_device() -> io::Error {
    io::Error::other(r"it is neither a disk (\\.\PhysicalDrive<n>) nor a volume (\\.\<letter>:)")
}

/// Opens a disk or a volume with this mode; `overlapped`: for more than one I/O at a time. Other programs
/// can still read and write it. I/Os may extend to the end of a volume, past the end of its file system.
///
/// # Errors
/// Fails with the system's error, if it is not a disk or volume, or if its size is unknown.
pub fn open(path: &Path, mode: &OpenMode, overlapped: bool) -> io::Result<OpenTarget> {
    if !may_be_device(path) {
        return Err(no_device());
    }
    let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
    let flags = flag(mode.direct, FILE_FLAG_NO_BUFFERING)
        | flag(mode.dsync, FILE_FLAG_WRITE_THROUGH)
        | flag(mode.hint.random, FILE_FLAG_RANDOM_ACCESS)
        | flag(mode.hint.sequential, FILE_FLAG_SEQUENTIAL_SCAN)
        | flag(mode.hint.temporary, FILE_ATTRIBUTE_TEMPORARY)
        | flag(overlapped, FILE_FLAG_OVERLAPPED);
    let shared = FILE_SHARE_READ | FILE_SHARE_WRITE;
    // Users with read access can query its size.
    let file =
        File::options().read(true).write(mode.write).share_mode(shared).custom_flags(flags).open(path)?;
    // Without a file system the query is unsupported, and the whole volume is accessible.
    let _ = control(file.as_handle(), FSCTL_ALLOW_EXTENDED_DASD_IO, &[], &mut []);
    let size = size(&file)?;
    Ok(OpenTarget { file: file.into(), size })
}

/// Opens a disk or a volume for synchronous reads and queries.
///
/// # Errors
/// Fails with the system's error, because it requires an administrator, or if it is not a disk or volume.
pub fn open_to_look(path: &Path) -> io::Result<File> {
    if !may_be_device(path) {
        return Err(no_device());
    }
    File::options().read(true).share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE).open(path)
}

/// Returns the size of an open disk or volume in bytes; never 0. It queries the length, which requires
/// read permission, otherwise the geometry, and finally the file size.
///
/// # Errors
/// Fails if the size is unknown, without a medium or the permission.
pub fn size(device: &impl AsHandle) -> io::Result<u64> {
    let number = |question, at: usize| {
        let answer = ask(device, question)?.bytes;
        let bytes = answer.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        let size = bytes.map(u64::from_le_bytes).filter(|size| *size > 0);
        size.ok_or_else(|| io::Error::other("its size is 0: is a medium in it?"))
    };
    number(StorageQuery::Length, 0).or_else(|why| {
        number(StorageQuery::Geometry, 24).or_else(|_| match size_of_file(device) {
            Some(size) => Ok(size),
            None => Err(why),
        })
    })
}

fn size_of_file(device: &impl AsHandle) -> Option<u64> {
    let mut size = 0_i64;
    // SAFETY: the handle is open; one number is written, which lives on this stack.
    let told = unsafe { GetFileSizeEx(device.as_handle().as_raw_handle().cast(), &raw mut size) };
    u64::try_from(size).ok().filter(|size| told != 0 && *size > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_base::access::AccessHint;

    #[test]
    fn only_disks_and_volumes_are_opened() {
        for name in [r"\\.\PhysicalDrive0", r"\\.\physicaldrive12", r"\\.\X:", r"\\.\c:"] {
            assert!(may_be_device(Path::new(name)), "{name}");
        }
        let hint = AccessHint::default();
        let mode = OpenMode { read: true, write: true, direct: true, hint, ..OpenMode::default() };
        for name in [
            "",
            r"\\.\",
            r"\\.\PhysicalDrive",
            r"\\.\PhysicalDrive-1",
            r"\\.\PhysicalDrive0\x",
            r"\\.\PhysicalDrive0:",
            r"\\.\PhysicalDrive123456",
            r"\\.\CdRom0",
            r"\\.\C:\",
            r"\\.\C:\x",
            r"\\.\CC:",
            r"\\.\1:",
            r"\\?\C:",
            "//./C:",
            "C:",
            "x.dat",
            r"\\.\PhysicalDriveä",
        ] {
            assert!(!may_be_device(Path::new(name)), "{name}");
            let path = Path::new(name);
            assert!(open(path, &mode, true).is_err() && open_to_look(path).is_err(), "{name}");
        }
        assert!(open(Path::new(r"\\.\PhysicalDrive4711"), &mode, false).is_err());
    }

    #[test]
    fn unknown_device_size_is_file_size_or_zero() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(size(file.as_file()).is_err());
        file.as_file().set_len(4097).unwrap();
        assert_eq!(size(file.as_file()).unwrap(), 4097);
    }
}
