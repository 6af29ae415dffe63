//! What a target is: read from the file system before planning.

use super::device::{Device, split};
use super::root::Root;
use crate::sys::problem::{Problem, TargetError};
use crate::sys::{block, file_systems, files};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, StatxFlags};
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// Facts about one target, as far as plans need them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TargetFacts {
    /// What is found at the path.
    pub kind: TargetKind,
    /// Size in bytes; 0 = none, or nothing there.
    pub size: u64,
    /// Name of the file system's type (`ext4`, `tmpfs`); of the directory's, when nothing is there. Empty for devices.
    pub file_system: String,
    /// What `O_DIRECT` asks for; `None` = not known before opening.
    pub direct: Option<DirectRequirements>,
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TargetKind {
    /// Nothing there.
    #[default]
    Missing,
    /// A regular file.
    File,
    /// A block device.
    BlockDevice,
    /// A directory.
    Directory,
    /// Pipe, socket, character device.
    Other,
}

/// Alignments that `O_DIRECT` needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectRequirements {
    /// Of offsets and lengths, bytes; 0 = `O_DIRECT` is not supported here.
    pub offset: u32,
    /// Of buffer addresses, bytes.
    pub memory: u32,
}

impl TargetFacts {
    /// Whether the target's file system is on another host, so that there is a client cache to bypass (`-Sr`).
    pub fn on_network(&self) -> bool {
        file_systems::is_network(&self.file_system)
    }
}

/// A target as Windows names devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowsForm {
    /// `#<n>`: a whole disk.
    PhysicalDisk,
    /// `X:`: a volume.
    Volume,
}

/// Whether a target is one of the names that DISKSPD has for Windows devices: those have no meaning here, and name no
/// file either. A regular file called `#1` is written `./#1`.
pub fn windows_form(target: &[u8]) -> Option<WindowsForm> {
    match target {
        [b'#', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
            Some(WindowsForm::PhysicalDisk)
        }
        [letter, b':'] if letter.is_ascii_alphabetic() => Some(WindowsForm::Volume),
        _ => None,
    }
}

/// Looks at a target without the right to write to it; links are followed.
///
/// Nothing at the path is a finding, [`TargetKind::Missing`], not an error: `-c` may create it. For a regular file
/// without write permission for us it's no error either; opening tells.
///
/// # Errors
/// What keeps us from looking: permissions, too long names, link loops, a link that leads nowhere.
pub fn probe(path: &Path) -> Result<TargetFacts, TargetError> {
    let found = match files::look(path) {
        Ok(found) => found,
        Err(TargetError { problem: Problem::Missing, .. }) => return Ok(missing(path)),
        Err(error) => return Err(error),
    };
    let mut facts =
        TargetFacts { kind: TargetKind::Other, size: 0, file_system: String::new(), direct: None };
    match FileType::from_raw_mode(found.st_mode) {
        FileType::BlockDevice => {
            facts.kind = TargetKind::BlockDevice;
            let (size, block) = device_sizes(path, &found)?;
            facts.size = size;
            facts.direct = stated(path).or(block.map(aligned));
        }
        FileType::RegularFile => {
            facts.kind = TargetKind::File;
            facts.size = u64::try_from(found.st_size).unwrap_or(0);
            facts.file_system = file_systems::type_name(path);
            facts.direct = stated(path).or_else(|| tried(path, &found, &facts.file_system));
        }
        FileType::Directory => {
            facts.kind = TargetKind::Directory;
            facts.file_system = file_systems::type_name(path);
        }
        _ => {}
    }
    Ok(facts)
}

/// Facts about the place where a file would be created: those of the nearest directory above that exists.
fn missing(path: &Path) -> TargetFacts {
    let directory = existing_directory(path);
    let direct = rustix::fs::stat(&directory).ok().and_then(|found| {
        Some(aligned(Device::of(&Root::live(), split(found.st_dev))?.logical_block_size()?))
    });
    let file_system = file_systems::type_name(&directory);
    TargetFacts { kind: TargetKind::Missing, size: 0, file_system, direct }
}

fn existing_directory(path: &Path) -> PathBuf {
    let above = path
        .ancestors()
        .skip(1)
        .map(|above| if above.as_os_str().is_empty() { Path::new(".") } else { above });
    above.into_iter().find(|above| above.is_dir()).unwrap_or(Path::new(".")).to_owned()
}

/// What the kernel states (since Linux 6.1, and not for every file system).
fn stated(path: &Path) -> Option<DirectRequirements> {
    let found = rustix::fs::statx(CWD, path, AtFlags::empty(), StatxFlags::DIOALIGN).ok()?;
    StatxFlags::from_bits_retain(found.stx_mask)
        .contains(StatxFlags::DIOALIGN)
        .then_some(DirectRequirements { offset: found.stx_dio_offset_align, memory: found.stx_dio_mem_align })
}

/// Before Linux 6.0 memory had to be aligned like offsets, so that is always enough.
fn aligned(block: u32) -> DirectRequirements {
    DirectRequirements { offset: block, memory: block }
}

/// What can be found out by opening the file, for reading.
fn tried(path: &Path, found: &Stat, file_system: &str) -> Option<DirectRequirements> {
    let flags = OFlags::RDONLY | OFlags::DIRECT | OFlags::CLOEXEC;
    if rustix::fs::open(path, flags, Mode::empty()).err() == Some(Errno::INVAL) {
        return Some(DirectRequirements { offset: 0, memory: 0 });
    }
    let device =
        Device::of(&Root::live(), split(found.st_dev)).and_then(|device| device.logical_block_size());
    Some(aligned(match file_system {
        // They have no single device, and serve what isn't a multiple of their own block through the page cache.
        "btrfs" | "zfs" | "bcachefs" => u32::try_from(found.st_blksize).unwrap_or(4096).clamp(512, 4096),
        _ => device.unwrap_or(512),
    }))
}

/// Capacity and logical block size of a device, bytes; from /sys if we may not even read it.
fn device_sizes(path: &Path, found: &Stat) -> Result<(u64, Option<u32>), TargetError> {
    let fail = |error| TargetError::from_io(path, "read its size", "read", error);
    let known = Device::of(&Root::live(), split(found.st_rdev));
    match File::open(path) {
        Ok(device) => {
            let size = block::capacity(device.as_fd()).map_err(fail)?;
            Ok((size, block::logical_block_size(device.as_fd()).ok()))
        }
        Err(error) => match known.as_ref().and_then(Device::size) {
            Some(size) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                Ok((size, known.and_then(|device| device.logical_block_size())))
            }
            _ => Err(fail(error)),
        },
    }
}

#[cfg(test)]
#[path = "target_tests.rs"]
mod tests;
