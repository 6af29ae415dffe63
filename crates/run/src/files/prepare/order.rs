//! What is prepared of a target, and who may stop it.

use std::path::Path;

#[derive(Debug, Clone, Copy)]
pub struct FileOrder<'a> {
    /// Where. Missing directories are not created: a path with a typing error would be measured on the disk
    /// above it. An existing link to a file is followed,
    /// one that leads nowhere is an error: nothing is created at a place that was not named.
    pub path: &'a Path,
    /// Exact size, bytes; 0 makes an empty file.
    pub size: u64,
    /// Filled with zeros instead of the pattern, whose byte at offset x is `x & 0xFF`.
    pub zero: bool,
    pub recreate: bool,
}
