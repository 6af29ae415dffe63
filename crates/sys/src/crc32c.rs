//! CRC-32C (Castagnoli): by the processor's own instruction where it has one, else by a table.

pub fn crc32c(bytes: &[u8]) -> u32 {
    !remainder(u32::MAX, bytes)
}

/// Returns the remainder after these bytes, without the initial ones of a checksum or its final
/// complement. It is linear: the remainder of an exclusive or is the exclusive or of the remainders.
#[inline]
pub fn remainder(before: u32, bytes: &[u8]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("sse4.2") {
        // SAFETY: the processor has the instruction.
        return unsafe { by_instruction(before, bytes) };
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("crc") {
        // SAFETY: the processor has the instruction.
        return unsafe { by_instruction(before, bytes) };
    }
    by_table(before, bytes)
}

/// Returns the same for whole words followed by a half word, which need not be in memory, least
/// significant byte first.
#[inline]
pub fn remainder_of_words<const N: usize>(before: u32, words: [u64; N], last: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("sse4.2") {
        // SAFETY: the processor has the instruction.
        return unsafe { words_by_instruction(before, words, last) };
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("crc") {
        // SAFETY: the processor has the instruction.
        return unsafe { words_by_instruction(before, words, last) };
    }
    let before = words.iter().fold(before, |sum, word| by_table(sum, &word.to_le_bytes()));
    by_table(before, &last.to_le_bytes())
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! with_instructions {
    ($feature:literal, $word:expr, $half:expr, $byte:expr) => {
        #[target_feature(enable = $feature)]
        fn by_instruction(before: u32, bytes: &[u8]) -> u32 {
            let (words, rest) = bytes.as_chunks();
            let sum = words.iter().fold(before, |sum, word| $word(sum, u64::from_le_bytes(*word)));
            rest.iter().fold(sum, |sum, byte| $byte(sum, *byte))
        }

        #[target_feature(enable = $feature)]
        fn words_by_instruction<const N: usize>(before: u32, words: [u64; N], last: u32) -> u32 {
            $half(words.into_iter().fold(before, |sum, word| $word(sum, word)), last)
        }
    };
}

#[cfg(target_arch = "x86_64")]
with_instructions!(
    "sse4.2",
    |sum: u32, word| std::arch::x86_64::_mm_crc32_u64(u64::from(sum), word) as u32,
    std::arch::x86_64::_mm_crc32_u32,
    std::arch::x86_64::_mm_crc32_u8
);
#[cfg(target_arch = "aarch64")]
with_instructions!(
    "crc",
    std::arch::aarch64::__crc32cd,
    std::arch::aarch64::__crc32cw,
    std::arch::aarch64::__crc32cb
);

/// Polynomial 0x1EDC6F41 with reversed bits.
const POLYNOMIAL: u32 = 0x82F6_3B78;

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ POLYNOMIAL } else { sum >> 1 };
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
};

fn by_table(before: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(before, |sum, byte| (sum >> 8) ^ TABLE[(sum as u8 ^ byte) as usize])
}

/// Linear function of 32 bits with lookup tables for its bytes.
#[derive(Debug)]
pub struct Linear([[u32; 256]; 4]);

impl Linear {
    pub fn new(of_bit: impl Fn(u32) -> u32) -> Linear {
        let bits: [u32; 32] = std::array::from_fn(|bit| of_bit(1 << bit));
        let sum = |place: usize, byte: usize| {
            (0..8).filter(|bit| byte >> bit & 1 == 1).fold(0, |sum, bit| sum ^ bits[8 * place + bit])
        };
        Linear(std::array::from_fn(|place| std::array::from_fn(|byte| sum(place, byte))))
    }

    #[inline]
    pub fn transform(&self, number: u32) -> u32 {
        let of_byte = |place: usize| self.0[place][(number >> (8 * place)) as usize & 0xff];
        of_byte(0) ^ of_byte(1) ^ of_byte(2) ^ of_byte(3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc32c_matches_rfc_3720() {
        let ascending: Vec<u8> = (0..32).collect();
        let descending: Vec<u8> = (0..32).rev().collect();
        for (bytes, sum) in [
            (&b"123456789"[..], 0xE306_9283),
            (&[0; 32], 0x8A91_36AA),
            (&[0xff; 32], 0x62A8_AB43),
            (&ascending, 0x46DD_794E),
            (&descending, 0x113F_DB5C),
            (&[], 0),
        ] {
            assert_eq!((crc32c(bytes), !by_table(u32::MAX, bytes)), (sum, sum), "{bytes:02x?}");
        }
    }

    #[test]
    fn checksum_remainders_combine_over_any_split() {
        let bytes: Vec<u8> = (0..4096u32).map(|i| ((i * i) >> 3) as u8).collect();
        for length in [0, 1, 7, 8, 9, 63, 512, 1000] {
            let (start, rest) = bytes.split_at(length);
            let after = remainder(u32::MAX, start);
            assert_eq!(after, by_table(u32::MAX, start), "{length}");
            assert_eq!(!remainder(after, rest), crc32c(&bytes), "{length}");
            let (words, last) = ([0x0123_4567_89ab_cdef, !7, u64::from(after)], after ^ 0x55);
            let behind: Vec<u8> =
                words.iter().flat_map(|word| word.to_le_bytes()).chain(last.to_le_bytes()).collect();
            assert_eq!(remainder_of_words(after, words, last), by_table(after, &behind), "{length}");
            let zeros = vec![0; rest.len()];
            let advanced = Linear::new(|bit| remainder(bit, &zeros));
            assert_eq!(advanced.transform(after) ^ remainder(0, rest), remainder(after, rest), "{length}");
        }
    }
}
