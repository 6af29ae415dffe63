//! CRC-32C (Castagnoli): by the processor's own instruction where it has one, else by a table.

/// The checksum of some bytes.
pub fn crc32c(bytes: &[u8]) -> u32 {
    crc32c_of_each([bytes])[0]
}

/// The checksums of several pieces. One instruction waits for the result of the one before, so pieces of the
/// same length side by side take hardly longer than one of them.
#[inline]
pub fn crc32c_of_each<const N: usize>(pieces: [&[u8]; N]) -> [u32; N] {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("sse4.2") {
        // SAFETY: the processor has the instruction.
        return unsafe { by_instruction(pieces) };
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("crc") {
        // SAFETY: the processor has the instruction.
        return unsafe { by_instruction(pieces) };
    }
    pieces.map(by_table)
}

/// The instructions of this processor: the checksum so far, and what follows.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! with_instructions {
    ($feature:literal, $word:expr, $byte:expr) => {
        #[target_feature(enable = $feature)]
        fn by_instruction<const N: usize>(pieces: [&[u8]; N]) -> [u32; N] {
            let common = pieces.iter().map(|piece| piece.len()).min().unwrap_or(0) / 8 * 8;
            let mut sums = [u32::MAX; N];
            for at in (0..common).step_by(8) {
                for (sum, piece) in sums.iter_mut().zip(pieces) {
                    let mut word = [0; 8];
                    word.copy_from_slice(&piece[at..at + 8]);
                    *sum = $word(*sum, u64::from_le_bytes(word));
                }
            }
            for (sum, piece) in sums.iter_mut().zip(pieces) {
                *sum = piece[common..].iter().fold(*sum, |sum, byte| $byte(sum, *byte));
            }
            sums.map(|sum| !sum)
        }
    };
}

#[cfg(target_arch = "x86_64")]
with_instructions!(
    "sse4.2",
    |sum: u32, word| std::arch::x86_64::_mm_crc32_u64(u64::from(sum), word) as u32,
    std::arch::x86_64::_mm_crc32_u8
);
#[cfg(target_arch = "aarch64")]
with_instructions!("crc", std::arch::aarch64::__crc32cd, std::arch::aarch64::__crc32cb);

/// The polynomial 0x1EDC6F41, its bits reversed.
const POLYNOMIAL: u32 = 0x82F6_3B78;

/// What a byte does to the checksum.
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

fn by_table(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| (sum >> 8) ^ TABLE[(sum as u8 ^ byte) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksums_are_those_of_rfc_3720_by_instruction_and_by_table() {
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
            assert_eq!((crc32c(bytes), by_table(bytes)), (sum, sum), "{bytes:02x?}");
        }
    }

    #[test]
    fn several_pieces_have_the_checksums_of_each_whatever_their_lengths() {
        let bytes: Vec<u8> = (0..4096u32).map(|i| ((i * i) >> 3) as u8).collect();
        for length in [0, 1, 7, 8, 9, 63, 512, 1000] {
            let pieces = [&bytes[..length], &bytes[1..length + 3], &bytes[17..length + 17], &bytes];
            assert_eq!(crc32c_of_each(pieces), pieces.map(by_table), "{length}");
        }
    }
}
