//! Opening targets.

use super::anchor::{Location, descriptor_path, not_found};
use super::block;
use super::closed_at_start;
use super::file_systems;
use super::inode::Kind;
use super::nvme;
use super::target_error::{TargetError, TargetErrorKind};
use super::write_hints;
use diskspd_base::access::OpenMode;
use diskspd_base::limits::InputLimit;
use diskspd_machine::file_systems::FileSystemType;
use rustix::fs::{Advice, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// `O_DSYNC`: the data, not the times of the inode. The rustix constant of that name is `O_SYNC`, which on
/// a journaling file system costs a commit for every write.
const DSYNC: OFlags = OFlags::from_bits_retain(libc::O_DSYNC as _);

pub type FileHandle = OwnedFd;

#[derive(Debug)]
pub struct OpenTarget {
    pub file: OwnedFd,
    pub size: u64,
    /// Device number of a block device, from `stat`; `None` for other files.
    pub device: Option<u64>,
}

/// Returns a copy of a descriptor from program start, for writing.
///
/// # Errors
/// Fails if it is not open, or not a valid descriptor number.
#[allow(unsafe_code)]
pub fn duplicate_inherited(number: i32) -> std::io::Result<OwnedFd> {
    if closed_at_start::is_closed(number) {
        return Err(Errno::BADF.into());
    }
    // SAFETY: it takes numbers alone; one that is no open descriptor makes the call fail and nothing else.
    let copy = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 0) };
    if copy < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the kernel has just opened it for this caller, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

/// Returns (device, inode) of the files open at program start. All other files are opened without
/// inheritance, which distinguishes the two.
pub fn at_start() -> Vec<(u64, u64)> {
    const CLOEXEC: u32 = libc::O_CLOEXEC as u32;
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else { return Vec::new() };
    let identity = |name: &std::ffi::OsStr| {
        // As `flags:\t0100002`, in octal; one that another part of the program closes meanwhile is gone.
        let about = std::fs::read_to_string(Path::new("/proc/self/fdinfo").join(name)).ok()?;
        let flags = about.lines().find_map(|line| line.strip_prefix("flags:"))?.trim();
        let is_inherited = u32::from_str_radix(flags, 8).ok()? & CLOEXEC == 0;
        let found = is_inherited.then(|| std::fs::metadata(Path::new("/proc/self/fd").join(name)))?.ok()?;
        Some(super::inode::identity(&found))
    };
    entries.flatten().filter_map(|entry| identity(&entry.file_name())).collect()
}

/// Opens a file for inspection without blocking; `None` if it is not readable.
pub fn peek<L: Location + ?Sized>(location: &L) -> Option<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    rustix::fs::open(location.access_path(), flags, Mode::empty()).ok()
}

/// Opens a target to determine its storage and cached data. A regular file to be written is opened for
/// writing if permitted, because an overlay copies it elsewhere at that moment. Devices are not, because
/// closing a writable descriptor makes udev re-examine them.
pub fn open_to_locate<L: Location + ?Sized>(location: &L, written: bool) -> std::io::Result<File> {
    let path = location.access_path();
    let regular = FileType::from_raw_mode(rustix::fs::stat(path)?.st_mode) == FileType::RegularFile;
    let with = |access| rustix::fs::open(path, access | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty());
    let file = match regular && written {
        // A lease is in the way of writing: reading would hide it.
        true => with(OFlags::RDWR).or_else(|error| match error {
            Errno::WOULDBLOCK => Err(error),
            _ => with(OFlags::RDONLY),
        }),
        false => with(OFlags::RDONLY),
    };
    Ok(file?.into())
}

/// Opens an existing file for writing without the page cache.
///
/// # Errors
/// Fails with the kernel's error; [`std::io::ErrorKind::InvalidInput`] if the file system does not support
/// it.
pub fn open_direct(path: &Path) -> std::io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::DIRECT | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

/// The path that reaches an open file again. Its name may lead elsewhere by now, or to a pipe, which waits.
pub fn path_of_open(name: &Path, file: &File) -> PathBuf {
    let by_handle = descriptor_path(file);
    if by_handle.exists() { by_handle } else { name.to_owned() }
}

/// Opens an existing regular file or block device with this mode; links are followed, and no file is
/// created.
///
/// Block devices are opened without `O_EXCL`, because several threads open the same device. The kernel
/// grants exclusive access only once, even within a process. The controlling thread makes the exclusive
/// claim once, with [`claim`].
///
/// # Errors
/// Fails with the problem and the next step: see [`TargetErrorKind`].
pub fn open<L: Location + ?Sized>(location: &L, mode: &OpenMode) -> Result<OpenTarget, TargetError> {
    let (path, way) = (location.name(), location.access_path());
    let (flags, access) = mode_direction(mode);
    let fail = |doing, error: Errno| TargetError::from_io(path, doing, access, error);
    // Looked at first, because opening a pipe waits for its other end.
    let found = read_stat(location)?;
    let kind = FileType::from_raw_mode(found.st_mode);
    accept_kind(path, kind)?;

    if mode.write && kind == FileType::BlockDevice && is_read_only(way) {
        return Err(TargetError::new(path, TargetErrorKind::ReadOnly));
    }
    let flags = flags
        | OFlags::CLOEXEC
        | if mode.direct { OFlags::DIRECT } else { OFlags::empty() }
        | if mode.dsync { DSYNC } else { OFlags::empty() };
    // The load must not write access times into the inode, nor spend time on asking whether it should. Only
    // who owns the file may ask for that; for others it's a matter of some nanoseconds.
    let file = rustix::fs::open(way, flags | OFlags::NOATIME, Mode::empty());
    let file = match file {
        Err(Errno::PERM) => rustix::fs::open(way, flags, Mode::empty()),
        answer => answer,
    };
    let file = file.map_err(|error| match error {
        Errno::INVAL if mode.direct => {
            let file_system = file_systems::type_name(way);
            TargetError::new(path, TargetErrorKind::NoDirect { file_system })
        }
        error => fail("open it", error),
    })?;
    if kind == FileType::RegularFile {
        holds_data(path, &file)?;
    }
    let size = size(path, file.as_fd())?;
    if size == 0 {
        return Err(TargetError::new(path, TargetErrorKind::Empty));
    }
    let advise = |advice| {
        rustix::fs::fadvise(&file, 0, None, advice).map_err(|error| fail("set its access hint", error))
    };
    // Given both, the later one decides about read-ahead.
    if mode.hint.sequential {
        advise(Advice::Sequential)?;
    }
    if mode.hint.random {
        advise(Advice::Random)?;
    }
    if let Some(lifetime) = mode.lifetime {
        write_hints::set(&file, lifetime)
            .map_err(|error| fail("set its write hint (--write-hint)", error))?;
    }
    let device = device_number(&file);
    Ok(OpenTarget { file, size, device })
}

/// Checks that an open file is on a file system that stores data.
///
/// # Errors
/// Fails with [`TargetErrorKind::KernelInterface`].
pub fn holds_data(path: &Path, file: impl AsFd) -> Result<(), TargetError> {
    let file_system = file_systems::type_of_open(file);
    match FileSystemType::from_name(&file_system).holds_data() {
        true => Ok(()),
        false => Err(TargetError::new(path, TargetErrorKind::KernelInterface { file_system })),
    }
}

/// Whether a path leads to a regular file with data. Files of the kernel, such as `/proc/kmsg`, may wait
/// forever.
pub fn has_data(path: &Path) -> bool {
    path.is_file() && FileSystemType::from_name(&file_systems::type_name(path)).holds_data()
}

/// Opens a file of the user for reading.
///
/// # Errors
/// Fails if it cannot be opened, or is a file of the kernel, whose reading may wait forever or take content
/// away from its readers (`/proc/kmsg`).
pub fn open_input(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    refuse_kernel_file(&file)?;
    Ok(file)
}

/// Reads a file of the user, up to its limit.
///
/// # Errors
/// As [`open_input`] and [`InputLimit::read`].
pub fn read_input(path: &Path, limit: InputLimit) -> io::Result<Vec<u8>> {
    limit.read(open_input(path)?)
}

pub(crate) fn refuse_kernel_file(file: &File) -> io::Result<()> {
    let kind = file_systems::type_of_open(file);
    match is_regular(file) && !FileSystemType::from_name(&kind).holds_data() {
        true => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("it is on {kind}, whose files are state of the kernel, not data"),
        )),
        false => Ok(()),
    }
}

/// Returns the directions of a mode, as flags and in words.
fn mode_direction(mode: &OpenMode) -> (OFlags, &'static str) {
    match (mode.read, mode.write) {
        (true, true) => (OFlags::RDWR, "read and write"),
        (false, true) => (OFlags::WRONLY, "write"),
        (_, false) => (OFlags::RDONLY, "read"),
    }
}

/// Opens the character device of an NVMe namespace; only reading and writing of the mode apply.
///
/// # Errors
/// Fails with the problem and the next step: see [`TargetErrorKind`].
pub fn open_namespace<L: Location + ?Sized>(
    location: &L,
    mode: &OpenMode,
) -> Result<OpenTarget, TargetError> {
    let path = location.name();
    let (flags, access) = mode_direction(mode);
    let file = rustix::fs::open(location.access_path(), flags | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| TargetError::from_io(path, "open it", access, error))?;
    let found = nvme::namespace(&file)
        .map_err(|error| TargetError::from_io(path, "identify it", "send commands", error))?;
    Ok(OpenTarget { file, size: found.size(), device: None })
}

/// Claims a block device for this process while the handle is open. The kernel rejects the claim if the
/// device or a partition of it is mounted, swap, part of a dm, md or multipath device, or claimed by
/// another program. It also rejects these uses during the claim. Other programs can still open it without
/// exclusivity.
///
/// # Errors
/// Fails with [`TargetErrorKind::Busy`], or the error of opening it.
pub fn claim<L: Location + ?Sized>(device: &L) -> Result<OwnedFd, TargetError> {
    let exclusively =
        |flags| rustix::fs::open(device.access_path(), flags | OFlags::EXCL | OFlags::CLOEXEC, Mode::empty());
    // For reading, because the end of an open for writing makes udev look at the device anew.
    match exclusively(OFlags::RDONLY) {
        Err(Errno::ACCESS | Errno::PERM) => exclusively(OFlags::WRONLY),
        answer => answer,
    }
    .map_err(|error| TargetError::from_io(device.name(), "claim it", "read", error))
}

/// Opens a block device for reading its content.
pub fn look_into<L: Location + ?Sized>(device: &L) -> Result<OwnedFd, TargetError> {
    rustix::fs::open(device.access_path(), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| TargetError::from_io(device.name(), "read its content", "read", error))
}

/// Returns the device number of an open block device from `stat`; `None` for anything else.
pub fn device_number(file: impl AsFd) -> Option<u64> {
    let found = rustix::fs::fstat(file).ok()?;
    (FileType::from_raw_mode(found.st_mode) == FileType::BlockDevice).then_some(found.st_rdev)
}

pub fn is_regular(file: impl AsFd) -> bool {
    rustix::fs::fstat(file).is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::RegularFile)
}

/// Returns (device, inode) of an open file.
pub fn identity(file: impl AsFd) -> Option<(u64, u64)> {
    rustix::fs::fstat(file).ok().map(|found| (found.st_dev, found.st_ino))
}

/// Returns the status of a path, following links.
///
/// # Errors
/// Fails with [`TargetErrorKind::Missing`] if there is no object, [`TargetErrorKind::DanglingLink`] for a
/// dangling link, or the error of the lookup.
pub fn read_stat<L: Location + ?Sized>(location: &L) -> Result<Stat, TargetError> {
    let path = location.name();
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.is_empty() || bytes.contains(&0) {
        return Err(TargetError::new(path, TargetErrorKind::NotAPath));
    }
    rustix::fs::stat(location.access_path()).map_err(|error| not_found(path, error))
}

/// Returns the kind of a path, following links.
pub fn kind<L: Location + ?Sized>(location: &L) -> Result<Kind, TargetError> {
    read_stat(location).map(|found| Kind::from_mode(found.st_mode))
}

/// Returns the size of an open file or block device in bytes.
///
/// # Errors
/// Fails with the kernel's error; a size of 0 is not an error.
pub fn size(path: &Path, file: BorrowedFd<'_>) -> Result<u64, TargetError> {
    let fail = |error| TargetError::from_io(path, "read its size", "read", error);
    let found = rustix::fs::fstat(file).map_err(|error| fail(error.into()))?;
    let kind = FileType::from_raw_mode(found.st_mode);
    accept_kind(path, kind)?;
    if kind == FileType::BlockDevice {
        return block::capacity(file).map_err(fail);
    }
    Ok(u64::try_from(found.st_size).unwrap_or(0))
}

/// Whether a device is write-protected. Depending on the kernel, opening one for writing fails as if a
/// permission were missing, or works and no write does.
fn is_read_only(device: &Path) -> bool {
    let device = rustix::fs::open(device, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
    device.is_ok_and(|device| block::read_only(device.as_fd()).unwrap_or(false))
}

fn accept_kind(path: &Path, kind: FileType) -> Result<(), TargetError> {
    match kind {
        FileType::RegularFile | FileType::BlockDevice => Ok(()),
        FileType::Directory => Err(TargetError::new(path, TargetErrorKind::Directory)),
        _ => Err(TargetError::new(path, TargetErrorKind::NotAFile)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn invalid_or_own_descriptors_are_not_inherited() {
        for number in [-1, i32::MIN, i32::MAX] {
            assert_eq!(
                duplicate_inherited(number).unwrap_err().raw_os_error(),
                Some(libc::EBADF),
                "{number}"
            );
        }
        let file = tempfile::tempfile().unwrap();
        let copy = duplicate_inherited(file.as_raw_fd()).unwrap();
        assert_eq!(identity(&copy), identity(&file));
        let found = at_start();
        assert!(!found.contains(&identity(&file).unwrap()));
        let standard_error = rustix::fs::fstat(rustix::stdio::stderr()).unwrap();
        assert!(found.contains(&(standard_error.st_dev, standard_error.st_ino)), "{found:?}");
    }
}
