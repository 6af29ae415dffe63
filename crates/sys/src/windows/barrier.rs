//! A memory barrier on the processors of other threads.

use windows_sys::Win32::System::Threading::FlushProcessWriteBuffers;

/// Executes a memory barrier on all processors that run threads of this process; always returns true.
pub(crate) fn barrier() -> bool {
    // SAFETY: takes nothing, and always does it.
    unsafe { FlushProcessWriteBuffers() };
    true
}
