//! Refusals to write: the target is in use, or contains data.

use super::device::{Device, block_number};
use super::file_place::FileLocation;
use super::nvme::{Claimable, Generic};
use super::root::Root;
use super::signatures;
use super::stacked::{Role, other_places};
pub use super::unclaimed_users::UncheckedUse;
use super::unclaimed_users::{IN_USE, Identity};
use super::usage::UsageReport;
pub use super::usage::{DiskUse, Use};
pub use super::write_refused::WriteRefusedError;
use diskspd_figures::units::visible::line;
use diskspd_machine::file_systems::FileSystemType;
use diskspd_sys::anchor::Location;
use diskspd_sys::failed_call::FailedCall;
use diskspd_sys::reach::{LastName, ReachError, ReachedObject, SpotKey, reach};
use diskspd_sys::target_error::{TargetError, TargetErrorKind};
use diskspd_sys::{block, file_systems, files, leases, locks};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

impl WriteRefusedError {
    pub(super) fn unknown_use_error(path: &Path, unknown: UncheckedUse) -> WriteRefusedError {
        let (why, remedy) = (unknown.to_string(), unknown.cause.remedy());
        WriteRefusedError::Unknown { path: path.to_owned(), why, remedy }
    }
}

/// Returns the reason why the target at the path must not be written to. `None` if writing is permitted,
/// or the target does not exist. `destroy` permits overwriting a device's content, but not writing to a
/// device in use. The content of regular files is not checked.
///
/// The result is a snapshot for messages. Writes go through [`super::claims::protect`], which uses kernel
/// claims. It also detects uses without a trace in /proc and /sys (ZFS, other mount namespaces).
///
/// # Errors
/// Fails if the device cannot be read, because its content is then unknown.
pub fn write_refusal<L: Location + ?Sized>(
    location: &L,
    destroy: bool,
) -> Result<Option<WriteRefusedError>, TargetError> {
    if block_number(location.access_path()).is_none()
        && let Some(generic) = Generic::find_generic(&Root::live_system(), location.access_path())
    {
        return match generic.used_as() {
            Ok(device) => write_refusal(&Claimable::instead(location, device), destroy),
            Err(unknown) => Ok(Some(WriteRefusedError::unknown_use_error(location.name(), unknown))),
        };
    }
    let path = location.name();
    let Some(number) = block_number(location.access_path()) else { return Ok(file_refusal(location)) };
    if let Some(refusal) = use_refusal(path, number) {
        return Ok(Some(refusal));
    }
    if destroy {
        return Ok(None);
    }
    let found = found_on(path, &files::look_into(location)?.into())?;
    Ok((!found.is_empty()).then(|| WriteRefusedError::WouldDestroy { path: path.to_owned(), found }))
}

/// Why a path that leads through a foreign link must not be written to; `None` for other errors.
pub fn planted_refusal(path: &Path, error: &ReachError) -> Option<WriteRefusedError> {
    let ReachError::Planted { link, owner } = error else { return None };
    Some(WriteRefusedError::Planted { path: path.to_owned(), link: link.clone(), owner: *owner })
}

pub(super) fn use_refusal(path: &Path, number: (u32, u32)) -> Option<WriteRefusedError> {
    match uses(&Root::live_system(), number) {
        Ok(uses) if uses.is_empty() => None,
        Ok(uses) => Some(WriteRefusedError::InUse { path: path.to_owned(), uses }),
        Err(unknown) => Some(WriteRefusedError::unknown_use_error(path, unknown)),
    }
}

/// Why the regular file at the path must not be written to; `None` if it may be, or does not exist. A link
/// that is not followed is refused also if it leads to no file yet.
pub(super) fn file_refusal<L: Location + ?Sized>(location: &L) -> Option<WriteRefusedError> {
    let path = location.name();
    let found = rustix::fs::stat(location.access_path()).ok();
    let identity = found.as_ref().map(|found| (found.st_dev, found.st_ino));
    if let Some(refusal) = path_refusal(path, identity) {
        return Some(refusal);
    }
    let found = found?;
    let is_file = rustix::fs::FileType::from_raw_mode(found.st_mode) == rustix::fs::FileType::RegularFile;
    if let Some(lease) = is_file.then(|| leases::unreleased(location, true)).flatten() {
        let how = DiskUse::Leased { holder: lease.to_string() };
        let uses = vec![Use { device: path.display().to_string(), how }];
        return Some(WriteRefusedError::InUse { path: path.to_owned(), uses });
    }
    // Locks are queried through a descriptor, which a user who cannot read the file does not get.
    let opened = files::peek(location);
    match opened.as_ref().and_then(|opened| Some((opened, rustix::fs::fstat(opened).ok()?))) {
        Some((opened, found)) => refusal_of(path, &found, Some(opened.as_fd())),
        None => refusal_of(path, &found, None),
    }
}

/// Why the object of this identity, (device, inode), must not be written to as the object of the path: the
/// path leads through a link that is not followed, or to another object.
pub(super) fn path_refusal(path: &Path, identity: Option<(u64, u64)>) -> Option<WriteRefusedError> {
    let reached = reach(path, LastName::Followed);
    if let Some(refusal) = reached.as_ref().err().and_then(|error| planted_refusal(path, error)) {
        return Some(refusal);
    }
    let expected = SpotKey::There(identity?);
    let is_same = match reached {
        Ok(ReachedObject::FolderEntry(spot)) => spot.key() == Some(expected),
        Ok(ReachedObject::Descriptor(_)) => true,
        Err(_) => false,
    };
    (!is_same).then(|| WriteRefusedError::Exchanged { path: path.to_owned() })
}

/// Checks that are not possible for a file before it is written to. Prints as a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UncheckedFact {
    /// Facts about the machine cannot be read.
    #[error(
        "cannot check whether '{}' is {}: {}",
        display_path(path),
        join_reasons(unknown, FactList::Uses),
        join_reasons(unknown, FactList::Causes)
    )]
    Unread { path: PathBuf, unknown: Vec<UncheckedUse> },
    /// The file system does not reveal the location of its data.
    #[error(
        "cannot check whether '{}' is the backing file of a loop device or a swap file by another name: {by} \
         does not show where it keeps its files",
        display_path(path)
    )]
    Hidden { path: PathBuf, by: String },
}

impl UncheckedFact {
    pub fn remedy(&self) -> &'static str {
        match self {
            UncheckedFact::Unread { unknown, .. } => {
                unknown.first().map_or("", |unknown| unknown.cause.remedy())
            }
            UncheckedFact::Hidden { .. } => {
                "see that no loop device or swap file uses it (losetup -l, swapon)"
            }
        }
    }
}

fn display_path(path: &Path) -> String {
    line(&path.to_string_lossy()).into_owned()
}

/// List of unknown facts.
#[derive(Clone, Copy)]
enum FactList {
    Uses,
    Causes,
}

fn join_reasons(unknown: &[UncheckedUse], listed: FactList) -> String {
    let mut parts: Vec<String> = Vec::new();
    for unknown in unknown {
        let part = match listed {
            FactList::Uses => unknown.guards.to_owned(),
            FactList::Causes => unknown.to_string(),
        };
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.join(match listed {
        FactList::Uses => ", or ",
        FactList::Causes => "; ",
    })
}

/// The checks that are not possible for the regular file at the path; empty for anything else.
pub(super) fn unchecked<L: Location + ?Sized>(location: &L) -> Vec<UncheckedFact> {
    let path = location.name();
    let Ok(found) = rustix::fs::stat(location.access_path()) else { return Vec::new() };
    if rustix::fs::FileType::from_raw_mode(found.st_mode) != rustix::fs::FileType::RegularFile {
        return Vec::new();
    }
    let opened = files::peek(location);
    let opened = opened.as_ref().map(AsFd::as_fd);
    let data = DataPlaces::find(path, &found, opened, &file_system_of(path, opened));
    let UsageReport { unknown, files_are_held, .. } =
        super::usage::uses_of_file(&Root::live_system(), &data.all, "");
    let path = || path.to_owned();
    let unread = (!unknown.is_empty()).then(|| UncheckedFact::Unread { path: path(), unknown });
    let hidden =
        data.hidden_by.filter(|_| files_are_held).map(|by| UncheckedFact::Hidden { path: path(), by });
    unread.into_iter().chain(hidden).collect()
}

/// The type of the file system of a file, which is open where it can be read.
fn file_system_of(path: &Path, opened: Option<BorrowedFd<'_>>) -> String {
    match opened {
        Some(file) => file_systems::type_of_open(file),
        None => file_systems::type_name(path),
    }
}

/// Files that contain the data of a written file.
struct DataPlaces {
    all: Vec<Identity>,
    hidden_by: Option<String>,
}

impl DataPlaces {
    fn find(
        path: &Path,
        found: &rustix::fs::Stat,
        opened: Option<BorrowedFd<'_>>,
        file_system: &str,
    ) -> DataPlaces {
        let root = Root::live_system().remembering();
        let find = || match opened {
            Some(file) => FileLocation::of_open(file, path),
            None => std::fs::canonicalize(path).ok().map(FileLocation::from_path),
        };
        let place = FileSystemType::from_name(file_system).may_be_stacked().then(find).flatten();
        let others = place.map(|place| other_places(&root, &place, Role::Written)).unwrap_or_default();
        let identities = others.paths.iter().map(|path| Identity::read_identity(&root, path));
        DataPlaces {
            all: [Identity::from_stat(found)].into_iter().chain(identities).collect(),
            hidden_by: others.hidden_by,
        }
    }
}

/// Returns the reason why the open regular file must not be written to. Other objects are not checked.
pub(super) fn open_file_refusal(path: &Path, opened: BorrowedFd<'_>) -> Option<WriteRefusedError> {
    refusal_of(path, &rustix::fs::fstat(opened).ok()?, Some(opened))
}

/// As [`open_file_refusal`], for a file that another process may hold open by the same descriptor.
pub(super) fn inherited_refusal(path: &Path, opened: BorrowedFd<'_>) -> Option<WriteRefusedError> {
    let found = rustix::fs::fstat(opened).ok()?;
    let is_file = rustix::fs::FileType::from_raw_mode(found.st_mode) == rustix::fs::FileType::RegularFile;
    let other_handle = is_file.then(|| files::peek(path)).flatten();
    refusal_of(path, &found, other_handle.as_ref().map(AsFd::as_fd))
}

/// As [`inherited_refusal`], without the check of locks.
pub(super) fn stream_refusal(path: &Path, opened: BorrowedFd<'_>) -> Option<WriteRefusedError> {
    refusal_of(path, &rustix::fs::fstat(opened).ok()?, None)
}

fn refusal_of(
    path: &Path,
    found: &rustix::fs::Stat,
    opened: Option<BorrowedFd<'_>>,
) -> Option<WriteRefusedError> {
    if rustix::fs::FileType::from_raw_mode(found.st_mode) != rustix::fs::FileType::RegularFile {
        return None;
    }
    let file_system = file_system_of(path, opened);
    if !FileSystemType::from_name(&file_system).holds_data() {
        return Some(WriteRefusedError::KernelInterface { path: path.to_owned(), file_system });
    }
    let name = path.display().to_string();
    let data = DataPlaces::find(path, found, opened, &file_system);
    let mut uses = super::usage::uses_of_file(&Root::live_system(), &data.all, &name).uses;
    if let Some(lock) = opened.and_then(locks::lock)
        && !is_own(found)
    {
        uses.push(Use { device: name, how: DiskUse::Locked { process: lock.process } });
    }
    (!uses.is_empty()).then(|| WriteRefusedError::InUse { path: path.to_owned(), uses })
}

/// Returns the refusal of a write to a locked block device.
pub(super) fn lock_refusal(path: &Path, device: &File) -> Option<WriteRefusedError> {
    let lock = locks::lock(device.as_fd())?;
    if rustix::fs::fstat(device).is_ok_and(|found| is_own(&found)) {
        return None;
    }
    let how = DiskUse::Locked { process: lock.process };
    let uses = vec![Use { device: path.display().to_string(), how }];
    Some(WriteRefusedError::InUse { path: path.to_owned(), uses })
}

/// Whether the program was started for holding the lock: with the file open, as `flock FILE diskspd ..`
/// does, or by a program that holds it, as `udevadm lock` does.
fn is_own(found: &rustix::fs::Stat) -> bool {
    files::at_start().contains(&(found.st_dev, found.st_ino))
        || is_held_above(&Root::live_system(), found.st_ino)
}

/// Whether a process that this one descends from holds a lock on a file with this inode. A line of
/// /proc/locks is `1: FLOCK  ADVISORY  WRITE <process> <major>:<minor>:<inode> <from> <to>`.
fn is_held_above(root: &Root, inode: u64) -> bool {
    let locks = root.text("/proc/locks").unwrap_or_default();
    let holder = |line: &str| {
        let mut words = line.split_ascii_whitespace().skip(4);
        let (process, place) = (words.next()?, words.next()?);
        (place.rsplit(':').next()? == inode.to_string()).then(|| process.to_owned())
    };
    let holders: Vec<String> = locks.lines().filter_map(holder).collect();
    let parent = |process: &String| {
        let status = root.text(format!("/proc/{process}/status"))?;
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().to_owned();
        (parent != "0").then_some(parent)
    };
    let own = std::process::id().to_string();
    !holders.is_empty()
        && std::iter::successors(Some(own), parent).skip(1).take(64).any(|above| holders.contains(&above))
}

/// Returns the content of an open block device, as named by [`signatures::find`].
pub(super) fn found_on(path: &Path, device: &File) -> Result<Vec<signatures::Name>, TargetError> {
    let fail = |error: io::Error| match error.raw_os_error() {
        // Claimed for writing, because we may not read it.
        Some(libc::EBADF) => {
            TargetError::new(path, TargetErrorKind::Permission { access: "read its content" })
        }
        _ => TargetError::from_io(path, "read its content", "read", error),
    };
    let size = block::capacity(device.as_fd()).map_err(fail)?;
    signatures::find(device, size).map_err(fail)
}

/// Returns the uses of a device, by (major, minor), of the machine with its files in a directory.
///
/// # Errors
/// Fails if they cannot be determined, or the device does not exist.
pub fn uses(root: &Root, number: (u32, u32)) -> Result<Vec<Use>, UncheckedUse> {
    let (major, minor) = number;
    let node = || format!("/sys/dev/block/{major}:{minor}");
    let unknown = || UncheckedUse::new(IN_USE, FailedCall::absent(node()));
    super::usage::uses(root, &Device::find(root, number).ok_or_else(unknown)?)
}

/// Returns the uses of a regular file of the machine at `root`, and the uses that could not be checked.
pub fn uses_of_file(root: &Root, path: &Path) -> (Vec<Use>, Vec<UncheckedUse>) {
    let place = FileLocation::from_path(path);
    let others = other_places(root, &place, Role::Written).paths;
    let all: Vec<Identity> =
        [path.to_owned()].iter().chain(&others).map(|path| Identity::read_identity(root, path)).collect();
    let found = super::usage::uses_of_file(root, &all, &path.display().to_string());
    (found.uses, found.unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_link_in_shared_folder_is_refused() {
        use std::os::unix::fs::{PermissionsExt, lchown, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("shared")).unwrap();
        std::fs::write(at("precious"), "root's own").unwrap();
        std::fs::set_permissions(at("shared"), PermissionsExt::from_mode(0o1777)).unwrap();
        symlink("../precious", at("shared/theirs")).unwrap();
        symlink("../precious", at("shared/ours")).unwrap();
        symlink("shared/theirs", at("further")).unwrap();
        symlink("../new", at("shared/dangling")).unwrap();
        let _ = lchown(at("shared/dangling"), Some(65534), None);
        if lchown(at("shared/theirs"), Some(65534), None).is_err() {
            return eprintln!("SKIPPED: giving a link away needs root");
        }
        for (name, refused) in [
            ("precious", false),
            ("shared/ours", false),
            ("shared/theirs", true),
            ("further", true),
            ("shared/theirs/new", true),
            ("shared/ours/new", false),
            ("shared/dangling", true),
        ] {
            let refusal = file_refusal(&at(name));
            assert_eq!(
                matches!(refusal, Some(WriteRefusedError::Planted { owner: 65534, .. })),
                refused,
                "{name}: {refusal:?}"
            );
        }
    }
}
