//! What writes carry when nothing is drawn for each of them.

/// Fills a whole allocation with the default payload: byte i is i mod 256, so that every block of a multiple of
/// 256 bytes starts at 0.
pub fn fill_pattern(allocation: &mut [u8]) {
    for (i, byte) in allocation.iter_mut().enumerate() {
        *byte = i as u8;
    }
}

/// Fills a whole allocation with zeros (`-Z`).
pub fn fill_zeros(allocation: &mut [u8]) {
    allocation.fill(0);
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_pattern_counts_over_the_whole_allocation() {
        let mut buffer = vec![0xee; 3 * 256 + 2];
        super::fill_pattern(&mut buffer);
        assert!(buffer.iter().enumerate().all(|(i, &byte)| usize::from(byte) == i % 256));
    }

    #[test]
    fn zeros() {
        let mut buffer = vec![0xee; 1000];
        super::fill_zeros(&mut buffer);
        assert_eq!(buffer, vec![0; 1000]);
    }
}
