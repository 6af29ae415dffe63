//! Events of one CPU, recorded into a ring of memory that the kernel and this program share.

use super::attributes::Attributes;
use super::{Control, StampClock, Tracepoint, control, open, set_filter, set_output};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use std::ffi::c_void;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};

/// Where in the first page (`struct perf_event_mmap_page`) the kernel says how far it has written, and is told how far
/// we have read: bytes since the beginning, not wrapped.
const HEAD: usize = 1024;
const TAIL: usize = 1032;

/// A ring with the records of some tracepoints on one CPU.
#[derive(Debug)]
pub struct Ring {
    /// The first one owns the ring, the others write into it.
    events: Vec<OwnedFd>,
    memory: NonNull<c_void>,
    page: usize,
    /// Bytes of the ring itself, behind the first page; a power of two.
    size: usize,
}

// SAFETY: the memory belongs to this value alone, whichever thread has it; the kernel's side is reached through atomics.
unsafe impl Send for Ring {}

impl Ring {
    /// Opens a ring of `size` bytes (a power of two, at least a page) for at least one tracepoint. Nothing is recorded
    /// yet.
    ///
    /// # Errors
    /// What perf_event_open(2) and mmap(2) answer: `EPERM` of the latter when more memory would be locked than is
    /// allowed.
    pub fn open(cpu: u32, points: &[Tracepoint], clock: StampClock, size: usize) -> io::Result<Ring> {
        let mut events: Vec<OwnedFd> = Vec::new();
        for point in points {
            let event = open(Attributes::recorder(point, clock, (size / 4) as u32), cpu, None)?;
            set_filter(&event, &point.filter)?;
            events.push(event);
        }
        let Some(owner) = events.first() else {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        };
        let page = rustix::param::page_size();
        let (access, sharing) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: new memory at a place of the kernel's choice, unmapped by `drop` alone.
        let memory = unsafe { mmap(ptr::null_mut(), page + size, access, sharing, owner, 0) }?;
        let memory = NonNull::new(memory).ok_or(io::ErrorKind::OutOfMemory)?;
        // From here on it is unmapped when anything fails.
        let ring = Ring { events, memory, page, size };
        if let Some((owner, others)) = ring.events.split_first() {
            others.iter().try_for_each(|other| set_output(other, owner))?;
        }
        Ok(ring)
    }

    /// Begins to record.
    ///
    /// # Errors
    /// What the kernel answers.
    pub fn start(&self) -> io::Result<()> {
        self.events.iter().try_for_each(|event| control(event, Control::Enable))
    }

    /// Ends recording. What was recorded can still be read.
    ///
    /// # Errors
    /// What the kernel answers.
    pub fn stop(&self) -> io::Result<()> {
        self.events.iter().try_for_each(|event| control(event, Control::Disable))
    }

    /// How many events there were, those among them that were not recorded.
    ///
    /// # Errors
    /// What the kernel answers.
    pub fn events(&self) -> io::Result<u64> {
        let count = |event: &OwnedFd| {
            let mut bytes = [0; 8];
            rustix::io::read(event, &mut bytes)?;
            Ok(u64::from_ne_bytes(bytes))
        };
        self.events.iter().map(count).sum()
    }

    /// Becomes readable when a quarter of the ring is full.
    pub fn readable(&self) -> Option<BorrowedFd<'_>> {
        self.events.first().map(AsFd::as_fd)
    }

    /// Moves all that was recorded since the last time to the end of `into`; returns how many bytes.
    pub fn read(&mut self, into: &mut Vec<u8>) -> usize {
        let head = self.position(HEAD).load(Ordering::Acquire);
        let tail = self.position(TAIL).load(Ordering::Relaxed);
        let length =
            usize::try_from(head.wrapping_sub(tail)).map_or(self.size, |length| length.min(self.size));
        let from = (tail as usize) & (self.size - 1);
        let first = length.min(self.size - from);
        // SAFETY: behind the first page lie `size` bytes; from `from` on, `first` of them, and from the beginning the
        // rest. The kernel doesn't write there before it is told that they were read.
        unsafe {
            let ring = self.memory.as_ptr().cast::<u8>().add(self.page);
            into.extend_from_slice(std::slice::from_raw_parts(ring.add(from), first));
            into.extend_from_slice(std::slice::from_raw_parts(ring, length - first));
        }
        self.position(TAIL).store(head, Ordering::Release);
        length
    }

    fn position(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: within the first page, aligned, never accessed but as an atomic by us and the kernel, and mapped as
        // long as this value exists.
        unsafe { AtomicU64::from_ptr(self.memory.as_ptr().byte_add(offset).cast()) }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: mapped by `open` with this size, and nothing refers to it any more.
        let _ = unsafe { munmap(self.memory.as_ptr(), self.page + self.size) };
    }
}
