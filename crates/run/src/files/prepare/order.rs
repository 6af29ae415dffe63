//! The preparation of a target, and its interruption.

use std::path::Path;

#[derive(Debug, Clone, Copy)]
pub struct FileOrder<'a> {
    /// Path of the file. Missing directories are not created, because a misspelled path would measure the
    /// wrong disk. An existing link to a file is followed; a dangling link is an error, so no file appears
    /// at an unnamed place.
    pub path: &'a Path,
    /// Exact size in bytes; 0 = empty file.
    pub size: u64,
    /// Whether to fill with zeros instead of the pattern, whose byte at offset x is `x & 0xFF`.
    pub zero: bool,
    pub recreate: bool,
}
