//! What the engines have in common that ask the kernel.

use super::{EngineError, File, Io};
use diskspd_model::access::IoPriority;
use diskspd_sys::files::FileHandle;
use diskspd_sys::transfer::Transfer;
use std::ops::Range;

impl Io {
    /// Its data in the memory.
    #[inline]
    pub(super) fn place(&self) -> Range<usize> {
        self.buffer_offset..self.buffer_offset + self.length as usize
    }

    /// For the queues of the kernel; priorities by file.
    #[inline]
    pub(super) fn transfer(&self, priorities: &[IoPriority]) -> Transfer {
        Transfer {
            op: self.op,
            file: self.file,
            offset: self.offset,
            start: self.buffer_offset,
            length: self.length,
            tag: self.request,
            priority: priorities.get(self.file as usize).copied().unwrap_or_default(),
        }
    }
}

/// The negated `errno` of an error, as [`super::Done::result`] has it.
pub(super) fn negated(error: &std::io::Error) -> i64 {
    -i64::from(error.raw_os_error().unwrap_or(libc::EIO))
}

/// The kernel refused to give the thread an I/O priority.
#[cold]
pub(super) fn priority_refused(source: std::io::Error) -> EngineError {
    let what = "the I/O priority (-I) can't be set for this thread; leave out -I".to_string();
    EngineError { what, source: Some(source) }
}

/// The priorities of files, and their handles.
pub(super) fn apart(files: Vec<File>) -> (Vec<IoPriority>, Vec<FileHandle>) {
    files.into_iter().map(|file| (file.priority, file.handle)).unzip()
}
