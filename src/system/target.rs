//! What a target is: read from the file system before planning.

/// Facts about one target, as far as plans need them.
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetKind {
    /// Nothing there.
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
