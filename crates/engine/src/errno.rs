//! Code shared by the engines that use the Linux kernel.

use crate::{EngineError, File};
use diskspd_base::access::IoPriority;
use diskspd_sys::files::FileHandle;

/// Returns the negated `errno` of an error, as in [`crate::CompletedIo::result`].
pub(crate) fn negated(error: &std::io::Error) -> i64 {
    -i64::from(error.raw_os_error().unwrap_or(libc::EIO))
}

/// Creates the error of an I/O priority refused by the kernel.
#[cold]
pub(crate) fn priority_refused(source: std::io::Error) -> EngineError {
    let what = "the I/O priority (-I) cannot be set for this thread; leave out -I".to_string();
    EngineError { what, source: Some(source) }
}

pub(crate) fn split_files(files: Vec<File>) -> (Vec<IoPriority>, Vec<FileHandle>) {
    files.into_iter().map(|file| (file.priority, file.handle)).unzip()
}
