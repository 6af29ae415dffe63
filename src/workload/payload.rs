//! What writes carry.

/// DISKSPD's usual content, of files that it creates and of writes: 0 to 255, again and again. `first` is
/// where in it the bytes begin: what lies at an offset of a file begins there.
pub fn pattern(bytes: &mut [u8], first: u64) {
    let first = first as u8;
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = first.wrapping_add(i as u8);
    }
}

/// Fills the write slots of a thread and target with the default payload. In DISKSPD's allocation read
/// slots come first, as many as write slots, and byte i of it all is i mod 256: so what the first write
/// carries begins with the length of the slots mod 256, which is 0 for blocks of a multiple of 256 bytes.
pub fn fill_pattern(slots: &mut [u8]) {
    let first = slots.len() as u64;
    pattern(slots, first);
}

/// Words that [`Noise`] makes at once. As many as keep several vector units busy: every word depends on the
/// one a piece before it.
const LANES: usize = 8;
const WORD: usize = size_of::<u64>();
/// Bytes that [`Noise`] makes at once.
const PIECE: usize = LANES * WORD;

/// Fresh content for every write (`-Zr`): can't be compressed and doesn't repeat, at the speed of memory.
///
/// Eight xor-shift generators of 64 bits side by side, of which the compiler makes vector instructions.
/// They go on from one write to the next, so a sector comes back only when all of them come back to the
/// same state together. It is not DISKSPD's content (which takes its numbers from the thread's generator):
/// addresses are the same with and without.
#[derive(Debug, Clone)]
pub struct Noise {
    lanes: [u64; LANES],
}

impl Noise {
    /// The content of a thread; its seed tells it from that of other threads.
    pub fn new(seed: u64) -> Noise {
        // SplitMix64 over a range of its own for every seed. A generator must not start at 0, where it
        // would stay.
        let lane = |lane: usize| mix(mix(seed).wrapping_add(lane as u64)) | 1;
        Noise { lanes: std::array::from_fn(lane) }
    }

    /// What comes next. A write carries such pieces one after the other, of the last one only the front.
    #[inline]
    pub fn next_piece(&mut self) -> [u8; PIECE] {
        step(&mut self.lanes);
        let mut piece = [0; PIECE];
        for (bytes, word) in piece.chunks_exact_mut(WORD).zip(self.lanes) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        piece
    }
}

#[inline]
fn step(lanes: &mut [u64; LANES]) {
    for x in lanes {
        *x ^= *x << 13;
        *x ^= *x >> 7;
        *x ^= *x << 17;
    }
}

fn mix(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Repeats the first `filled` bytes of a source over the rest of it: a file that is shorter than the source
/// (`-Z<size>,<file>`). What an empty file leaves are the zeros that were there.
pub fn repeat(source: &mut [u8], filled: usize) {
    let mut filled = filled.min(source.len());
    if filled == 0 {
        return;
    }
    // Doubling keeps the period: whatever is copied begins at a multiple of it.
    while filled < source.len() {
        let more = filled.min(source.len() - filled);
        source.copy_within(..more, filled);
        filled += more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_counts_over_the_read_slots_and_on_over_the_write_slots() {
        for (block, requests) in [(4096, 2), (256, 1), (1000, 1), (1000, 3), (1, 1), (3 * 256 + 2, 7)] {
            let mut allocation: Vec<u8> = (0..2 * block * requests).map(|i| (i % 256) as u8).collect();
            let writes = allocation.split_off(block * requests);
            let mut slots = vec![0xee; block * requests];
            fill_pattern(&mut slots);
            assert!(slots == writes, "-b{block} -o{requests}");
        }
    }

    #[test]
    fn a_short_file_is_repeated() {
        for (size, filled) in [(10, 3), (10, 10), (9, 1), (1, 1), (1000, 7), (5, 9)] {
            let mut source: Vec<u8> = (0..size).map(|i| if i < filled { i as u8 + 1 } else { 0 }).collect();
            repeat(&mut source, filled);
            assert!(
                source.iter().enumerate().all(|(i, &byte)| usize::from(byte) == i % filled + 1),
                "{size} {filled}"
            );
        }
        let mut nothing = vec![0; 8];
        repeat(&mut nothing, 0);
        assert_eq!(nothing, [0; 8]);
    }

    #[test]
    fn noise_goes_on_with_other_pieces() {
        let mut noise = Noise::new(1);
        let mut before = [0; PIECE];
        for _ in 0..1000 {
            let piece = noise.next_piece();
            assert!(piece.iter().filter(|&&byte| byte == 0).count() < 16, "{piece:?}");
            assert!(
                piece.chunks(WORD).zip(before.chunks(WORD)).all(|(new, old)| new != old),
                "fresh content each time"
            );
            before = piece;
        }
    }
}
