//! A memory barrier on processors that other threads run on.

/// A memory barrier on all processors that run threads of this process, `membarrier(2)`; false = the kernel
/// has none.
pub(crate) fn barrier() -> bool {
    // Numbers of the kernel's interface, which never change.
    const GLOBAL: libc::c_int = 1;
    const PRIVATE: libc::c_int = 1 << 3;
    const REGISTER: libc::c_int = 1 << 4;
    // SAFETY: takes numbers only, no memory.
    let call = |command: libc::c_int| unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) } == 0;
    (call(REGISTER) && call(PRIVATE)) || call(GLOBAL)
}
