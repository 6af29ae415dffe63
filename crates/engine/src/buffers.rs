//! The location of an I/O's data, in the form of the kernel's queues.

use super::Io;
use diskspd_base::access::IoPriority;
use diskspd_sys::transfer::Transfer;
use std::ops::Range;

impl Io {
    #[inline]
    pub(super) fn place(&self) -> Range<usize> {
        self.buffer_offset..self.buffer_offset + self.length as usize
    }

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
