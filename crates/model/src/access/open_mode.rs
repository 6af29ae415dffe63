//! How a target is opened, decided before it is.

use super::WriteLifetime;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenMode {
    pub read: bool,
    pub write: bool,
    /// `O_DIRECT`, `FILE_FLAG_NO_BUFFERING`.
    pub direct: bool,
    /// What lies on another host isn't cached on this one, but there (`-Sr`). On Linux that is what `direct`
    /// asks for, on Windows it is asked for by itself.
    pub only_remote_cache: bool,
    pub dsync: bool,
    pub hint: AccessHint,
    /// How long what is written is expected to live (`--write-hint`); `None` = nothing is said.
    pub lifetime: Option<WriteLifetime>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct AccessHint {
    /// `-fr`
    pub random: bool,
    /// `-fs`
    pub sequential: bool,
    /// `-ft`: Windows alone knows it.
    pub temporary: bool,
}
