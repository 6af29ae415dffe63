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
}
