//! The processor's identification (CPUID).

use std::arch::x86_64::{__cpuid_count, CpuidResult};

/// Returns one leaf; `sub` selects its part if it has several, and is otherwise ignored.
pub(crate) fn leaf(leaf: u32, sub: u32) -> CpuidResult {
    // A safe function in newer versions of Rust; in the oldest that builds this it is not.
    #[allow(unused_unsafe)]
    // SAFETY: every x86-64 processor has the instruction, and it only writes registers.
    unsafe {
        __cpuid_count(leaf, sub)
    }
}
