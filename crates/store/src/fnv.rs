//! A hash of 64 bits (FNV-1a) that stays the same from version to version.

/// FNV-1a of 64 bits.
pub(super) struct Fnv(pub(super) u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        self.0 = bytes.iter().fold(self.0, step);
    }

    pub(super) fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}
