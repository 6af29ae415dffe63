//! A memory barrier on the processors of other threads.

use windows_sys::Win32::System::Threading::FlushProcessWriteBuffers;

/// A memory barrier on all processors that run threads of this process; true = it was.
pub(crate) fn barrier() -> bool {
    // SAFETY: takes nothing, and always does it.
    unsafe { FlushProcessWriteBuffers() };
    true
}
