//! A file for an engine, with its options.

use diskspd_base::access::{IoFeatures, IoPriority, MapOptions};
use diskspd_sys::files::FileHandle;

/// Open file with the options of its I/Os.
#[derive(Debug)]
pub struct File {
    pub handle: FileHandle,
    pub priority: IoPriority,
    /// Options of the memory mapping; `None` = I/Os are system calls.
    pub mapping: Option<MapOptions>,
    /// Whether completions are polled, by engines that support it
    /// ([`EngineRow::polls`](super::EngineRow::polls)). It is the same for all files of an engine. The
    /// file is open for unbuffered I/O.
    pub polled: bool,
    /// Whether I/Os block during submission unless kernel workers execute them; ignored by engines without
    /// workers.
    pub workers: bool,
    /// Writes end when they are durable. It is for engines with a flag per write; other engines depend on the
    /// open mode of the file.
    pub write_through: bool,
    /// Additional kernel options of the I/Os; not supported for mapped files.
    pub ways: IoFeatures,
    /// Whether the file is a device whose zones are reset (`--zoned`).
    pub zoned: bool,
}

impl From<FileHandle> for File {
    /// Creates a file without a stated I/O priority.
    fn from(handle: FileHandle) -> File {
        File {
            handle,
            priority: IoPriority::Unstated,
            mapping: None,
            polled: false,
            workers: false,
            write_through: false,
            ways: IoFeatures::default(),
            zoned: false,
        }
    }
}
