//! Windows functions for verification: reading files back, identifying them, and durability.

use diskspd_base::access::{Flush, OpenMode};
use diskspd_base::message_error::MessageError;
use diskspd_profile::FlushType;
use diskspd_sys::{inode, targets};
use std::fs::File;
use std::io;
use std::os::windows::fs::FileExt;
use std::path::Path;

/// Whether data written to a mapped file is durable after this flush. It is not after `FlushViewOfFile`,
/// which does not wait for the disk.
pub(super) fn is_durable(flush: Flush) -> bool {
    flush == Flush::CacheLines
}

pub const DURABLY_MAPPED: &str = "-Sm with -Nn on persistent memory";

/// Flushes of mapped files that make writes durable (`-N`).
pub const DURABLE_FLUSHES: &[FlushType] = &[FlushType::NonVolatileMemory];

/// Opens the file without cache if possible, to read the content of the disk.
pub(super) fn open(path: &Path) -> Result<File, MessageError> {
    let mode = OpenMode { read: true, direct: true, ..OpenMode::default() };
    let opened = targets::open(path, &mode, false)
        .or_else(|_| targets::open(path, &OpenMode { direct: false, ..mode }, false));
    let failed = |error| {
        format!("cannot open it: {error}; check the name, the rights, and whether another program has it")
    };
    Ok(opened.map_err(failed)?.file.into())
}

/// Fills all bytes from an offset on.
///
/// # Errors
/// Fails with the system's error, or [`io::ErrorKind::UnexpectedEof`] at the end of the file.
pub(super) fn read_exact(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = file.seek_read(bytes, offset)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[read..];
        offset += read as u64;
    }
    Ok(())
}

pub(super) fn identity(path: &Path) -> Option<(bool, u64, u64)> {
    let (volume, number) = inode::identity_at(path).ok()?;
    Some((false, volume, number))
}
