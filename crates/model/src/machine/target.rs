//! What a target is, as far as plans need it.

use super::completion::{Completion, Polling};
use super::discards::Discards;
use super::file_systems::FileSystemType;
use super::nvme::NvmeFacts;
use super::ways::WayFacts;
use super::zones::ZoneFacts;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TargetFacts {
    /// Where it's looked for and opened: another path than the user's where that is a name for something
    /// (`#<n>`, a share). Empty = nothing is opened.
    pub location: PathBuf,
    pub kind: TargetKind,
    /// Size in bytes; 0 = none, or nothing there.
    pub size: u64,
    /// The first folder of the path that isn't there, where nothing is; `None` = only the last name is
    /// missing.
    pub missing_folder: Option<PathBuf>,
    /// Name of the file system's type (`ext4`, `tmpfs`); of the directory's, when nothing is there. Empty
    /// for devices.
    pub file_system: String,
    pub direct: Option<DirectRequirements>,
    /// Why it has no `O_DIRECT`, where that is a property of the file or its mount; `None` = unknown, or it
    /// has it.
    pub without_direct: Option<&'static str>,
    /// How its I/Os end; [`Completion::Unknown`] until it is known how it will be opened.
    pub completion: Completion,
    /// Whether its device can be polled; looked at where polling is asked for.
    pub polling: Polling,
    pub discards: Option<Discards>,
    /// Of an NVMe namespace that is reached past the block layer; `None` = it is anything else.
    pub nvme: Option<NvmeFacts>,
    /// What it offers beside plain I/O; looked at where that is asked for. `None` = nobody looked.
    pub ways: Option<WayFacts>,
    /// Its zones, if they must be written in order; `None` = it has none, or nobody looked.
    pub zones: Option<ZoneFacts>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TargetKind {
    #[default]
    Missing,
    File,
    BlockDevice,
    Directory,
    /// The character device of an NVMe namespace (`/dev/ng0n1`), which takes commands alone.
    NvmeNamespace,
    /// Pipe, socket, another character device.
    Other,
}

impl TargetKind {
    /// Whether it is storage without files: its size is fixed, and no page cache lies above it unless one is
    /// asked for.
    pub fn is_device(self) -> bool {
        matches!(self, TargetKind::BlockDevice | TargetKind::NvmeNamespace)
    }
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
    pub fn is_on_windows(&self) -> bool {
        self.completion == Completion::Overlapped
    }

    /// Whether the target's file system has a client cache to bypass (`-Sr`): its files are on another
    /// host, or with a program that may have them there (FUSE).
    pub fn is_remote(&self) -> bool {
        FileSystemType::from_name(&self.file_system).is_remote()
    }
}

/// Whether a target is what DISKSPD calls a volume, `X:`, which has no meaning here. A regular file of that
/// name is written `./X:`.
pub fn is_drive_letter(target: &[u8]) -> bool {
    matches!(target, [letter, b':'] if letter.is_ascii_alphabetic())
}

/// Whether a target is named as in Windows: by a drive, or with backslashes between its parts. What begins
/// with `/`, `./` or `../` is a path of this system, whatever its names hold. A shell takes the backslashes
/// away where they aren't quoted: of `C:\test` it leaves `C:test`.
pub fn is_windows_path(target: &[u8]) -> bool {
    let ours = [&b"/"[..], b"./", b"../"].iter().any(|start| target.starts_with(start));
    // A file of a share lies where that is mounted.
    let share = target.strip_prefix(br"\\").is_some_and(|rest| {
        let names_share = rest.iter().rev().skip(1).any(|byte| matches!(byte, b'\\' | b'/'));
        names_share && !matches!(rest.first(), Some(b'.' | b'?' | b'\\'))
    });
    let drive = matches!(target, [letter, b':', ..] if letter.is_ascii_alphabetic());
    !ours && !share && (drive || target.contains(&b'\\'))
}

/// That a file can't be made because the first folder that is `missing` is, and what to do.
pub fn no_folder(file: &Path, missing: &Path) -> String {
    let parent = file.parent().unwrap_or(missing);
    format!(
        "the folder '{}' does not exist: check the name, and whether the disk is mounted; or create the \
         folder: mkdir -p {}",
        missing.display(),
        parent.display()
    )
}
