//! Files as targets: opening, creation, and requirements of unbuffered I/O. Only files are ever opened
//! here: no volume, disk, pipe or console.

use super::privilege::{Privilege, has_privilege};
use diskspd_base::access::{IoPriority, OpenMode};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::path::{Component, Path, PathBuf, Prefix};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_ATTRIBUTE_TEMPORARY, FILE_FLAG_NO_BUFFERING, FILE_FLAG_OVERLAPPED,
    FILE_FLAG_RANDOM_ACCESS, FILE_FLAG_SEQUENTIAL_SCAN, FILE_FLAG_WRITE_THROUGH, FILE_IO_PRIORITY_HINT_INFO,
    FILE_SHARE_READ, FILE_SHARE_WRITE, FILE_TYPE_DISK, FileIoPriorityHintInfo, GetFileInformationByHandle,
    GetFileType, IoPriorityHintLow, IoPriorityHintVeryLow, SetFileInformationByHandle, SetFileValidData,
};
use windows_sys::Win32::System::IO::DeviceIoControl;
use windows_sys::Win32::System::Ioctl::FSCTL_DISABLE_LOCAL_BUFFERING;

/// Bytes per write when a file is filled, as in DISKSPD.
const PIECE: usize = 1 << 20;

#[derive(Debug)]
pub struct OpenTarget {
    pub file: OwnedHandle,
    pub size: u64,
}

fn no_file() -> io::Error {
    io::Error::other("it is not a file: this program writes to and reads from files only on Windows")
}

/// Whether a path may name a file: not a device (`\\.\`, `\\?\`), and not a drive alone.
pub fn may_be_file(path: &Path) -> bool {
    let mut parts = path.components();
    let is_plain = match parts.next() {
        Some(Component::Prefix(prefix)) => matches!(prefix.kind(), Prefix::Disk(_) | Prefix::UNC(..)),
        Some(_) => true,
        None => false,
    };
    // std reads `//./X:` as folders.
    let text = path.as_os_str().to_string_lossy().replace('/', "\\");
    let is_device = [r"\\.\", r"\\?\", r"\??\"].iter().any(|start| text.starts_with(start));
    is_plain && !is_device && path.file_name().is_some()
}

/// Opens an existing file with this mode; `overlapped`: for more than one I/O at a time.
///
/// # Errors
/// Fails with the system's error, or if it is empty or not a file.
pub fn open(path: &Path, mode: &OpenMode, overlapped: bool) -> io::Result<OpenTarget> {
    if !may_be_file(path) {
        return Err(no_file());
    }
    let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
    // What lies on another host may be cached there.
    let flags = flag(mode.direct && !mode.only_remote_cache, FILE_FLAG_NO_BUFFERING)
        | flag(mode.dsync, FILE_FLAG_WRITE_THROUGH)
        | flag(mode.hint.random, FILE_FLAG_RANDOM_ACCESS)
        | flag(mode.hint.sequential, FILE_FLAG_SEQUENTIAL_SCAN)
        | flag(mode.hint.temporary, FILE_ATTRIBUTE_TEMPORARY)
        | flag(overlapped, FILE_FLAG_OVERLAPPED);
    let file = File::options()
        .read(mode.read)
        .write(mode.write)
        .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE)
        .custom_flags(flags)
        .open(path)?;
    let size = size_of(&file)?;
    if size == 0 {
        return Err(io::Error::other("its size is 0: there is nothing to read or overwrite"));
    }
    if mode.only_remote_cache {
        without_local_cache(&file)?;
    }
    Ok(OpenTarget { file: file.into(), size })
}

fn size_of(file: &File) -> io::Result<u64> {
    let handle = file.as_raw_handle().cast();
    // SAFETY: the handle is open.
    if unsafe { GetFileType(handle) } != FILE_TYPE_DISK {
        return Err(no_file());
    }
    let mut found = BY_HANDLE_FILE_INFORMATION::default();
    // A volume or a disk answers nothing.
    // SAFETY: the handle is open; the structure lives on this stack.
    if unsafe { GetFileInformationByHandle(handle, &raw mut found) } == 0 {
        return Err(no_file());
    }
    Ok((u64::from(found.nFileSizeHigh) << 32) | u64::from(found.nFileSizeLow))
}

fn without_local_cache(file: &File) -> io::Result<()> {
    let (handle, none, mut bytes) = (file.as_raw_handle().cast(), std::ptr::null_mut(), 0);
    // SAFETY: the handle is open and not in use; nothing is read, and one number is written, which lives on
    // this stack.
    let answer = unsafe {
        DeviceIoControl(handle, FSCTL_DISABLE_LOCAL_BUFFERING, none, 0, none, 0, &raw mut bytes, none.cast())
    };
    if answer == 0 {
        let why = io::Error::last_os_error();
        return Err(io::Error::other(format!("its local cache cannot be switched off (-Sr): {why}")));
    }
    Ok(())
}

pub fn set_priority(file: &OwnedHandle, priority: IoPriority) -> io::Result<()> {
    let hint = match priority {
        IoPriority::Idle => IoPriorityHintVeryLow,
        IoPriority::Low => IoPriorityHintLow,
        IoPriority::Unstated => return Ok(()),
    };
    let wanted = FILE_IO_PRIORITY_HINT_INFO { PriorityHint: hint };
    let (handle, bytes) = (file.as_raw_handle().cast(), size_of_val(&wanted) as u32);
    // SAFETY: the handle is open; the system reads so many bytes of the structure.
    let answer = unsafe {
        SetFileInformationByHandle(handle, FileIoPriorityHintInfo, (&raw const wanted).cast(), bytes)
    };
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CreatedContent {
    /// The file contains previous data of the disk (`SetFileValidData`).
    Valid,
    /// The file was completely written.
    Written,
}

/// Creates a new file of this size in bytes. With the privilege (`SeManageVolumePrivilege`) its space is
/// declared valid, otherwise it is written with `piece` repeatedly. `go_on` receives the progress, and
/// returns whether to continue. An incomplete file is removed.
///
/// # Errors
/// Fails with the system's error, if it is not a file, or if cancelled ([`io::ErrorKind::Interrupted`]).
pub fn create(
    path: &Path,
    size: u64,
    piece: &dyn Fn(&mut [u8]),
    go_on: &mut dyn FnMut(u64) -> bool,
) -> io::Result<CreatedContent> {
    if !may_be_file(path) {
        return Err(no_file());
    }
    let mut file =
        File::options().read(true).write(true).create(true).truncate(false).share_mode(0).open(path)?;
    // Before anything is changed.
    size_of(&file)?;
    let removed = UnfinishedTarget(Some(path.to_owned()));
    file.set_len(0)?;
    file.set_len(size)?;
    let made = match is_valid(&file, size) {
        true => CreatedContent::Valid,
        false => {
            write_all(&mut file, size, piece, go_on)?;
            CreatedContent::Written
        }
    };
    removed.keep_file();
    Ok(made)
}

/// Removes the file on drop, unless it is kept.
struct UnfinishedTarget(Option<PathBuf>);

impl UnfinishedTarget {
    fn keep_file(mut self) {
        self.0 = None;
    }
}

impl Drop for UnfinishedTarget {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn write_all(
    file: &mut File,
    size: u64,
    piece: &dyn Fn(&mut [u8]),
    go_on: &mut dyn FnMut(u64) -> bool,
) -> io::Result<()> {
    let mut bytes = vec![0; PIECE];
    piece(&mut bytes);
    file.seek(SeekFrom::Start(0))?;
    let mut done = 0;
    while done < size {
        if !go_on(done) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let length = (size - done).min(PIECE as u64);
        file.write_all(&bytes[..length as usize])?;
        done += length;
    }
    file.sync_all()
}

/// Declares all of a file valid; false = missing right, or unsupported by the file system.
fn is_valid(file: &File, size: u64) -> bool {
    let Ok(size) = i64::try_from(size) else { return false };
    // SAFETY: the handle is open; takes a number.
    has_privilege(Privilege::ManageVolumes)
        && unsafe { SetFileValidData(file.as_raw_handle().cast(), size) } != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_base::access::AccessHint;

    fn sample_mode(write: bool) -> OpenMode {
        let hint = AccessHint { random: true, sequential: false, temporary: true };
        OpenMode { read: true, write, direct: true, dsync: true, hint, ..OpenMode::default() }
    }

    #[test]
    fn only_files_are_opened_or_created() {
        for name in [
            r"\\.\C:",
            r"\\.\PhysicalDrive0",
            r"\\?\C:\x",
            r"\\?\Volume{1}",
            "//./C:",
            r"\??\C:",
            "C:",
            "C:\\",
            "",
            r"\\server\share",
        ] {
            assert!(!may_be_file(Path::new(name)), "{name}");
            assert!(open(Path::new(name), &sample_mode(true), true).is_err(), "{name}");
            let made = create(Path::new(name), 4096, &|_| (), &mut |_| true);
            assert!(made.is_err(), "{name}");
        }
        for name in ["x.dat", r".\x.dat", r"C:\x.dat", "C:x.dat", r"\\server\share\x.dat", "a/b"] {
            assert!(may_be_file(Path::new(name)), "{name}");
        }
        // Open, but no file.
        assert!(open(Path::new("NUL"), &sample_mode(false), false).is_err());
        let folder = tempfile::tempdir().unwrap();
        assert!(open(folder.path(), &sample_mode(false), false).is_err());
    }

    #[test]
    fn file_is_created_completely_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.dat");
        let fill = |bytes: &mut [u8]| bytes.fill(7);
        for size in [1, PIECE as u64, 2 * PIECE as u64 + 5] {
            let mut seen = Vec::new();
            let made = create(&path, size, &fill, &mut |done| {
                seen.push(done);
                true
            });
            let content = std::fs::read(&path).unwrap();
            assert_eq!(content.len() as u64, size);
            if made.unwrap() == CreatedContent::Written {
                assert!(content.iter().all(|byte| *byte == 7));
                assert_eq!(seen.len() as u64, size.div_ceil(PIECE as u64));
            }
            assert_eq!(open(&path, &sample_mode(true), true).unwrap().size, size);
        }
        std::fs::write(&path, "").unwrap();
        assert!(open(&path, &sample_mode(false), false).unwrap_err().to_string().contains("size is 0"));
        let mut file = File::options().write(true).open(&path).unwrap();
        let given_up = write_all(&mut file, 9, &fill, &mut |_| false).unwrap_err();
        assert_eq!(given_up.kind(), io::ErrorKind::Interrupted);
        drop(file);
        drop(UnfinishedTarget(Some(path.clone())));
        assert!(!path.exists());
    }
}
