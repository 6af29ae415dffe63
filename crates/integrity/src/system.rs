//! System calls of verification on Linux: reading targets, their identity, and durability.

use diskspd_base::access::{Flush, OpenMode};
use diskspd_base::message_error::MessageError;
use diskspd_profile::FlushType;
use diskspd_sys::files;
use diskspd_sys::inode::{self, Kind};
use std::fs::File;
use std::path::Path;

pub(super) use diskspd_sys::positioned::read_exact;

pub(super) fn is_durable(flush: Flush) -> bool {
    matches!(flush, Flush::Pages | Flush::CacheLines)
}

pub const DURABLY_MAPPED: &str = "-Sm with -Nv";

/// Flushes of mapped files that make writes durable (`-N`).
pub const DURABLE_FLUSHES: &[FlushType] = &[FlushType::ViewOfFile, FlushType::NonVolatileMemory];

pub(super) fn open(path: &Path) -> Result<File, MessageError> {
    let mode = OpenMode { read: true, direct: true, ..OpenMode::default() };
    let opened = files::open(path, &mode).or_else(|_| files::open(path, &OpenMode { direct: false, ..mode }));
    Ok(opened.map_err(|error| error.to_string())?.file.into())
}

/// Returns an identity that is equal for all names of a file or device.
pub(super) fn identity(path: &Path) -> Option<(bool, u64, u64)> {
    let found = std::fs::metadata(path).ok()?;
    Some(match Kind::from_metadata(&found) {
        Kind::BlockDevice => (true, inode::device_number(&found), 0),
        _ => {
            let (device, number) = inode::identity(&found);
            (false, device, number)
        }
    })
}
