//! The set of damaged sectors. Each counts once, regardless of the number of reads and threads.

use diskspd_profile::TargetId;
use diskspd_sys::mutex::LockUnpoisoned;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Distinct sectors of a target: 4 GiB of sectors of 512 bytes, in 1 MiB of memory. Of larger
/// targets a few of many thousand damaged sectors share a place, and are counted once.
const MAX_SECTORS: u64 = 1 << 23;
/// Maximum number of targets with a set of damaged sectors; on others, each read counts.
const MAX_TARGETS: usize = 64;
/// Factor of Fibonacci hashing, which distributes the sectors of larger targets.
const HASH_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The damaged sectors of a time span. Memory is allocated with the first one of a target.
#[derive(Debug, Default)]
pub struct DamagedSectors(Mutex<BTreeMap<TargetId, Vec<u64>>>);

impl DamagedSectors {
    pub fn clear(&self) {
        self.0.lock_anyway().clear();
    }

    /// Adds a sector by its number in the target. Returns whether it is new.
    pub fn is_new(&self, target: TargetId, number: u64) -> bool {
        let mut targets = self.0.lock_anyway();
        if targets.len() >= MAX_TARGETS && !targets.contains_key(&target) {
            return true;
        }
        let places = targets.entry(target).or_insert_with(|| vec![0; (MAX_SECTORS / 64) as usize]);
        let place = match number {
            0..MAX_SECTORS => number,
            _ => number.wrapping_mul(HASH_FACTOR) >> (64 - MAX_SECTORS.ilog2()),
        };
        let Some(word) = places.get_mut((place / 64) as usize) else { return true };
        let bit = 1 << (place % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_sector_is_new_only_once() {
        let damaged = DamagedSectors::default();
        let count = |target: u32, numbers: &mut dyn Iterator<Item = u64>| {
            numbers.filter(|number| damaged.is_new(TargetId(target), *number)).count()
        };
        assert_eq!(count(0, &mut std::iter::repeat_n(7, 3705)), 1, "one that is read again and again");
        assert_eq!(count(0, &mut (0..100_000)), 99_999, "all but the one that is known");
        assert_eq!(count(1, &mut [7, MAX_SECTORS - 1, 7].into_iter()), 2, "another target");
        assert_eq!(count(0, &mut (0..100_000)), 0, "all of them again");
        // Beyond the places: nearly all are told apart, also at regular distances.
        let far = |step: u64| (0..10_000).map(move |number| MAX_SECTORS + number * step);
        for (target, step) in [(2, 1), (3, 8), (4, MAX_SECTORS), (5, 1 << 40)] {
            assert!(count(target, &mut far(step)) >= 9900, "{step}");
            assert_eq!(count(target, &mut far(step)), 0, "{step}");
        }
        damaged.clear();
        assert!(damaged.is_new(TargetId(0), 7));
        (0..200).for_each(|target| assert!(damaged.is_new(TargetId(1000 + target), 1)));
    }
}
