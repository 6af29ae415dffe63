//! Copies between a view and a buffer, through the CPU's caches or around them.

/// Copies `length` bytes. With `around_caches` by non-temporal stores, which are complete on return.
///
/// # Safety
/// Both ranges are mapped, the target for writing, and they don't overlap.
#[inline]
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, length: usize, around_caches: bool) {
    // SAFETY: the caller's promise, passed on.
    unsafe {
        if around_caches {
            stream_copy(from, to, length);
        } else {
            std::ptr::copy_nonoverlapping(from, to, length);
        }
    }
}

/// Copies 16 bytes at a time to aligned addresses, with SSE2, which every x86-64 CPU has.
#[cfg(target_arch = "x86_64")]
unsafe fn stream_copy(from: *const u8, to: *mut u8, length: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    const LANE_BYTES: usize = size_of::<__m128i>();
    let head = to.align_offset(LANE_BYTES).min(length);
    let end = head + (length - head) / LANE_BYTES * LANE_BYTES;
    // SAFETY: head and end are at most the length, and the streamed part begins at an aligned target.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, head);
        for at in (head..end).step_by(LANE_BYTES) {
            _mm_stream_si128(to.add(at).cast(), _mm_loadu_si128(from.add(at).cast()));
        }
        std::ptr::copy_nonoverlapping(from.add(end), to.add(end), length - end);
        _mm_sfence();
    }
}

#[cfg(not(target_arch = "x86_64"))]
unsafe fn stream_copy(from: *const u8, to: *mut u8, length: usize) {
    // SAFETY: the caller's promise, passed on.
    unsafe { std::ptr::copy_nonoverlapping(from, to, length) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copy_handles_every_length_and_alignment_within_bounds() {
        let source: Vec<u8> = (0..200u8).map(|n| n | 1).collect();
        for around_caches in [false, true] {
            for (start, place) in (0..17).flat_map(|start| (0..17).map(move |place| (start, place))) {
                for length in (0..70).chain([128, 150]) {
                    let mut target = [0u8; 200];
                    // SAFETY: both arrays are longer than the ranges.
                    unsafe {
                        copy(
                            source.as_ptr().add(start),
                            target.as_mut_ptr().add(place),
                            length,
                            around_caches,
                        );
                    }
                    assert_eq!(target[place..place + length], source[start..start + length]);
                    assert!(target[..place].iter().chain(&target[place + length..]).all(|b| *b == 0));
                }
            }
        }
    }
}
