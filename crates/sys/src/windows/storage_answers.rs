//! System queries about volumes, disks and files, without changes. Results of variable length are returned
//! unparsed; the caller must validate them.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::path::Path;
use std::ptr::null_mut;
use windows_sys::Win32::Foundation::{
    ERROR_INSUFFICIENT_BUFFER, ERROR_IO_PENDING, ERROR_MORE_DATA, ERROR_NO_MORE_FILES, INVALID_HANDLE_VALUE,
};
use windows_sys::Win32::Storage::FileSystem::{
    CreateFileW, FILE_FLAG_BACKUP_SEMANTICS, FILE_READ_ATTRIBUTES, FILE_SHARE_DELETE, FILE_SHARE_READ,
    FILE_SHARE_WRITE, FindFirstVolumeW, FindNextVolumeW, FindVolumeClose, GetDiskFreeSpaceExW,
    GetDiskFreeSpaceW, GetDriveTypeW, GetVolumeInformationByHandleW, GetVolumeNameForVolumeMountPointW,
    GetVolumePathNameW, GetVolumePathNamesForVolumeNameW, IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS,
    OPEN_EXISTING, QueryDosDeviceW,
};
use windows_sys::Win32::System::Diagnostics::Debug::{SEM_FAILCRITICALERRORS, SetThreadErrorMode};
use windows_sys::Win32::System::IO::{DeviceIoControl, GetOverlappedResult, OVERLAPPED};
use windows_sys::Win32::System::Ioctl::{
    FSCTL_QUERY_ALLOCATED_RANGES, FSCTL_QUERY_FILE_REGIONS, IOCTL_DISK_GET_DRIVE_GEOMETRY_EX,
    IOCTL_DISK_GET_DRIVE_LAYOUT_EX, IOCTL_DISK_GET_LENGTH_INFO, IOCTL_DISK_PERFORMANCE,
    IOCTL_STORAGE_GET_DEVICE_NUMBER, IOCTL_STORAGE_QUERY_PROPERTY,
};
use windows_sys::Win32::System::Threading::CreateEventW;

/// Maximum size of a result in bytes; longer lists of ranges need several queries.
const MAX_ANSWER_BYTES: usize = 1 << 20;

const MAX_PATH_UNITS: usize = 1 << 15;

/// Questions to a device, a volume or a file. None of them changes anything, or has pointers in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageQuery {
    /// Activity of a disk or volume: `DISK_PERFORMANCE`. The first query starts counting.
    Performance,
    Extents,
    /// Size and sectors of a disk: `DISK_GEOMETRY_EX`.
    Geometry,
    /// Bytes of a disk or volume: `GET_LENGTH_INFORMATION`. Requires read access.
    Length,
    DeviceNumber,
    /// Partitions of a disk: `DRIVE_LAYOUT_INFORMATION_EX`.
    Layout,
    /// Property by number (`STORAGE_PROPERTY_ID`), each with a separate structure.
    Property(u32),
    /// Allocated ranges of this part of a file: `FILE_ALLOCATED_RANGE_BUFFER`.
    AllocatedRanges {
        from: u64,
        length: u64,
    },
    /// Valid regions in this part of a file: `FILE_REGION_OUTPUT`.
    ValidRegions {
        from: u64,
        length: u64,
    },
}

impl StorageQuery {
    fn control_code(self) -> u32 {
        match self {
            StorageQuery::Performance => IOCTL_DISK_PERFORMANCE,
            StorageQuery::Extents => IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS,
            StorageQuery::Geometry => IOCTL_DISK_GET_DRIVE_GEOMETRY_EX,
            StorageQuery::Length => IOCTL_DISK_GET_LENGTH_INFO,
            StorageQuery::DeviceNumber => IOCTL_STORAGE_GET_DEVICE_NUMBER,
            StorageQuery::Layout => IOCTL_DISK_GET_DRIVE_LAYOUT_EX,
            StorageQuery::Property(_) => IOCTL_STORAGE_QUERY_PROPERTY,
            StorageQuery::AllocatedRanges { .. } => FSCTL_QUERY_ALLOCATED_RANGES,
            StorageQuery::ValidRegions { .. } => FSCTL_QUERY_FILE_REGIONS,
        }
    }

    /// Returns its input as numbers, for their alignment.
    fn input_numbers(self) -> Vec<u64> {
        match self {
            // STORAGE_PROPERTY_QUERY: the number, a standard query (0), and a byte more.
            StorageQuery::Property(number) => vec![number.into(), 0],
            StorageQuery::AllocatedRanges { from, length } => vec![from, length],
            // The range that is valid for cached reads (FILE_REGION_USAGE_VALID_CACHED_DATA).
            StorageQuery::ValidRegions { from, length } => vec![from, length, 1],
            _ => Vec::new(),
        }
    }
}

/// Result of a query, and whether it is incomplete.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StorageAnswer {
    pub bytes: Vec<u8>,
    /// Whether the result is the beginning of a longer one.
    pub more: bool,
}

/// Queries an open object, regardless of synchronous or overlapped mode.
///
/// # Errors
/// Fails with the system's error: many objects do not support all queries.
pub fn ask(file: &impl AsHandle, question: StorageQuery) -> io::Result<StorageAnswer> {
    let input = question.input_numbers();
    let mut words: Vec<u64> = vec![0; 512];
    loop {
        let (length, error) = control(file.as_handle(), question.control_code(), &input, &mut words)?;
        let is = |code: u32| {
            let number = error.as_ref().and_then(io::Error::raw_os_error);
            number.is_some() && number == i32::try_from(code).ok()
        };
        let is_short = is(ERROR_MORE_DATA) || is(ERROR_INSUFFICIENT_BUFFER);
        if is_short && words.len() * 8 < MAX_ANSWER_BYTES {
            words = vec![0; words.len() * 8];
            continue;
        }
        match error {
            Some(error) if !is(ERROR_MORE_DATA) => return Err(error),
            _ => {}
        }
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        bytes.truncate(length);
        return Ok(StorageAnswer { bytes, more: is_short });
    }
}

/// Calls `DeviceIoControl` synchronously: returns the bytes of the result, and the error. The structures
/// of `code` must not contain pointers.
///
/// # Errors
/// Fails if the query was not possible.
pub(crate) fn control(
    handle: BorrowedHandle<'_>,
    code: u32,
    input: &[u64],
    output: &mut [u64],
) -> io::Result<(usize, Option<io::Error>)> {
    // SAFETY: takes values only, and makes an event, or says why not.
    let event = unsafe { CreateEventW(std::ptr::null(), 1, 0, std::ptr::null()) };
    if event.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it was made for this caller, and nobody else knows it.
    let event = unsafe { OwnedHandle::from_raw_handle(event.cast()) };
    // With an odd event handle, a completion port is not notified.
    let odd = event.as_raw_handle().map_addr(|event| event | 1).cast();
    let mut overlapped = OVERLAPPED { hEvent: odd, ..OVERLAPPED::default() };
    let bytes = |words: &[u64]| u32::try_from(size_of_val(words)).unwrap_or(0);
    let (handle, input_length, room) = (handle.as_raw_handle().cast(), bytes(input), bytes(output));
    let (mut length, state) = (0, &raw mut overlapped);
    // SAFETY: the handle is open; the system reads the input and writes at most `room` bytes to the output.
    // All of it, and the event, lives until it has ended: that is waited for below, however long it takes.
    let done = unsafe {
        let from = if input.is_empty() { std::ptr::null() } else { input.as_ptr().cast() };
        let to = if output.is_empty() { null_mut() } else { output.as_mut_ptr().cast() };
        DeviceIoControl(handle, code, from, input_length, to, room, &raw mut length, state)
    };
    let mut error = (done == 0).then(io::Error::last_os_error);
    let is_pending = |error: &io::Error| error.raw_os_error() == i32::try_from(ERROR_IO_PENDING).ok();
    if error.as_ref().is_some_and(is_pending) {
        // SAFETY: as above.
        let done = unsafe { GetOverlappedResult(handle, state, &raw mut length, 1) };
        error = (done == 0).then(io::Error::last_os_error);
    }
    Ok((usize::try_from(length).unwrap_or(0), error))
}

/// Opens an object for queries only, without read or write access, so that it only requires visibility.
pub fn open_to_ask(path: &Path) -> io::Result<File> {
    open(path, 0)
}

/// Opens a file for queries of its ranges.
pub fn open_for_ranges(path: &Path) -> io::Result<File> {
    open(path, FILE_READ_ATTRIBUTES)
}

fn open(path: &Path, access: u32) -> io::Result<File> {
    let path = wide_text(path);
    let shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    let (no_security, no_template) = (std::ptr::null(), null_mut());
    // For folders.
    let flags = FILE_FLAG_BACKUP_SEMANTICS;
    let mut before = 0;
    // SAFETY: takes a number, and writes one to this stack. A drive without a medium else asks for one in a
    // window, and waits.
    unsafe { SetThreadErrorMode(SEM_FAILCRITICALERRORS, &raw mut before) };
    // SAFETY: the path ends with a zero; the system makes a handle, or says why not.
    let handle =
        unsafe { CreateFileW(path.as_ptr(), access, shared, no_security, OPEN_EXISTING, flags, no_template) };
    let error = io::Error::last_os_error();
    // SAFETY: takes a number alone.
    unsafe { SetThreadErrorMode(before, null_mut()) };
    if handle == INVALID_HANDLE_VALUE {
        return Err(error);
    }
    // SAFETY: the handle is open, and nobody else has it.
    Ok(unsafe { File::from_raw_handle(handle.cast()) })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriveKind {
    Local,
    Remote,
    /// Optical disc, to which no run writes.
    Optical,
    Memory,
    Unknown,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VolumeInformation {
    /// File system, such as `NTFS` or `ReFS`.
    pub file_system: String,
    pub flags: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VolumeRoom {
    /// Bytes of a cluster.
    pub cluster: u64,
    /// Size of a sector in bytes.
    pub sector: u32,
    pub size: u64,
    /// Bytes that this user may still fill.
    pub available: u64,
}

fn wide_text(text: impl AsRef<OsStr>) -> Vec<u16> {
    text.as_ref().encode_wide().chain([0]).collect()
}

/// Decodes a text up to the first zero.
fn text(units: &[u16]) -> String {
    let end = units.iter().position(|unit| *unit == 0).unwrap_or(units.len());
    String::from_utf16_lossy(&units[..end])
}

/// Returns the mount point of a path's volume, with a final backslash: `C:\`, `D:\mounted\`,
/// `\\server\share\`.
pub fn volume_path(path: &Path) -> io::Result<String> {
    let path = wide_text(path);
    let mut units = vec![0_u16; MAX_PATH_UNITS];
    // SAFETY: the path ends with a zero; the system writes at most as many units as are told.
    let done = unsafe { GetVolumePathNameW(path.as_ptr(), units.as_mut_ptr(), MAX_PATH_UNITS as u32) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(text(&units)) }
}

/// Returns the name of the volume mounted there: `\\?\Volume{..}\`; `None` if it has no such name, such as
/// shares.
pub fn volume_name(mounted_at: &str) -> Option<String> {
    let at = wide_text(mounted_at);
    let mut units = [0_u16; 64];
    // SAFETY: the path ends with a zero; the system writes at most as many units as are told.
    let done = unsafe { GetVolumeNameForVolumeMountPointW(at.as_ptr(), units.as_mut_ptr(), 64) };
    (done != 0).then(|| text(&units))
}

/// Returns a volume's information by its mount point or name, with a final backslash.
///
/// # Errors
/// Fails with the system's error, if the file system is unknown.
pub fn information(root: &str) -> io::Result<VolumeInformation> {
    information_of(&open(Path::new(root), FILE_READ_ATTRIBUTES)?)
}

/// As [`information`], for an open volume or an open object on one.
pub fn information_of(root: &impl AsHandle) -> io::Result<VolumeInformation> {
    let root = root.as_handle();
    let (mut flags, mut kind) = (0, [0_u16; 262]);
    let (at, room) = (kind.as_mut_ptr(), 262);
    let (handle, none) = (root.as_raw_handle().cast(), null_mut());
    // SAFETY: the handle is open as long as it is borrowed; all else lives on this stack, the text with the
    // length that is told; what isn't wanted is null.
    let done = unsafe {
        GetVolumeInformationByHandleW(handle, none, 0, none.cast(), none.cast(), &raw mut flags, at, room)
    };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(VolumeInformation { file_system: text(&kind), flags })
}

/// Returns the capacity of a volume, as for [`information`]; `None` if unknown.
pub fn room(root: &str) -> Option<VolumeRoom> {
    let root = wide_text(root);
    let (mut sectors, mut sector, mut free, mut all) = (0, 0, 0, 0);
    // SAFETY: the path ends with a zero; the numbers live on this stack.
    let told = unsafe {
        GetDiskFreeSpaceW(root.as_ptr(), &raw mut sectors, &raw mut sector, &raw mut free, &raw mut all)
    };
    let (mut available, mut size, mut unused) = (0, 0, 0);
    // SAFETY: as above.
    let sized =
        unsafe { GetDiskFreeSpaceExW(root.as_ptr(), &raw mut available, &raw mut size, &raw mut unused) };
    let cluster = u64::from(sectors) * u64::from(sector);
    (told != 0 && sized != 0).then_some(VolumeRoom { cluster, sector, size, available })
}

/// Returns the names of all devices visible to programs: `PhysicalDrive0`, `C:` ..
pub fn device_names() -> io::Result<Vec<String>> {
    let mut units = vec![0_u16; 1 << 15];
    loop {
        let room = u32::try_from(units.len()).unwrap_or(u32::MAX);
        // SAFETY: all names are asked for; the system writes at most as many units as are told.
        let length = unsafe { QueryDosDeviceW(std::ptr::null(), units.as_mut_ptr(), room) };
        if length != 0 {
            return Ok(split_texts(units.get(..usize::try_from(length).unwrap_or(0)).unwrap_or_default()));
        }
        let error = io::Error::last_os_error();
        let is_short = error.raw_os_error() == i32::try_from(ERROR_INSUFFICIENT_BUFFER).ok();
        if !is_short || units.len() * 2 > MAX_ANSWER_BYTES {
            return Err(error);
        }
        units = vec![0; units.len() * 2];
    }
}

fn split_texts(units: &[u16]) -> Vec<String> {
    units.split(|unit| *unit == 0).filter(|part| !part.is_empty()).map(String::from_utf16_lossy).collect()
}

pub fn drive_kind(root: &str) -> DriveKind {
    let root = wide_text(root);
    // SAFETY: the path ends with a zero.
    match unsafe { GetDriveTypeW(root.as_ptr()) } {
        // DRIVE_REMOVABLE, DRIVE_FIXED
        2 | 3 => DriveKind::Local,
        4 => DriveKind::Remote,
        5 => DriveKind::Optical,
        6 => DriveKind::Memory,
        _ => DriveKind::Unknown,
    }
}

/// Returns the names of all volumes of this machine, as in [`volume_name`].
pub fn volumes() -> io::Result<Vec<String>> {
    let mut units = [0_u16; 64];
    // SAFETY: the system writes at most as many units as are told.
    let search = unsafe { FindFirstVolumeW(units.as_mut_ptr(), 64) };
    if search == INVALID_HANDLE_VALUE {
        let error = io::Error::last_os_error();
        let none = error.raw_os_error() == i32::try_from(ERROR_NO_MORE_FILES).ok();
        return if none { Ok(Vec::new()) } else { Err(error) };
    }
    let mut names = vec![text(&units)];
    let ended = loop {
        // SAFETY: the search is open; as above.
        if unsafe { FindNextVolumeW(search, units.as_mut_ptr(), 64) } == 0 {
            break io::Error::last_os_error();
        }
        names.push(text(&units));
    };
    // SAFETY: the search is closed once, and not used afterwards.
    unsafe { FindVolumeClose(search) };
    match ended.raw_os_error() == i32::try_from(ERROR_NO_MORE_FILES).ok() {
        true => Ok(names),
        false => Err(ended),
    }
}

/// Returns the mount points of a volume: letters and folders; empty if not mounted.
pub fn mounted_at(volume: &str) -> io::Result<Vec<String>> {
    let name = wide_text(volume);
    let mut units = vec![0_u16; MAX_PATH_UNITS];
    let mut length = 0;
    // SAFETY: the name ends with a zero; the system writes at most as many units as are told, and how many.
    let done = unsafe {
        GetVolumePathNamesForVolumeNameW(
            name.as_ptr(),
            units.as_mut_ptr(),
            MAX_PATH_UNITS as u32,
            &raw mut length,
        )
    };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    let told = units.get(..usize::try_from(length).unwrap_or(0)).unwrap_or_default();
    Ok(split_texts(told))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_maps_to_volume_and_file_system() {
        let folder = tempfile::tempdir().unwrap();
        let at = volume_path(folder.path()).unwrap();
        assert!(at.ends_with('\\') && folder.path().to_str().unwrap().starts_with(&at), "{at}");
        assert!(!information(&at).unwrap().file_system.is_empty());
        let room = room(&at).unwrap();
        assert!(room.size >= room.available && room.sector.is_power_of_two());
        assert_ne!(drive_kind(&at), DriveKind::Remote);
        assert!(information("Q:\\").is_err() && drive_kind("Q:\\") == DriveKind::Unknown);
        for volume in volumes().unwrap() {
            assert!(volume.starts_with(r"\\?\Volume{") && volume.ends_with('\\'), "{volume}");
            mounted_at(&volume).unwrap();
        }
    }

    #[test]
    fn unsupported_queries_are_reported() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let file = open_for_ranges(file.path()).unwrap();
        for question in [
            StorageQuery::Performance,
            StorageQuery::Extents,
            StorageQuery::Layout,
            StorageQuery::Property(0),
        ] {
            assert!(ask(&file, question).is_err(), "{question:?}");
        }
        assert!(open_to_ask(Path::new(r"\\.\PhysicalDrive4711")).is_err());
    }
}
