//! The ring of completed I/Os, mapped into the process by the kernel, read without a system call.
//!
//! The layout is the kernel's (`struct aio_ring` of fs/aio.c). It has a magic number and a word of
//! incompatible features, and has not changed since its introduction. `io_getevents` reads the same ring
//! from its current head.

use std::sync::atomic::{AtomicU32, Ordering};

/// `struct io_event` of linux/aio_abi.h.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Event {
    pub tag: u64,
    pub block: u64,
    /// Bytes transferred, or the negated `errno`.
    pub result: i64,
    /// Second result, only used by drivers of other devices.
    pub result2: i64,
}

#[repr(C)]
struct RingHeader {
    id: u32,
    slots: u32,
    /// Next slot to read, advanced by this program.
    head: AtomicU32,
    /// Next slot that the kernel fills.
    tail: AtomicU32,
    magic: u32,
    compatible_features: u32,
    incompatible_features: u32,
    /// Start of the slots in bytes.
    length: u32,
}

const MAGIC: u32 = 0xa10a_10a1;

#[derive(Debug)]
pub(crate) struct EventRing {
    header: *const RingHeader,
    slots: u32,
}

/// Returns a copy of the header at an address, which need not be valid. The kernel copies it, and fails
/// for unmapped addresses or without permission.
fn copy_header(address: usize) -> Option<RingHeader> {
    let mut header = std::mem::MaybeUninit::<RingHeader>::uninit();
    let length = size_of::<RingHeader>();
    let local = libc::iovec { iov_base: header.as_mut_ptr().cast(), iov_len: length };
    let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: length };
    // SAFETY: it takes a number, and writes no more than the header that lives until the call returns.
    let answer =
        unsafe { libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0) };
    // SAFETY: all of it was written, and every value of its bytes is one of its fields.
    (usize::try_from(answer) == Ok(length)).then(|| unsafe { header.assume_init() })
}

impl EventRing {
    /// The ring of a context; `None` = unknown layout.
    ///
    /// # Safety
    /// The context is one of this process and lives longer than the ring.
    pub(super) unsafe fn from_context(context: libc::c_ulong) -> Option<EventRing> {
        let header = context as *const RingHeader;
        let found = copy_header(context as usize)?;
        let known = found.magic == MAGIC
            && found.incompatible_features == 0
            && found.length as usize == size_of::<RingHeader>()
            && found.slots > 0;
        known.then_some(EventRing { header, slots: found.slots })
    }

    /// Takes all available events; returns their number.
    #[inline]
    pub(super) fn take(&mut self, mut each: impl FnMut(&Event)) -> usize {
        // SAFETY: what lies there is a ring, `of` has seen its magic. Head and tail are read and written by
        // both sides, therefore atomic; the rest of the header doesn't change.
        let header = unsafe { &*self.header };
        let tail = header.tail.load(Ordering::Acquire);
        let mut head = header.head.load(Ordering::Relaxed);
        let mut count = 0;
        while head != tail && tail < self.slots && head < self.slots {
            // SAFETY: the slots lie behind the header, and head is below their number. The kernel has
            // filled this one before it moved the tail on, and leaves it alone until the head is moved on.
            let event = unsafe { *self.header.add(1).cast::<Event>().add(head as usize) };
            each(&event);
            head = if head + 1 == self.slots { 0 } else { head + 1 };
            count += 1;
        }
        if count > 0 {
            header.head.store(head, Ordering::Release);
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_ring_address_is_not_dereferenced() {
        let zeros = [0u64; 64];
        for context in [0, 1, 8, libc::c_ulong::MAX - 7, (&raw const zeros) as libc::c_ulong] {
            // SAFETY: none of them is used as a ring.
            assert!(unsafe { EventRing::from_context(context) }.is_none(), "{context:#x}");
        }
    }
}
