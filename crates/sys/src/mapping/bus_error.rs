//! Unavailable pages of a mapped file: the file was truncated, the device failed, or the file system is
//! full.
//!
//! The kernel reports an access to such a page with SIGBUS. A handler cannot leave the interrupted copy,
//! because unwinding or jumping over Rust frames is undefined. It maps zeroed memory over the copied range
//! instead, and sets a mark. The copy then ends, and its caller finds the mark.
//!
//! ```text
//! guarded(range) ─▶ copy ─▶ SIGBUS ─▶ handler: within the range? ─▶ zeroed memory over it, note ─▶ copy
//! goes on                                              └ no ─▶ whoever handled SIGBUS before
//! ```

use std::cell::Cell;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{Ordering, compiler_fence};

thread_local! {
    // Plain cells without destructor: the handler may touch them at any moment.
    /// Pages of the thread's current copy: address of the first byte, and exclusive end.
    static PAGES: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    /// Whether one of these pages was missing.
    static PAGE_MISSING: Cell<bool> = const { Cell::new(false) };
}

static PREVIOUS_HANDLER: OnceLock<libc::sigaction> = OnceLock::new();

/// Installs the handler, once for the process.
///
/// # Errors
/// Fails with the error of `sigaction(2)`; no case is known.
pub(super) fn watch() -> io::Result<()> {
    // Asked first, so that the handler finds what was there before.
    let mut failed = None;
    PREVIOUS_HANDLER.get_or_init(|| {
        // SAFETY: all zeros is a valid sigaction; the pointers are to values that live until the calls
        // return; the handler has the signature that SA_SIGINFO asks for, and does nothing but what a
        // handler may do.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            libc::sigaction(libc::SIGBUS, std::ptr::null(), &mut before);
            before
        }
    });
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = on_bus_error;
        // SAFETY: as above. The alternative stack is there for the handler before ours.
        unsafe {
            let mut ours: libc::sigaction = std::mem::zeroed();
            ours.sa_sigaction = handler as usize;
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&mut ours.sa_mask);
            if libc::sigaction(libc::SIGBUS, &ours, std::ptr::null_mut()) != 0 {
                failed = Some(io::Error::last_os_error());
            }
        }
    });
    failed.map_or(Ok(()), Err)
}

/// Copies from or to `length` bytes of a view, whose pages have `page` bytes: only whole pages of a mapping
/// can be replaced. Returns false if a page was missing: the range has been replaced by zeroed memory, and
/// the view no longer shows its file.
#[inline]
pub(super) fn guarded(start: *const u8, length: usize, page: usize, copy: impl FnOnce()) -> bool {
    let (first, end) = (start.addr(), start.addr() + length);
    PAGES.set((first - first % page, end.next_multiple_of(page)));
    // The compiler must not move the copy out from between the two; the handler runs in this thread.
    compiler_fence(Ordering::SeqCst);
    copy();
    compiler_fence(Ordering::SeqCst);
    PAGES.set((0, 0));
    !PAGE_MISSING.replace(false)
}

extern "C" fn on_bus_error(signal: libc::c_int, information: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: with SA_SIGINFO the kernel hands over a valid siginfo; the address means something if SIGBUS
    // is its own.
    let (code, address) = unsafe { ((*information).si_code, (*information).si_addr() as usize) };
    let (start, end) = PAGES.get();
    if code > 0 && (start..end).contains(&address) && replace_pages(start, end) {
        PAGE_MISSING.set(true);
        return;
    }
    // Not ours. Whoever handled it before gets it when the access is repeated; one that was sent isn't
    // repeated.
    if let Some(before) = PREVIOUS_HANDLER.get() {
        // SAFETY: as the kernel gave it. `sigaction` and `raise` may be called by a handler.
        unsafe {
            libc::sigaction(signal, before, std::ptr::null_mut());
            if code <= 0 {
                libc::raise(signal);
            }
        }
    }
}

/// Replaces the pages with zeroed memory.
fn replace_pages(start: usize, end: usize) -> bool {
    // SAFETY: the pages belong to a view, of which there are no slices, and the thread that uses it stands
    // in the middle of a copy, to which they are memory as before. `mmap` is a plain system call; only
    // errno has to be left as it was.
    unsafe {
        let errno = libc::__errno_location();
        let saved = *errno;
        let replaced = libc::mmap(
            start as *mut libc::c_void,
            end - start,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
            -1,
            0,
        );
        *errno = saved;
        replaced != libc::MAP_FAILED
    }
}
