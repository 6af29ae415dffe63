//! Properties of a target that plans require.

use super::completion::{Completion, Polling};
use super::discards::Discards;
use super::file_systems::FileSystemType;
use super::io_features::IoFeatureSupport;
use super::nvme::NvmeFacts;
use super::zones::ZoneFacts;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TargetFacts {
    /// Path for opening, which differs from the user's path for aliases (`#<n>`, a share). Empty = not
    /// opened.
    pub location: PathBuf,
    pub kind: TargetKind,
    /// Size in bytes; 0 = missing or without a size.
    pub size: u64,
    /// First missing folder of the path; `None` = only the last component is missing, if any.
    pub missing_folder: Option<PathBuf>,
    /// Type of the file system (`ext4`, `tmpfs`), from the directory if the target is missing. Empty for
    /// devices.
    pub file_system: String,
    pub direct: Option<DirectRequirements>,
    /// Why the target does not support `O_DIRECT`, if that is a property of the file or its mount; `None` =
    /// unknown, or supported.
    pub without_direct: Option<&'static str>,
    /// Completion mode; [`Completion::Unknown`] until the open mode is known.
    pub completion: Completion,
    pub polling: Polling,
    pub discards: Option<Discards>,
    /// Properties of an NVMe namespace with direct commands; `None` = another target.
    pub nvme: Option<NvmeFacts>,
    /// Support for optional kinds of I/O; `None` = not checked.
    pub ways: Option<IoFeatureSupport>,
    /// Zones that require sequential writes; `None` = none, or not checked.
    pub zones: Option<ZoneFacts>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TargetKind {
    #[default]
    Missing,
    File,
    BlockDevice,
    Directory,
    /// Character device of an NVMe namespace (`/dev/ng0n1`), which only accepts commands.
    NvmeNamespace,
    Other,
}

impl TargetKind {
    /// Whether it is storage without files. Its size is fixed, and it has no page cache unless requested.
    pub fn is_device(self) -> bool {
        matches!(self, TargetKind::BlockDevice | TargetKind::NvmeNamespace)
    }
}

/// Alignments required by `O_DIRECT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectRequirements {
    /// Alignment of offsets and lengths in bytes; 0 = `O_DIRECT` is unsupported.
    pub offset: u32,
    /// Alignment of buffer addresses in bytes.
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

/// Whether a target has the form of a Windows path: a drive, or backslashes as separators. Names starting
/// with `/`, `./` or `../` are local paths. A shell removes unquoted backslashes, so `C:\test` becomes
/// `C:test`.
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

/// Returns the error for a file in a `missing` folder, with the remedy.
pub fn no_folder(file: &Path, missing: &Path) -> String {
    let parent = file.parent().unwrap_or(missing);
    // Windows' mkdir makes all folders of a path, and has no -p.
    let (disk, make) =
        if cfg!(windows) { ("drive exists", "mkdir") } else { ("disk is mounted", "mkdir -p") };
    format!(
        "the folder '{}' does not exist: check the name, and whether the {disk}; or create the folder: \
         {make} {}",
        missing.display(),
        parent.display()
    )
}
