//! The seed of a repetition: one rule for all commands that repeat runs.

use super::Profile;

/// Distance between the seeds of repetitions, above the number of threads, which use consecutive seeds. It
/// is prime, so the seeds of 65,535 repetitions all differ.
pub const SEED_STEP: u32 = 65_537;

impl Profile {
    /// Returns the profile of repetition `number`, counted from 0. Every time span has a separate seed, and
    /// therefore another order of addresses. With the same seed a cache could serve data of the previous
    /// repetition, and an interval over repetitions would not include the effect of addresses.
    ///
    /// Repetition 0 has the given seed (`-z`). The seed is in the record, so `rerun` does exactly that
    /// repetition.
    #[must_use]
    pub fn repetition(&self, number: u32) -> Profile {
        let mut profile = self.clone();
        for span in &mut profile.time_spans {
            span.rand_seed = span.rand_seed.wrapping_add(number.wrapping_mul(SEED_STEP));
        }
        profile
    }
}

#[cfg(test)]
mod tests {
    use super::super::TimeSpan;
    use super::*;

    #[test]
    fn repetitions_have_distinct_seeds_starting_with_the_users() {
        let span = |rand_seed| TimeSpan { rand_seed, ..TimeSpan::default() };
        let profile = Profile { time_spans: vec![span(7), span(u32::MAX)], ..Profile::default() };
        assert_eq!(profile.repetition(0), profile);
        let seeds = |number| {
            profile.repetition(number).time_spans.iter().map(|span| span.rand_seed).collect::<Vec<_>>()
        };
        assert_eq!(seeds(1), [7 + 65_537, 65_536]);
        let mut all: Vec<u32> = (0..65_535).map(|number| 0u32.wrapping_add(SEED_STEP * number)).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 65_535);
    }
}
