//! Reads files that others name. Windows programs have the rights of their user: there is no other owner.

use std::fs::File;
use std::io;
use std::path::Path;

pub fn open(path: &Path, _: &[u32]) -> io::Result<File> {
    File::open(path)
}
