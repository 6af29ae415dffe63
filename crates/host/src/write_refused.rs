//! Reasons to refuse writing to a target: one type with the same texts on every system.

#[cfg(any(windows, test))]
use crate::disks::DiskUse;
use crate::disks::Use;
use crate::signatures;
use diskspd_figures::units::visible::line;
use std::path::{Path, PathBuf};

#[cfg(not(windows))]
const DEVICE: &str = "a block device";
#[cfg(windows)]
const DEVICE: &str = "a disk, a volume or a device";

/// Reason for not writing to a device or file. The user message names the use or the data at risk, and the
/// remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteRefusedError {
    /// Never permitted.
    #[error("refusing to overwrite {}: it is in use:{}", display_path(path), use_lines(uses))]
    InUse { path: PathBuf, uses: Vec<Use> },
    /// Never permitted.
    #[error(
        "refusing to overwrite {}: cannot determine whether it is in use: {why}; {remedy}",
        display_path(path)
    )]
    Unknown { path: PathBuf, why: String, remedy: &'static str },
    /// Link of another user in a world-writable directory; never permitted.
    #[error(
        "refusing to overwrite {}: it is reached by a link of another user (number {owner}), {}, in a \
         world-writable folder, which may lead anywhere; name the file itself",
        display_path(path),
        display_path(link)
    )]
    Planted { path: PathBuf, link: PathBuf, owner: u32 },
    /// Never permitted: the name led to different objects within a moment.
    #[error(
        "refusing to overwrite {}: another program exchanges it, so it leads to different files; name a file \
         in a folder that only you can write to",
        display_path(path)
    )]
    Exchanged { path: PathBuf },
    /// Never permitted: a write would change settings of the kernel.
    #[error(
        "refusing to write to {}: it is on {file_system}, where files are settings of the kernel; name a \
         file on a file system that stores data",
        display_path(path)
    )]
    KernelInterface { path: PathBuf, file_system: String },
    /// Never permitted: reports, streams and logs must be files.
    #[error("{}: would overwrite {DEVICE}; name a file", display_path(path))]
    NoOutput { path: PathBuf },
    /// Permitted if the command line names it.
    #[error(
        "refusing to overwrite {}: only a file names this device; to allow it, name the device on the \
         command line, after the file",
        display_path(path)
    )]
    Unnamed {
        /// Path of the device in the file.
        path: PathBuf,
    },
    #[error(
        "refusing to overwrite {} (it holds {}): pass --destroy to allow it",
        display_path(path),
        found.join(", ")
    )]
    WouldDestroy { path: PathBuf, found: Vec<signatures::Name> },
}

fn display_path(path: &Path) -> String {
    line(&path.to_string_lossy()).into_owned()
}

fn use_lines(uses: &[Use]) -> String {
    uses.iter().map(|each| format!("\n  {}", describe_use(each))).collect()
}

/// 89 99 Describes a use, with the remedy.
#[cfg(not(windows))]
fn describe_use(used: &Use) -> String {
    used.to_string()
}

/// A use, and what to do about it.
#[cfg(windows)]
fn describe_use(used: &Use) -> String {
    told_on_windows(used)
}

/// Holder of a Windows boot partition, among the uses of its disk.
#[cfg(any(windows, test))]
pub(crate) const BOOT: &str = "a boot partition (EFI system or recovery)";

/// A use, and what to do about it on Windows.
#[cfg(any(windows, test))]
pub(crate) fn told_on_windows(used: &Use) -> String {
    let device = &used.device;
    match &used.how {
        DiskUse::Mounted { at, file_system } => format!(
            "{device} holds a file system ({file_system}, at {at}): take a disk without volumes, or remove \
             the volume first (Remove-Partition of PowerShell, which destroys its data)"
        ),
        DiskUse::Swap => format!("{device} is a paging file of Windows"),
        DiskUse::HeldBy { holder } if holder == BOOT => {
            format!("{device} is {holder}: take another disk, or remove that partition first")
        }
        DiskUse::HeldBy { holder } => format!("{device} is part of {holder}: use a volume on it instead"),
        DiskUse::Member { file_system } => format!("{device} belongs to a {file_system}"),
        DiskUse::Served { by } => format!("{device} is used by {by}: stop that first"),
        DiskUse::Locked { .. } => format!("{device} is locked by another program: stop it first"),
        DiskUse::Leased { holder } => format!("{device} is leased by {holder}: stop that first"),
    }
}
