//! A memory barrier on the processors of other threads.

/// Runs a memory barrier on all processors with threads of this process, `membarrier(2)`; false if the
/// kernel lacks it.
pub(crate) fn barrier() -> bool {
    // Numbers of the kernel's interface, which never change.
    const GLOBAL: libc::c_int = 1;
    const PRIVATE: libc::c_int = 1 << 3;
    const REGISTER: libc::c_int = 1 << 4;
    // SAFETY: takes numbers only, no memory.
    let call = |command: libc::c_int| unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) } == 0;
    (call(REGISTER) && call(PRIVATE)) || call(GLOBAL)
}
