//! Large pages: memory that the system maps in pieces of 2 MiB or so, and never writes to a paging file.

use super::privilege::{Privilege, has_privilege};
use std::io;
use std::ptr::NonNull;
use windows_sys::Win32::Foundation::ERROR_PRIVILEGE_NOT_HELD;
use windows_sys::Win32::System::Memory::{
    GetLargePageMinimum, MEM_COMMIT, MEM_LARGE_PAGES, MEM_RELEASE, MEM_RESERVE, PAGE_READWRITE, VirtualAlloc,
    VirtualFree,
};

pub(crate) fn size() -> usize {
    // SAFETY: takes nothing.
    unsafe { GetLargePageMinimum() }
}

/// Zeroed memory of large pages, owned by the value.
#[derive(Debug)]
pub(crate) struct LargeMemory(NonNull<u8>);

impl LargeMemory {
    /// Allocates this number of bytes: a multiple of [`size`].
    ///
    /// # Errors
    /// Fails with [`io::ErrorKind::PermissionDenied`] without the privilege (`SeLockMemoryPrivilege`), or
    /// with the system's error if there is no contiguous memory of that size.
    pub(crate) fn take(bytes: usize) -> io::Result<LargeMemory> {
        if !has_privilege(Privilege::LockMemory) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let kind = MEM_RESERVE | MEM_COMMIT | MEM_LARGE_PAGES;
        // SAFETY: new memory at an address of the system's choice touches none that exists.
        let start = unsafe { VirtualAlloc(std::ptr::null(), bytes, kind, PAGE_READWRITE) };
        NonNull::new(start.cast::<u8>()).map(LargeMemory).ok_or_else(|| {
            let error = io::Error::last_os_error();
            let lacks = error.raw_os_error() == i32::try_from(ERROR_PRIVILEGE_NOT_HELD).ok();
            if lacks { io::ErrorKind::PermissionDenied.into() } else { error }
        })
    }

    pub(crate) fn start(&self) -> NonNull<u8> {
        self.0
    }
}

impl Drop for LargeMemory {
    fn drop(&mut self) {
        // SAFETY: it was taken in `take`, and nobody else knows it.
        unsafe { VirtualFree(self.0.as_ptr().cast(), 0, MEM_RELEASE) };
    }
}
