//! Mode of opening a target, decided before it is opened.

use super::WriteLifetime;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenMode {
    pub read: bool,
    pub write: bool,
    /// `O_DIRECT`, `FILE_FLAG_NO_BUFFERING`.
    pub direct: bool,
    /// Whether remote data is cached only on the remote host (`-Sr`). On Linux `direct` has this effect,
    /// on Windows it is a separate option.
    pub only_remote_cache: bool,
    pub dsync: bool,
    pub hint: AccessHint,
    /// Expected lifetime of written data (`--write-hint`); `None` = no hint.
    pub lifetime: Option<WriteLifetime>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct AccessHint {
    pub random: bool,
    pub sequential: bool,
    /// `-ft`, only supported by Windows.
    pub temporary: bool,
}
