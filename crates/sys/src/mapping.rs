//! A shared mapping of a whole file. Reads and writes copy from and to it.
//!
//! The view is never a Rust slice, because other threads, other processes and the file system change it at
//! any time. All access is by copies at addresses. An unavailable page ends the copy (see
//! `mapping/bus_error.rs`), not the program.

mod bus_error;
mod copy;
mod persist;

use super::memory::{Slot, SlotMut};
use diskspd_base::access::{Flush, MapOptions};
use rustix::fs::OFlags;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;

/// File that is mapped from its start to its current end.
#[derive(Debug)]
pub struct View {
    start: NonNull<u8>,
    length: usize,
    file: OwnedFd,
    writable: bool,
    options: MapOptions,
    /// Page size of the mapping in bytes; on hugetlbfs that of a huge page.
    page: usize,
    is_on_fuse: bool,
    /// Whether a missing page was replaced, so that the view no longer shows the file.
    broken: bool,
}

impl View {
    /// Maps the file; also for writing if it is open for writing.
    ///
    /// # Errors
    /// Fails with the error of `mmap(2)`. `EOPNOTSUPP` if [`Flush::CacheLines`] is requested and the file
    /// is not on a DAX file system; `Unsupported` if this program cannot write back the caches of this
    /// architecture.
    pub fn new(file: OwnedFd, options: MapOptions) -> io::Result<View> {
        if options.flush.needs_dax() && !persist::AVAILABLE {
            return Err(io::ErrorKind::Unsupported.into());
        }
        bus_error::watch()?;
        let writable = rustix::fs::fcntl_getfl(&file)? & OFlags::ACCMODE == OFlags::RDWR;
        let size = rustix::fs::fstat(&file)?.st_size;
        let length = usize::try_from(size).map_err(|_| io::Error::from_raw_os_error(libc::ENOMEM))?;
        let access = libc::PROT_READ | if writable { libc::PROT_WRITE } else { 0 };
        let kind = match options.flush.needs_dax() {
            true => libc::MAP_SHARED_VALIDATE | libc::MAP_SYNC,
            false => libc::MAP_SHARED,
        };
        // SAFETY: a new mapping at an address of the kernel's choice touches no existing memory.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), length, access, kind, file.as_raw_fd(), 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast::<u8>()).ok_or_else(io::Error::last_os_error)?;
        let found = rustix::fs::fstatfs(&file).ok();
        let is_on = |file_system: u32| found.as_ref().is_some_and(|found| found.f_type as u32 == file_system);
        let huge =
            found.as_ref().filter(|_| is_on(HUGETLBFS)).and_then(|found| usize::try_from(found.f_bsize).ok());
        let (page, is_on_fuse) = (huge.unwrap_or_else(rustix::param::page_size), is_on(FUSE));
        let view = View { start, length, file, writable, options, page, is_on_fuse, broken: false };
        // Given both, the later one decides about read-ahead.
        if options.hint.sequential {
            view.advise(libc::MADV_SEQUENTIAL)?;
        }
        if options.hint.random {
            view.advise(libc::MADV_RANDOM)?;
        }
        Ok(view)
    }

    fn advise(&self, advice: libc::c_int) -> io::Result<()> {
        // SAFETY: the range is the mapping; the advice changes no content.
        match unsafe { libc::madvise(self.start.as_ptr().cast(), self.length, advice) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Copies from the view; returns the bytes copied, fewer than requested only past the end of the
    /// mapping.
    ///
    /// # Errors
    /// Fails if a page is unavailable: `EFAULT` if the file has become shorter, otherwise `EIO`.
    pub fn read(&mut self, offset: u64, mut into: SlotMut) -> io::Result<usize> {
        let Some((from, length)) = self.transfer_range(offset, into.len()) else { return Ok(0) };
        let intact = bus_error::guarded(from, length, self.page, || {
            // SAFETY: `length` bytes are mapped behind `from` and lie in `into`; the two don't overlap,
            // because no slice or slot is ever made of the view. Bytes that change meanwhile are bytes all
            // the same.
            unsafe { copy::copy(from, into.as_mut_ptr(), length, self.options.non_temporal) }
        });
        self.end_transfer(intact, offset, length)
    }

    /// Copies into the view and flushes; returns the bytes copied, as [`View::read`] does.
    ///
    /// # Errors
    /// As [`View::read`], `ENOSPC` if there is no space for a written hole, `EBADF` if the file is not
    /// open for writing, or the error of `msync(2)`.
    pub fn write(&mut self, offset: u64, from: Slot) -> io::Result<usize> {
        if !self.writable {
            return Err(io::Error::from_raw_os_error(libc::EBADF));
        }
        let Some((to, length)) = self.transfer_range(offset, from.len()) else { return Ok(0) };
        let flush = if self.options.non_temporal { Flush::None } else { self.options.flush };
        let intact = bus_error::guarded(to, length, self.page, || {
            // SAFETY: as in `read`, and the view is mapped for writing.
            unsafe { copy::copy(from.as_ptr(), to, length, self.options.non_temporal) };
            if flush.needs_dax() {
                // SAFETY: the range is mapped.
                unsafe { persist::write_back(to, length, flush == Flush::CacheLines) };
            }
        });
        let copied = self.end_transfer(intact, offset, length)?;
        if flush == Flush::Pages {
            self.sync(offset as usize, length)?;
        }
        Ok(copied)
    }

    /// Writes all changes of the view to the file, and waits until they are there.
    ///
    /// # Errors
    /// Fails with the error of `msync(2)`.
    pub fn flush(&self) -> io::Result<()> {
        self.sync(0, self.length)
    }

    fn transfer_range(&self, offset: u64, length: usize) -> Option<(*mut u8, usize)> {
        let offset = usize::try_from(offset).ok().filter(|offset| *offset < self.length)?;
        // SAFETY: offset is below the length of the mapping.
        let start = unsafe { self.start.as_ptr().add(offset) };
        Some((start, length.min(self.length - offset)))
    }

    fn end_transfer(&mut self, intact: bool, offset: u64, length: usize) -> io::Result<usize> {
        self.broken |= !intact;
        if !self.broken {
            return Ok(length);
        }
        let size = rustix::fs::fstat(&self.file).map_or(0, |found| found.st_size as u64);
        let full = rustix::fs::fstatvfs(&self.file).is_ok_and(|found| found.f_bavail == 0);
        let errno = match () {
            () if size < offset + length as u64 || size < self.length as u64 => libc::EFAULT,
            () if self.writable && full => libc::ENOSPC,
            () => libc::EIO,
        };
        Err(io::Error::from_raw_os_error(errno))
    }

    fn sync(&self, offset: usize, length: usize) -> io::Result<()> {
        let before = offset % self.page;
        // SAFETY: the range lies within the mapping, which begins on a page.
        let answer = unsafe {
            let start = self.start.as_ptr().add(offset - before);
            libc::msync(start.cast(), length + before, libc::MS_SYNC)
        };
        if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

const HUGETLBFS: u32 = 0x9584_58f6;
const FUSE: u32 = 0x6573_5546;

impl Drop for View {
    fn drop(&mut self) {
        // Only unmapping would write this data, and would block each change of this process's memory.
        if self.writable && self.is_on_fuse {
            let _ = self.flush();
        }
        // SAFETY: the mapping was made in `new` with this start and length, and nobody else knows it.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
    }
}
