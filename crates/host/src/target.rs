//! Properties of a target, read from the file system before planning.

use super::device::{Device, split};
use super::nvme::Generic;
use super::root::Root;
use super::{devices, mountinfo, share};
use diskspd_base::message_error::MessageError;
use diskspd_base::path;
use diskspd_machine::file_systems::{FileSystemType, Trait};
use diskspd_machine::target::*;
use diskspd_sys::anchor::Location;
use diskspd_sys::leases::Leases;
use diskspd_sys::target_error::{TargetError, TargetErrorKind};
use diskspd_sys::{block, files, nvme};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, StatxFlags};
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// Returns the first missing folder of a path; `None` = all exist.
pub fn missing_folder(path: &Path) -> Option<PathBuf> {
    let folders = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    folders.take_while(|folder| !folder.exists()).last().map(Path::to_owned)
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LocateError {
    #[error(transparent)]
    NoDevice(#[from] MessageError),
    #[error("'{share}': {advice}")]
    NotMounted { share: String, advice: String },
}

/// Returns the path of a target as given. A path is unchanged. `#<n>` and `#<name>` are block devices of
/// [`devices::list`]. `//server/share/path` and `\\server\share\path` are files in a mounted share.
/// Regular files with such names need the prefix `./`.
///
/// Call this once and keep the result, because devices and mounts change.
///
/// # Errors
/// Fails if the device does not exist, or the share is not mounted.
pub fn locate(target: &[u8]) -> Result<PathBuf, LocateError> {
    locate_at(&Root::live_system(), target)
}

/// Like [`locate`], on the machine with its files in a directory; returns a path of that machine.
pub fn locate_at(root: &Root, target: &[u8]) -> Result<PathBuf, LocateError> {
    let as_given = || path::path(target).into_owned();
    if let [b'#', name @ ..] = target
        && !name.is_empty()
    {
        return Ok(devices::find(root, &String::from_utf8_lossy(name))?);
    }
    let Some((text, share)) = std::str::from_utf8(target).ok().and_then(|t| Some((t, share::parse(t)?)))
    else {
        return Ok(as_given());
    };
    match share.find(&root.mounts()) {
        share::MountState::Mounted(path) => Ok(path.into()),
        _ if share.may_be_ordinary() && root.path(share.as_directory()).exists() => Ok(as_given()),
        share::MountState::InNetwork(path) => Ok(path.into()),
        share::MountState::NotMounted(advice) => {
            Err(LocateError::NotMounted { share: text.to_owned(), advice })
        }
    }
}

/// Reads the properties of a target without write permission; links are followed.
///
/// A missing target is a result, [`TargetKind::Missing`], not an error, because `-c` may create it.
/// Missing write permission for a regular file is not an error either; it is detected by opening.
///
/// # Errors
/// Fails for missing permissions, too long names, link loops, and dangling links.
pub fn probe<L: Location + ?Sized>(location: &L) -> Result<TargetFacts, TargetError> {
    facts(location, &Leases::read(), |find_out| find_out())
}

/// Like [`probe`]; `direct` returns the requirements of `O_DIRECT`.
pub(super) fn facts<L: Location + ?Sized>(
    location: &L,
    leases: &Leases,
    direct: impl FnOnce(&mut dyn FnMut() -> Option<DirectRequirements>) -> Option<DirectRequirements>,
) -> Result<TargetFacts, TargetError> {
    let (path, way) = (location.name(), location.access_path());
    let found = match files::read_stat(location) {
        Ok(found) => found,
        Err(TargetError { problem: TargetErrorKind::Missing, .. }) => {
            let facts = missing_facts(path);
            return on_storage(path, &facts.file_system).map(|()| facts);
        }
        Err(error) => return Err(error),
    };
    let mut facts =
        TargetFacts { location: path.to_owned(), kind: TargetKind::Other, ..TargetFacts::default() };
    match FileType::from_raw_mode(found.st_mode) {
        FileType::BlockDevice => {
            facts.kind = TargetKind::BlockDevice;
            let (size, block) = device_sizes(location, &found)?;
            facts.size = size;
            facts.direct = direct(&mut || stated_requirements(way).or(block.map(aligned_requirements)));
        }
        FileType::RegularFile => {
            facts.kind = TargetKind::File;
            facts.size = u64::try_from(found.st_size).unwrap_or(0);
            facts.file_system = diskspd_sys::file_systems::type_name(way);
            let file_system = &facts.file_system;
            on_storage(path, file_system)?;
            if let Some(lease) = leases.unreleased(location, found.st_ino, false) {
                return Err(TargetError::new(path, TargetErrorKind::Leased(lease.to_string())));
            }
            facts.direct =
                direct(&mut || stated_requirements(way).or_else(|| try_direct(way, &found, file_system)));
            let refused = facts.direct.is_some_and(|needs| needs.offset == 0);
            facts.without_direct = if refused { why_not_direct(way) } else { None };
        }
        FileType::CharacterDevice => {
            if let Some(generic) = Generic::from_stat(&Root::live_system(), &found) {
                of_namespace(&mut facts, location, &generic)?;
            }
        }
        FileType::Directory => {
            facts.kind = TargetKind::Directory;
            facts.file_system = diskspd_sys::file_systems::type_name(way);
        }
        _ => {}
    }
    Ok(facts)
}

/// Checks that a file system stores data. An attribute of /sys is read and written by side effects.
fn on_storage(path: &Path, file_system: &str) -> Result<(), TargetError> {
    let problem = || TargetErrorKind::KernelInterface { file_system: file_system.to_owned() };
    let stores = FileSystemType::from_name(file_system).holds_data();
    if stores { Ok(()) } else { Err(TargetError::new(path, problem())) }
}

/// Memory alignment required by NVMe controllers in bytes: a double word.
const NVME_MEMORY: u32 = 4;

fn of_namespace<L: Location + ?Sized>(
    facts: &mut TargetFacts,
    location: &L,
    generic: &Generic,
) -> Result<(), TargetError> {
    let answer = nvme::read_namespace(location)?;
    facts.kind = TargetKind::NvmeNamespace;
    facts.size = answer.size();
    facts.direct = Some(DirectRequirements { offset: answer.block_size(), memory: NVME_MEMORY });
    facts.nvme = Some(generic.facts(&answer));
    Ok(())
}

fn missing_facts(path: &Path) -> TargetFacts {
    let directory = existing_directory(path);
    let direct = rustix::fs::stat(&directory).ok().and_then(|found| {
        Some(aligned_requirements(
            Device::find(&Root::live_system(), split(found.st_dev))?.logical_block_size()?,
        ))
    });
    let file_system = diskspd_sys::file_systems::type_name(&directory);
    TargetFacts {
        location: path.to_owned(),
        kind: TargetKind::Missing,
        missing_folder: missing_folder(path),
        file_system,
        direct,
        ..TargetFacts::default()
    }
}

fn existing_directory(path: &Path) -> PathBuf {
    let above = path
        .ancestors()
        .skip(1)
        .map(|above| if above.as_os_str().is_empty() { Path::new(".") } else { above });
    above.into_iter().find(|above| above.is_dir()).unwrap_or(Path::new(".")).to_owned()
}

/// Returns the requirements reported by the kernel (since Linux 6.1, for some file systems).
fn stated_requirements(path: &Path) -> Option<DirectRequirements> {
    let found = rustix::fs::statx(CWD, path, AtFlags::empty(), StatxFlags::DIOALIGN).ok()?;
    StatxFlags::from_bits_retain(found.stx_mask)
        .contains(StatxFlags::DIOALIGN)
        .then_some(DirectRequirements { offset: found.stx_dio_offset_align, memory: found.stx_dio_mem_align })
}

/// Returns requirements that always suffice: before Linux 6.0, memory was aligned like offsets.
fn aligned_requirements(block: u32) -> DirectRequirements {
    DirectRequirements { offset: block, memory: block }
}

fn try_direct(path: &Path, found: &Stat, file_system: &str) -> Option<DirectRequirements> {
    let flags = OFlags::RDONLY | OFlags::DIRECT | OFlags::CLOEXEC;
    if rustix::fs::open(path, flags, Mode::empty()).err() == Some(Errno::INVAL) {
        return Some(DirectRequirements { offset: 0, memory: 0 });
    }
    let device = Device::find(&Root::live_system(), split(found.st_dev))
        .and_then(|device| device.logical_block_size());
    Some(aligned_requirements(
        match FileSystemType::from_name(file_system).has_trait(Trait::DirectInBlocks) {
            true => u32::try_from(found.st_blksize).unwrap_or(4096).clamp(512, 4096),
            false => device.unwrap_or(512),
        },
    ))
}

/// The property of a file, or of its mount, for which its file system gives it no `O_DIRECT`.
fn why_not_direct(path: &Path) -> Option<&'static str> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = rustix::fs::open(path, flags, Mode::empty()).ok()?;
    let flags = rustix::fs::ioctl_getflags(&file).map_or(0, |flags| flags.bits());
    let options = || {
        let path = std::fs::canonicalize(path).ok()?;
        Some(mountinfo::holding(&Root::live_system().mounts(), &path)?.options.clone())
    };
    excluding_flag(flags).or_else(|| {
        let journals = options()?.split(',').any(|option| option == "data=journal");
        journals.then_some("it is mounted with data=journal")
    })
}

/// Returns the attribute of a file (linux/fs.h) that excludes `O_DIRECT`, in words.
fn excluding_flag(flags: u32) -> Option<&'static str> {
    const ATTRIBUTES: [(u32, &str); 5] = [
        (0x0000_0800, "the file is encrypted (fscrypt)"),
        (0x0010_0000, "the file is protected by fs-verity"),
        (0x1000_0000, "the file is stored inside its inode (inline_data); use a larger file"),
        (0x0000_4000, "the file's data goes through the journal (data=journal, or chattr +j)"),
        (0x0000_0004, "the file is compressed (chattr +c)"),
    ];
    ATTRIBUTES.iter().find(|(bit, _)| flags & bit != 0).map(|(_, why)| *why)
}

/// Capacity and logical block size of a device, bytes; from /sys if we may not even read it.
fn device_sizes<L: Location + ?Sized>(location: &L, found: &Stat) -> Result<(u64, Option<u32>), TargetError> {
    let fail = |error| TargetError::from_io(location.name(), "read its size", "read", error);
    let known = || Device::find(&Root::live_system(), split(found.st_rdev));
    match File::open(location.access_path()) {
        Ok(device) => {
            let size = block::capacity(device.as_fd()).map_err(fail)?;
            Ok((size, block::logical_block_size(device.as_fd()).ok()))
        }
        Err(error) => match known().and_then(|device| Some((device.size()?, device))) {
            Some((size, device)) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                Ok((size, device.logical_block_size()))
            }
            _ => Err(fail(error)),
        },
    }
}

#[cfg(test)]
mod tests;
