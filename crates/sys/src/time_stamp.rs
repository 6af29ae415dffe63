//! The processor's time-stamp counter, read raw.

/// Whether the counter has a constant rate, and the kernel lists it as a clock source. The kernel removes it
/// from the list if it deviates from other clocks.
pub(crate) fn are_reliable() -> bool {
    is_invariant() && {
        let clocks = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
        std::fs::read_to_string(clocks).is_ok_and(|listed| listed.split_whitespace().any(|c| c == "tsc"))
    }
}

#[cfg(target_arch = "x86_64")]
fn is_invariant() -> bool {
    use super::cpuid::leaf;
    /// "Advanced power management information"; bit 8 of EDX is the invariant counter (Intel SDM vol. 3,
    /// 19.17.1; AMD APM vol. 2, 13.2.4).
    const POWER: u32 = 0x8000_0007;
    leaf(0x8000_0000, 0).eax >= POWER && leaf(POWER, 0).edx & (1 << 8) != 0
}

/// Returns the counter, not read before preceding instructions complete, so that an observed completion is
/// in the past.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn read() -> u64 {
    use std::arch::x86_64::{_mm_lfence, _rdtsc};
    // SAFETY: every 64-bit processor has both instructions, and Linux permits them to user space.
    unsafe {
        _mm_lfence();
        _rdtsc()
    }
}

/// Returns false, because the kernel's clock is as cheap on other processors.
#[cfg(not(target_arch = "x86_64"))]
fn is_invariant() -> bool {
    false
}

/// Must not be called if the counter is unreliable.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub fn read() -> u64 {
    0
}
