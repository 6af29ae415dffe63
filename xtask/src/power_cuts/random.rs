//! Numbers that are the same for a seed.

use super::disk::Kept;

/// splitmix64
pub struct Random(pub u64);

impl Random {
    /// A number below the limit; 0 for a limit of 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % limit.max(1) as u64) as usize
    }

    /// What arrived of a write of so many sectors: nothing, all, the first, or any.
    pub fn kept(&mut self, sectors: usize) -> Kept {
        match self.below(4) {
            0 => Kept::Nothing,
            1 => Kept::All,
            2 => {
                let arrived = self.below(sectors + 1);
                Kept::Sectors((0..sectors).map(|number| number < arrived).collect())
            }
            _ => Kept::Sectors((0..sectors).map(|_| self.below(2) == 0).collect()),
        }
    }
}
