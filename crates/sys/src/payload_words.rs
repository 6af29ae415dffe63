//! Words that differ by the multiples of a number. Many are generated and compared at a time, with wide
//! instructions if the processor has them.

/// Fills words, least significant byte first: the first one is `word` xor `step`, the second one `word` xor
/// twice `step`, and so on.
#[inline]
pub fn fill(words: &mut [[u8; 8]], word: u64, step: u64) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions.
        return unsafe { fill_wide(words, word, step) };
    }
    fill_each(words, word, step);
}

#[inline]
pub fn are_filled(words: &[[u8; 8]], word: u64, step: u64) -> bool {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions.
        return unsafe { are_filled_wide(words, word, step) };
    }
    are_filled_each(words, word, step)
}

/// Same code, compiled to wide instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn fill_wide(words: &mut [[u8; 8]], word: u64, step: u64) {
    fill_each(words, word, step);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn are_filled_wide(words: &[[u8; 8]], word: u64, step: u64) -> bool {
    are_filled_each(words, word, step)
}

// Multiples are added up one by one: processors multiply no such words side by side.
#[inline(always)]
fn fill_each(words: &mut [[u8; 8]], word: u64, step: u64) {
    let mut multiple = 0u64;
    for bytes in words {
        multiple = multiple.wrapping_add(step);
        *bytes = (word ^ multiple).to_le_bytes();
    }
}

/// Checks all words, which is faster than stopping at the first difference.
#[inline(always)]
fn are_filled_each(words: &[[u8; 8]], word: u64, step: u64) -> bool {
    let (mut multiple, mut differs) = (0u64, 0);
    for bytes in words {
        multiple = multiple.wrapping_add(step);
        differs |= u64::from_le_bytes(*bytes) ^ word ^ multiple;
    }
    differs == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flag_names_and_unknown_bits_are_shown() {
        let (word, step) = (0x0123_4567_89ab_cdef, 0x9e37_79b9_7f4a_7c15u64);
        for count in [0, 1, 3, 4, 57, 505] {
            let mut words = vec![[0; 8]; count];
            fill(&mut words, word, step);
            for (number, bytes) in (1..).zip(&words) {
                assert_eq!(u64::from_le_bytes(*bytes), word ^ step.wrapping_mul(number));
            }
            assert!(are_filled(&words, word, step) && are_filled_each(&words, word, step));
            for bit in (0..64 * count).step_by(37) {
                words[bit / 64][bit % 64 / 8] ^= 1 << (bit % 8);
                assert!(!are_filled(&words, word, step) && !are_filled_each(&words, word, step), "{bit}");
                words[bit / 64][bit % 64 / 8] ^= 1 << (bit % 8);
            }
        }
    }
}
