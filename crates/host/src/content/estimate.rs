//! Estimates of a block's compressed size, and detection of equal blocks. They are not codecs.

/// Length of repeated sequences, as in LZ4.
const SEQUENCE: usize = 4;
const COPY: usize = 3;
/// Maximum number of remembered sequences.
const MAX_POSITIONS: usize = 1 << 12;

pub fn is_zero(block: &[u8]) -> bool {
    block.iter().all(|byte| *byte == 0)
}

/// Returns a hash that is equal for equal blocks, and practically unique otherwise.
pub fn fingerprint(block: &[u8]) -> u64 {
    block.chunks(8).fold(0x9e37_79b9_7f4a_7c15, |hash: u64, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let mixed = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        mixed ^ (mixed >> 32)
    })
}

/// Estimates the bytes that a fast compressor would need for a block, at most its length. Repeated
/// sequences become copies; the rest is weighted by its byte distribution.
pub fn compressed_size(block: &[u8]) -> usize {
    let mut places = vec![0u32; MAX_POSITIONS];
    let mut counts = [0u32; 256];
    let (mut literals, mut copies, mut at) = (0usize, 0usize, 0usize);
    while at < block.len() {
        let length = copy_length(block, at, &mut places);
        if length >= SEQUENCE {
            copies += 1;
            at += length;
        } else {
            counts[usize::from(block[at])] += 1;
            literals += 1;
            at += 1;
        }
    }
    (weigh(&counts, literals) + copies * COPY).min(block.len())
}

fn copy_length(block: &[u8], at: usize, places: &mut [u32]) -> usize {
    let Some(&[a, b, c, d]) = block.get(at..at + SEQUENCE) else { return 0 };
    let hash = u32::from_le_bytes([a, b, c, d]).wrapping_mul(2_654_435_761) >> 20;
    // Places are counted from 1: 0 = none.
    let earlier = std::mem::replace(&mut places[hash as usize % MAX_POSITIONS], at as u32 + 1) as usize;
    match earlier {
        0 => 0,
        earlier => block[at..].iter().zip(&block[earlier - 1..]).take_while(|(new, old)| new == old).count(),
    }
}

/// Bytes that an entropy coder would need. A few hundred bytes show less entropy than they have (Miller's
/// correction).
fn weigh(counts: &[u32; 256], total: usize) -> usize {
    if total == 0 {
        return 0;
    }
    let all = total as f64;
    let used = counts.iter().filter(|count| **count > 0);
    let bits: f64 = used.clone().map(|count| f64::from(*count) * (all / f64::from(*count)).log2()).sum();
    let correction = (used.count() as f64 - 1.0) / 2.0 * std::f64::consts::LOG2_E;
    (((bits + correction) / 8.0).ceil() as usize).min(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns pseudo-random bytes.
    fn random_bytes(mut seed: u64, length: usize) -> Vec<u8> {
        std::iter::repeat_with(|| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 56) as u8
        })
        .take(length)
        .collect()
    }

    #[test]
    fn contents_are_classified_by_compression_ratio() {
        let text = include_bytes!("estimate.rs")[..4096].to_vec();
        let half = [random_bytes(1, 2048), vec![0; 2048]].concat();
        let letters: Vec<u8> = random_bytes(2, 4096).into_iter().map(|byte| b'a' + byte % 16).collect();
        for (name, block, from, to) in [
            ("nothing", vec![], 0, 0),
            ("zeros", vec![0; 4096], 0, 10),
            ("the program's own pattern", (0..4096).map(|at| at as u8).collect(), 100, 400),
            ("text", text, 1000, 2800),
            ("half random, half zeros", half, 1950, 2150),
            ("random letters: four bits each", letters, 1900, 2200),
            ("random bytes", random_bytes(3, 4096), 3950, 4096),
            ("one byte", vec![7], 0, 1),
        ] {
            let size = compressed_size(&block);
            assert!((from..=to).contains(&size), "{name}: {size}");
        }
        // No byte is 0: what --prefill writes.
        let without_zeros: Vec<u8> = random_bytes(4, 4096).into_iter().map(|byte| byte.max(1)).collect();
        assert!(compressed_size(&without_zeros) > 3900);
    }

    #[test]
    fn equal_blocks_have_equal_fingerprints_and_others_do_not() {
        let (one, other) = (random_bytes(1, 4096), random_bytes(2, 4096));
        assert_eq!(fingerprint(&one), fingerprint(&one.clone()));
        assert_ne!(fingerprint(&one), fingerprint(&other));
        assert_ne!(fingerprint(&[0; 8]), fingerprint(&[0; 16]));
        let mut last = one.clone();
        last[4095] ^= 1;
        assert_ne!(fingerprint(&one), fingerprint(&last));
        assert!(is_zero(&[0; 512]) && !is_zero(&[0, 1]) && is_zero(&[]));
    }
}
