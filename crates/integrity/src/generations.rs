//! The possible versions of each place in a target, which reveal wrong sectors to readers.
//!
//! A target is divided into units, the largest size that no I/O touches partially. Every write gives each
//! of its units a new version number, its generation. There are no locks. A reader checks before its start
//! and after its end, and both results determine the permitted versions.

use std::sync::atomic::{AtomicU64, Ordering};

/// Versions of all units of a target.
#[derive(Debug)]
pub struct Generations {
    units: Vec<AtomicU64>,
    unit: u64,
}

/// Versions of a unit at one time: eight bits each of `in_flight`, `group` and `window`, then the bits of
/// `latest`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnitVersions(u64);

const MAX_GENERATION: u64 = 0xff;

impl UnitVersions {
    fn new(latest: u64, window: u64, group: u64, in_flight: u64) -> UnitVersions {
        let few = |count: u64| count.min(MAX_GENERATION);
        UnitVersions((latest << 24) | (few(window) << 16) | (few(group) << 8) | few(in_flight))
    }

    /// Returns the latest version with a started write; 0 = none.
    pub fn latest(self) -> u64 {
        self.0 >> 24
    }

    /// Returns the oldest possible version; 0 includes content from before the run.
    pub fn oldest(self) -> u64 {
        match self.window() {
            MAX_GENERATION => 0,
            window => self.latest().saturating_sub(window),
        }
    }

    /// Whether several versions are possible, because writes overlapped or one is in flight.
    pub fn is_open(self) -> bool {
        self.window() > 0 || self.in_flight() > 0
    }

    /// Returns the number of permitted versions before the latest.
    fn window(self) -> u64 {
        (self.0 >> 16) & MAX_GENERATION
    }

    /// Returns the number of versions since the last time without a write in flight.
    fn group_size(self) -> u64 {
        (self.0 >> 8) & MAX_GENERATION
    }

    /// Returns the number of writes in flight. A count at its maximum never decreases again.
    fn in_flight(self) -> u64 {
        self.0 & MAX_GENERATION
    }

    fn begin_write(self) -> UnitVersions {
        let group = if self.in_flight() == 0 { 0 } else { self.group_size() + 1 };
        UnitVersions::new(self.latest() + 1, self.window() + 1, group, self.in_flight() + 1)
    }

    /// Returns the state after a write. After the last write in flight, the first of its group and all
    /// later ones remain possible, because the order of overlapping writes is unknown. After a failed
    /// write all versions are possible.
    fn end_write(self, well: bool) -> UnitVersions {
        let in_flight = if self.in_flight() == MAX_GENERATION {
            MAX_GENERATION
        } else {
            self.in_flight().saturating_sub(1)
        };
        let group = if well { self.group_size() } else { MAX_GENERATION };
        let window = if in_flight == 0 || !well { group } else { self.window() };
        UnitVersions::new(self.latest(), window, group, in_flight)
    }
}

impl Generations {
    /// Creates the versions of an unwritten target of `size` bytes; `None` if memory is insufficient.
    pub fn new(size: u64, unit: u64) -> Option<Generations> {
        let count = usize::try_from(size.div_ceil(unit)).ok()?;
        let mut units = Vec::new();
        units.try_reserve_exact(count).ok()?;
        units.resize_with(count, AtomicU64::default);
        Some(Generations { units, unit })
    }

    /// Returns the required memory in bytes.
    pub fn memory(size: u64, unit: u64) -> u64 {
        size.div_ceil(unit).saturating_mul(8)
    }

    pub fn unit(&self) -> u64 {
        self.unit
    }

    /// Returns the covered bytes, rounded up to whole units.
    pub fn covered(&self) -> u64 {
        self.units.len() as u64 * self.unit
    }

    /// Records the start of a write to a unit. Its version is [`UnitVersions::latest`].
    #[inline]
    pub fn begin(&self, unit: usize) -> UnitVersions {
        self.change_unit(unit, UnitVersions::begin_write)
    }

    /// Records the end of a write; `well` = completely written, otherwise the written part is unknown.
    #[inline]
    pub fn end(&self, unit: usize, well: bool) -> UnitVersions {
        self.change_unit(unit, |versions| versions.end_write(well))
    }

    #[inline]
    pub fn unit_versions(&self, unit: usize) -> UnitVersions {
        UnitVersions(self.units[unit].load(Ordering::SeqCst))
    }

    /// Returns the versions of the unit at a byte offset before a read; zero outside the target.
    #[inline]
    pub(crate) fn first_look(&self, offset: u64) -> UnitVersions {
        let unit = self.units.get((offset / self.unit) as usize);
        UnitVersions(unit.map_or(0, |unit| unit.load(Ordering::Relaxed)))
    }

    pub fn forget(&self) {
        for unit in &self.units {
            unit.fetch_or((MAX_GENERATION << 16) | (MAX_GENERATION << 8), Ordering::SeqCst);
        }
    }

    /// Excludes units from further checks, after another kind of write.
    pub fn abandon_writes(&self, offset: u64, length: u64) {
        let units = offset / self.unit..(offset + length).div_ceil(self.unit);
        for unit in units.filter_map(|unit| self.units.get(unit as usize)) {
            unit.fetch_or((MAX_GENERATION << 16) | (MAX_GENERATION << 8) | MAX_GENERATION, Ordering::SeqCst);
        }
    }

    /// Copies the versions of the same target when it was smaller.
    pub fn take_over(&self, smaller: &Generations) {
        for (unit, known) in self.units.iter().zip(&smaller.units) {
            unit.store(known.load(Ordering::SeqCst), Ordering::SeqCst);
        }
    }

    #[inline]
    fn change_unit(&self, unit: usize, to: impl Fn(UnitVersions) -> UnitVersions) -> UnitVersions {
        let unit = &self.units[unit];
        let mut now = unit.load(Ordering::Relaxed);
        loop {
            let then = to(UnitVersions(now));
            match unit.compare_exchange_weak(now, then.0, Ordering::SeqCst, Ordering::Relaxed) {
                Ok(_) => return then,
                Err(other) => now = other,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn single_unit() -> Generations {
        Generations::new(4096, 4096).unwrap()
    }

    fn version_range(versions: UnitVersions) -> (u64, u64) {
        (versions.oldest(), versions.latest())
    }

    #[test]
    fn single_write_replaces_older_version_when_complete() {
        let unit = single_unit();
        assert_eq!((version_range(unit.unit_versions(0)), unit.unit_versions(0).is_open()), ((0, 0), false));
        assert_eq!((version_range(unit.begin(0)), unit.unit_versions(0).is_open()), ((0, 1), true));
        assert_eq!((version_range(unit.end(0, true)), unit.unit_versions(0).is_open()), ((1, 1), false));
        assert_eq!(version_range(unit.begin(0)), (1, 2));
        assert_eq!(version_range(unit.end(0, true)), (2, 2));
    }

    #[test]
    fn overlapped_writes_may_arrive_in_any_order() {
        let unit = single_unit();
        unit.begin(0);
        unit.end(0, true);
        unit.begin(0);
        unit.begin(0);
        assert_eq!(version_range(unit.end(0, true)), (1, 3), "the other one may still be on its way");
        assert_eq!(version_range(unit.end(0, true)), (2, 3));
        assert!(unit.unit_versions(0).is_open());
        unit.begin(0);
        assert_eq!(version_range(unit.end(0, true)), (4, 4));
    }

    #[test]
    fn failed_write_allows_any_content_until_a_later_success() {
        let unit = single_unit();
        for well in [true, false] {
            unit.begin(0);
            unit.end(0, well);
        }
        assert_eq!(unit.unit_versions(0).oldest(), 0);
        unit.begin(0);
        assert_eq!(version_range(unit.end(0, true)), (3, 3));
        unit.forget();
        assert_eq!(unit.unit_versions(0).oldest(), 0);
    }

    #[test]
    fn too_many_writes_disable_the_check() {
        let unit = single_unit();
        (0..1000).for_each(|_| {
            let _ = unit.begin(0);
        });
        (0..1000).for_each(|_| {
            let _ = unit.end(0, true);
        });
        assert_eq!((unit.unit_versions(0).oldest(), unit.unit_versions(0).is_open()), (0, true));
    }

    proptest! {
        /// Checks with a model that possible content is never rejected. In the model each write takes
        /// effect at one time between its start and end.
        #[test]
        fn readable_versions_are_never_excluded(steps in prop::collection::vec((0..4u8, 0..8usize), 1..120)) {
            let unit = single_unit();
            let (mut there, mut under_way, mut looks) = (0, Vec::new(), Vec::new());
            for (step, which) in steps {
                match step {
                    0 => under_way.push((unit.begin(0).latest(), false)),
                    1 if !under_way.is_empty() => {
                        let which = which % under_way.len();
                        if !under_way[which].1 {
                            there = under_way[which].0;
                            under_way[which].1 = true;
                        }
                    }
                    2 if !under_way.is_empty() => {
                        let (version, arrived) = under_way.remove(which % under_way.len());
                        there = if arrived { there } else { version };
                        unit.end(0, true);
                    }
                    _ => looks.push(unit.unit_versions(0)),
                }
                looks.iter().for_each(|look| assert!(look.oldest() <= there, "{look:?} {there}"));
                prop_assert!(there <= unit.unit_versions(0).latest());
            }
        }
    }
}
