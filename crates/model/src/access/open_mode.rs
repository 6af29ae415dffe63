//! How a target is opened, decided before it is.

use super::WriteLifetime;

/// How a target is opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenMode {
    /// Reads occur.
    pub read: bool,
    /// Writes occur.
    pub write: bool,
    /// `O_DIRECT`, `FILE_FLAG_NO_BUFFERING`.
    pub direct: bool,
    /// What lies on another host isn't cached on this one, but there (`-Sr`). On Linux that is what `direct`
    /// asks for, on Windows it is asked for by itself.
    pub only_remote_cache: bool,
    /// `O_DSYNC`.
    pub dsync: bool,
    /// Access hints (`-f`).
    pub hint: AccessHint,
    /// How long what is written is expected to live (`--write-hint`); `None` = nothing is said.
    pub lifetime: Option<WriteLifetime>,
}

/// What the kernel is told about the order of accesses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct AccessHint {
    /// `-fr`
    pub random: bool,
    /// `-fs`
    pub sequential: bool,
    /// `-ft`: Windows alone knows it.
    pub temporary: bool,
}
