//! Payload of writes.

/// Fills with DISKSPD's default content of created files and writes: 0 to 255, repeated. `first` is the
/// file offset of the first byte.
pub fn pattern(bytes: &mut [u8], first: u64) {
    let first = first as u8;
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = first.wrapping_add(i as u8);
    }
}

/// Fills the write slots of a thread and target with the default payload. In DISKSPD's allocation the same
/// number of read slots precedes, and byte i of the allocation is i mod 256. The first write therefore
/// begins with the slots' length mod 256, which is 0 for block sizes that are multiples of 256 bytes.
pub fn fill_pattern(slots: &mut [u8]) {
    let first = slots.len() as u64;
    pattern(slots, first);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_continues_from_read_to_write_slots() {
        for (block, requests) in [(4096, 2), (256, 1), (1000, 1), (1000, 3), (1, 1), (3 * 256 + 2, 7)] {
            let mut allocation: Vec<u8> = (0..2 * block * requests).map(|i| (i % 256) as u8).collect();
            let writes = allocation.split_off(block * requests);
            let mut slots = vec![0xee; block * requests];
            fill_pattern(&mut slots);
            assert!(slots == writes, "-b{block} -o{requests}");
        }
    }
}
