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
}
