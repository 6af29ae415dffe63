//! The seed of a repetition: the one rule of all commands that run the same several times.

use super::Profile;

/// So far apart are the seeds of two repetitions: more than a run has threads, whose seeds follow each other.
/// A prime number, so that the seeds of 65,535 repetitions all differ.
pub const SEED_STEP: u32 = 65_537;

impl Profile {
    /// The same work as repetition `number`, counted from 0: every time span has a seed of its own, so that
    /// other addresses come in another order. With the same seed a cache could answer from what the
    /// repetition before it had read, and an interval over repetitions would hold nothing of what the
    /// addresses do. Repetition 0 has the seed that was given (`-z`); the seed is in the record, so that
    /// `rerun` does exactly that repetition.
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
    fn every_repetition_has_a_seed_of_its_own_and_the_first_one_that_of_the_user() {
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
