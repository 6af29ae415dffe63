//! Huge pages that the kernel gives unasked (transparent ones): memory in one piece for I/O.
//!
//! A device takes an I/O as so many pieces of memory at most (`queue/max_segments`), and a page of 4 KiB is a
//! piece unless its neighbour happens to follow it: of scattered pages, an I/O of 1 MiB becomes two requests.

use super::HugePages;
use crate::limits::{self, Resource};
use crate::privileges::{self, Capability};

/// Bytes of a huge page on x86-64, and on ARM64 with pages of 4 KiB (`transparent_hugepage/hpage_pmd_size`).
/// Where it is another size, the memory is as good as any.
const HUGE_PAGE: usize = 2 << 20;

/// Bytes of the smallest buffer that gets a huge page for itself. A thread has one buffer: what a smaller one
/// could win isn't worth 2 MiB a thread.
const SMALLEST: usize = 64 << 10;

impl HugePages {
    /// So many bytes are mapped for a buffer of `length`: up to a huge page a whole one, else whole pages.
    /// `None` = more than can be addressed.
    pub(super) fn extended(self, length: usize) -> Option<usize> {
        let whole = self == HugePages::AskedFor && (SMALLEST..HUGE_PAGE).contains(&length) && may_lock();
        length.checked_next_multiple_of(if whole { HUGE_PAGE } else { rustix::param::page_size() })
    }

    /// What the first address of a buffer of `length` bytes is a multiple of.
    pub(super) fn alignment(self, length: usize) -> usize {
        let huge = self == HugePages::AskedFor && length >= HUGE_PAGE;
        if huge { HUGE_PAGE } else { rustix::param::page_size() }
    }

    /// Asks for huge pages for a mapping before its first touch. The kernel may have none, or be told to
    /// give none: then they are small.
    pub(super) fn advise(self, start: *mut u8, length: usize) {
        if self == HugePages::AskedFor && length >= HUGE_PAGE {
            // SAFETY: advice about a mapping of the caller's, whose content it doesn't change; what isn't
            // mapped is refused.
            let _ = unsafe { libc::madvise(start.cast(), length, libc::MADV_HUGEPAGE) };
        }
    }
}

/// Whether memory may be locked as it comes: io_uring counts a huge page as a whole against the limit for
/// locked memory (`RLIMIT_MEMLOCK`), however little of it is registered.
fn may_lock() -> bool {
    const PLENTY: u64 = 1 << 30;
    let limit = limits::current(Resource::LockedMemory).unwrap_or(Some(0));
    limit.is_none_or(|limit| limit >= PLENTY) || privileges::has(Capability::IpcLock)
}
