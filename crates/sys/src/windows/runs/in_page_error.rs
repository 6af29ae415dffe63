//! Unavailable pages of a mapped file, because the disk failed or is gone.
//!
//! Windows reports an access to such a page with an exception. A handler cannot leave the interrupted
//! copy, because unwinding or jumping over Rust frames is undefined. It replaces the view by zeroed memory
//! instead, and sets a mark. The copy then ends, and its caller finds the mark.
//!
//! ```text
//! guarded(range) ─▶ copy ─▶ exception ─▶ handler: within the range? ─▶ zeroed memory for it, note ─▶ copy
//! goes on                                                └ no ─▶ whoever else handles exceptions
//! ```
//!
//! Parts of a view cannot be replaced, so the whole view is. Memory is only allocated for the copied
//! range.

use std::cell::Cell;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{Ordering, compiler_fence};
use windows_sys::Win32::Foundation::{
    ERROR_NOACCESS, EXCEPTION_ACCESS_VIOLATION, EXCEPTION_IN_PAGE_ERROR, NTSTATUS, RtlNtStatusToDosError,
};
use windows_sys::Win32::System::Diagnostics::Debug::{AddVectoredExceptionHandler, EXCEPTION_POINTERS};
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_RESERVE, MEMORY_MAPPED_VIEW_ADDRESS, PAGE_READWRITE, UnmapViewOfFile, VirtualAlloc,
};

/// Page size in bytes on all processors that Windows supports.
const PAGE: usize = 4096;
/// Results of a handler: retry the access, or call the next handler (excpt.h).
const CONTINUE_EXECUTION: i32 = -1;
const CONTINUE_SEARCH: i32 = 0;

#[derive(Debug, Clone, Copy)]
pub(super) struct GuardedView {
    view: usize,
    length: usize,
    /// First page of the copy, and end of its last page.
    pages: (usize, usize),
}

impl GuardedView {
    const NONE: GuardedView = GuardedView { view: 0, length: 0, pages: (0, 0) };

    /// Describes a copy of `length` bytes from `start` on, within a view of `view_length` bytes.
    pub(super) fn new(view: usize, view_length: usize, start: usize, length: usize) -> GuardedView {
        let pages = (start - start % PAGE, (start + length).next_multiple_of(PAGE));
        GuardedView { view, length: view_length, pages }
    }
}

thread_local! {
    // Plain cells without destructor: the handler may touch them at any moment.
    static PLACE: Cell<GuardedView> = const { Cell::new(GuardedView::NONE) };
    /// Error of a missing page; 0 = none was missing.
    static PAGE_ERROR: Cell<u32> = const { Cell::new(0) };
}

/// Installs the handler, once for the process.
pub(super) fn watch() -> io::Result<()> {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    // SAFETY: the handler has the signature that is asked for, and lives as long as the process.
    let installed =
        *INSTALLED.get_or_init(|| !unsafe { AddVectoredExceptionHandler(1, Some(on_exception)) }.is_null());
    if installed { Ok(()) } else { Err(io::ErrorKind::OutOfMemory.into()) }
}

/// Executes a copy from or to a view. Returns 0, or the Windows error of a missing page. Memory has then
/// replaced the view, and must be freed by `VirtualFree`.
#[inline]
pub(super) fn guarded(place: GuardedView, copy: impl FnOnce()) -> u32 {
    PLACE.set(place);
    // The compiler must not move the copy out from between the two; the handler runs in this thread.
    compiler_fence(Ordering::SeqCst);
    copy();
    compiler_fence(Ordering::SeqCst);
    PLACE.set(GuardedView::NONE);
    PAGE_ERROR.replace(0)
}

/// Called by the system, in the thread of the exception.
///
/// # Safety
/// The argument must be a valid pointer as passed by the system.
unsafe extern "system" fn on_exception(told: *mut EXCEPTION_POINTERS) -> i32 {
    // SAFETY: the system hands over a valid record.
    let record = unsafe { *(*told).ExceptionRecord };
    let [_, address, status, ..] = record.ExceptionInformation;
    let error = match record.ExceptionCode {
        EXCEPTION_ACCESS_VIOLATION => ERROR_NOACCESS,
        // SAFETY: takes a number only.
        EXCEPTION_IN_PAGE_ERROR => unsafe { RtlNtStatusToDosError(status as u32 as NTSTATUS) },
        _ => return CONTINUE_SEARCH,
    };
    let place = PLACE.try_with(Cell::get).unwrap_or(GuardedView::NONE);
    if !(place.pages.0..place.pages.1).contains(&address) || PAGE_ERROR.get() != 0 || !replace_view(place) {
        return CONTINUE_SEARCH;
    }
    PAGE_ERROR.set(error.max(1));
    CONTINUE_EXECUTION
}

/// Puts memory in the place of the view, zeroed where it is being copied from or to.
fn replace_view(place: GuardedView) -> bool {
    let (view, (first, end)) = (place.view as *mut core::ffi::c_void, place.pages);
    // SAFETY: of the view there are no slices, and the thread that has it stands in the middle of a copy, to
    // which the new pages are memory as before.
    unsafe {
        UnmapViewOfFile(MEMORY_MAPPED_VIEW_ADDRESS { Value: view }) != 0
            && VirtualAlloc(view, place.length, MEM_RESERVE, PAGE_READWRITE) == view
            && !VirtualAlloc(first as *const _, end - first, MEM_COMMIT, PAGE_READWRITE).is_null()
    }
}
