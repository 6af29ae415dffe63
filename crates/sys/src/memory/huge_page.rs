//! Transparent huge pages: contiguous memory for I/O without a request.
//!
//! A device accepts a limited number of memory segments per I/O (`queue/max_segments`), and each 4 KiB
//! page is a segment unless the next page follows physically. An I/O of 1 MiB in scattered pages becomes
//! two requests.

use crate::limits::{self, Resource};
use crate::privileges::{self, Capability};
use diskspd_base::access::{self, HugePages};

const HUGE_PAGE: usize = access::HUGE_PAGE as usize;

pub(super) fn alignment(huge: HugePages, length: usize) -> usize {
    if fills_one(huge, length) { HUGE_PAGE } else { rustix::param::page_size() }
}

/// Asks for huge pages for a mapping before its first touch. If the kernel has no huge page free, or is
/// configured to give none to programs, the pages are small.
pub(super) fn advise(huge: HugePages, start: *mut u8, length: usize) {
    if fills_one(huge, length) {
        // SAFETY: advice about a mapping of the caller's, whose content it doesn't change; what isn't
        // mapped is refused.
        let _ = unsafe { libc::madvise(start.cast(), length, libc::MADV_HUGEPAGE) };
    }
}

fn fills_one(huge: HugePages, length: usize) -> bool {
    huge != HugePages::NotAskedFor && length >= HUGE_PAGE
}

/// The request for a buffer of `length` bytes, reduced if memory may not be locked. io_uring counts a huge
/// page as a whole against the limit for locked memory (`RLIMIT_MEMLOCK`).
pub(super) fn granted(huge: HugePages, length: usize) -> HugePages {
    match huge {
        HugePages::Whole if length < HUGE_PAGE && !may_lock() => HugePages::AskedFor,
        huge => huge,
    }
}

fn may_lock() -> bool {
    const AMPLE_MEMORY: u64 = 1 << 30;
    let limit = limits::current(Resource::LockedMemory).unwrap_or(Some(0));
    limit.is_none_or(|limit| limit >= AMPLE_MEMORY) || privileges::has_capability(Capability::IpcLock)
}
