//! A memory barrier on processors that other threads run on.

use windows_sys::Win32::System::Threading::FlushProcessWriteBuffers;

/// A memory barrier on all processors that run threads of this process; true = it was.
pub(crate) fn barrier() -> bool {
    // SAFETY: takes nothing, and always does it.
    unsafe { FlushProcessWriteBuffers() };
    true
}
