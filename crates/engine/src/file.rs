//! What an engine is given to work on.

use diskspd_model::access::{IoPriority, IoWays, MapOptions};
use diskspd_sys::files::FileHandle;

/// An open file, and how its I/Os are done.
#[derive(Debug)]
pub struct File {
    pub handle: FileHandle,
    pub priority: IoPriority,
    /// I/Os are copies from and to memory that the file is mapped into; `None` = they are system calls.
    pub mapping: Option<MapOptions>,
    /// Completions are polled for, by engines that can ([`EngineRow::polls`](super::EngineRow::polls)): of
    /// all files of an engine or none. The file is open past the page cache.
    pub polled: bool,
    /// Its I/Os block in the call that hands them over unless workers of the kernel do them; engines without
    /// such workers make nothing of it.
    pub workers: bool,
    /// Writes end when they are durable, for engines that say so with each of them; others have it from how
    /// the file is open.
    pub write_through: bool,
    /// What its I/Os ask of the kernel beside their data; mapped files can't.
    pub ways: IoWays,
    /// It is a device whose zones are emptied (`--zoned`).
    pub zoned: bool,
}

impl From<FileHandle> for File {
    /// Ordinary I/O without a stated priority.
    fn from(handle: FileHandle) -> File {
        File {
            handle,
            priority: IoPriority::Unstated,
            mapping: None,
            polled: false,
            workers: false,
            write_through: false,
            ways: IoWays::default(),
            zoned: false,
        }
    }
}
