//! Writing CPU caches back to persistent memory, line by line.

pub(crate) const AVAILABLE: bool = cfg!(target_arch = "x86_64");

/// Writes the cache lines of a range back; with `drain`, waits until they have arrived.
///
/// # Safety
/// The range is mapped.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn write_back(start: *const u8, length: usize, drain: bool) {
    use std::arch::asm;
    use std::arch::x86_64::{_mm_clflush, _mm_sfence};
    let first = start.addr() % LINE;
    let offsets = (0..length + first).step_by(LINE);
    let instruction = best_instruction();
    for offset in offsets {
        let line = start.wrapping_sub(first).wrapping_add(offset);
        // SAFETY: the line holds a byte of the range, so it's mapped; none of these changes what the memory
        // holds.
        unsafe {
            match instruction {
                WriteBack::Keep => asm!("clwb [{}]", in(reg) line, options(nostack, preserves_flags)),
                WriteBack::Evict => asm!("clflushopt [{}]", in(reg) line, options(nostack, preserves_flags)),
                WriteBack::EvictInOrder => _mm_clflush(line),
            }
        }
    }
    if drain {
        // SAFETY: every x86-64 CPU has it.
        unsafe { _mm_sfence() };
    }
}

/// Never reached: no mapping is made that needs it.
///
/// # Safety
/// None is needed.
#[cfg(not(target_arch = "x86_64"))]
pub unsafe fn write_back(_: *const u8, _: usize, _: bool) {}

/// Bytes of a cache line on every x86-64 CPU.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
enum WriteBack {
    /// `clwb`: the line stays in the cache.
    Keep,
    /// `clflushopt`
    Evict,
    EvictInOrder,
}

#[cfg(target_arch = "x86_64")]
fn best_instruction() -> WriteBack {
    use std::sync::OnceLock;
    static BEST_WRITE_BACK: OnceLock<WriteBack> = OnceLock::new();
    *BEST_WRITE_BACK.get_or_init(|| {
        // Every x86-64 CPU has the instruction; leaf 7 is only asked for where leaf 0 says that there is one.
        use crate::cpuid::leaf;
        let leaves = leaf(0, 0).eax;
        let features = if leaves >= 7 { leaf(7, 0).ebx } else { 0 };
        match (features >> 24 & 1, features >> 23 & 1) {
            (1, _) => WriteBack::Keep,
            (_, 1) => WriteBack::Evict,
            _ => WriteBack::EvictInOrder,
        }
    })
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    // Whether a line has left the cache can't be seen; that the instructions exist here and harm nothing can.
    #[test]
    fn cache_writeback_keeps_content() {
        let data: Vec<u8> = (0..255).collect();
        for (start, length) in [(0, 0), (0, 1), (1, 63), (63, 2), (0, 255), (7, 200)] {
            for drain in [false, true] {
                // SAFETY: the range lies within the vector.
                unsafe { write_back(data.as_ptr().add(start), length, drain) };
            }
        }
        assert!(data.iter().copied().eq(0..255));
    }
}
