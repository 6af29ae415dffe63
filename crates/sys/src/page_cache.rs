//! Cached data of a file in the page cache (`cachestat(2)`, Linux 6.5).

use rustix::fs::{Advice, fadvise};
use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// Number of the system call; the same on all architectures except alpha, which is not supported.
const SYS_CACHESTAT: libc::c_long = 451;

/// `struct cachestat_range` of linux/mman.h.
#[repr(C)]
struct CacheRange {
    offset: u64,
    /// Length in bytes; 0 = to the end.
    length: u64,
}

/// `struct cachestat` of linux/mman.h, in pages.
#[repr(C)]
#[derive(Default)]
struct Pages {
    cached: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// Cached data of a range of a file or block device, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CachedData {
    pub cached: u64,
    /// Dirty data, or data in writeback.
    pub unwritten: u64,
    pub evicted: u64,
}

pub fn page_bytes() -> u64 {
    rustix::param::page_size() as u64
}

/// Returns the cached data of a part. `offset` and `length` are in bytes; a length of 0 reaches to the
/// end. The kernel checks every cached page in that part, at about 100 to 200 ns each.
///
/// # Errors
/// Fails with `ENOSYS` on an older kernel, `EPERM` for another user's file without write permission, or
/// `EOPNOTSUPP`.
pub fn cached_bytes(file: impl AsFd, offset: u64, length: u64) -> io::Result<CachedData> {
    let range = CacheRange { offset, length };
    let mut pages = Pages::default();
    // SAFETY: the kernel reads one structure and fills the other; both have the layout that it defines and
    // live until the call returns. On a kernel without the call the number is nobody's.
    let result = unsafe {
        libc::syscall(
            SYS_CACHESTAT,
            file.as_fd().as_raw_fd(),
            &raw const range,
            &raw mut pages,
            0 as libc::c_uint,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    let bytes = |pages: u64| pages.saturating_mul(page_bytes());
    Ok(CachedData {
        cached: bytes(pages.cached),
        unwritten: bytes(pages.dirty.saturating_add(pages.writeback)),
        evicted: bytes(pages.evicted),
    })
}

/// Returns the unwritten data of a range in bytes: see [`cached_bytes`].
pub fn dirty_bytes(file: impl AsFd, offset: u64, length: u64) -> io::Result<u64> {
    cached_bytes(file, offset, length).map(|held| held.unwritten)
}

/// Drops cached pages of a file, except locked ones.
pub fn release(file: impl AsFd) {
    let _ = fadvise(file, 0, None, Advice::DontNeed);
}

/// Disables readahead. Systems that ignore it read more than necessary.
pub fn read_nothing_ahead(file: impl AsFd) {
    let _ = fadvise(file, 0, None, Advice::Random);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn written_pages_are_dirty_until_sync() {
        let mut file = tempfile::tempfile_in("/var/tmp").unwrap();
        file.write_all(&vec![1; 1 << 20]).unwrap();
        match dirty_bytes(&file, 0, 0) {
            Err(error) => assert_eq!(error.raw_os_error(), Some(libc::ENOSYS), "Linux before 6.5"),
            // The kernel may begin to write at any time.
            Ok(bytes) => assert!(bytes <= 1 << 20, "{bytes}"),
        }
        file.sync_all().unwrap();
        assert!(dirty_bytes(&file, 0, 1 << 20).unwrap_or(0) == 0);
    }
}
