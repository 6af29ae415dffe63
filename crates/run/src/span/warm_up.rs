//! `--until-steady`: when the warm-up is over.

use crate::watch::sampler::Sampler;
use diskspd_model::results::{Sample, WarmUp};
use diskspd_model::stats::{Course, FEWEST};
use diskspd_sys::clock;
use diskspd_worker::{Control, Voice, recorder};

/// More than a minute of the time to come is not asked to be steady beforehand.
const LONGEST_LOOK: u32 = 60;

/// Goes on warming up until the run is steady, for `limit` s at most; `duration`: what is measured
/// afterwards, s. `None` = ended early, by failure or interruption.
pub fn wait(
    limit: u32,
    duration: u32,
    control: &Control,
    voice: &Voice,
    sampler: &mut Sampler,
) -> Option<WarmUp> {
    voice.verbose(|| format!("warming up until steady, at most {limit} s"));
    loop {
        if let Some(ended) = ended(sampler.samples(), limit, duration) {
            let state = if ended.steady { "steady" } else { "not steady" };
            voice.verbose(|| format!("{state} after {} s", ended.seconds));
            return Some(ended);
        }
        let passed = sampler.samples().last().map_or(0, |last| last.end_us * 1000);
        voice.draw("warm up", recorder::seconds(limit).saturating_sub(passed), sampler.workers());
        if !control.sleep_until(sampler.due) {
            return None;
        }
        sampler.look(clock::monotonic());
    }
}

/// Whether a warm-up of which these are the samples, one a second, may end. `limit`: the most it may take, s;
/// `duration`: what is measured afterwards, s. `None` = it goes on.
///
/// What has to be steady is the last half of it: who drifts slowly looks steady for a while, but not over a
/// time that grows with the run. And at least half of what will be measured, up to a minute, and what a
/// verdict needs at all.
fn ended(samples: &[Sample], limit: u32, duration: u32) -> Option<WarmUp> {
    let passed = samples.last().map_or(0, |last| last.end_us / 1_000_000) as u32;
    let look = (duration / 2).min(LONGEST_LOOK).max(FEWEST as u32) as usize;
    let last = samples.len().saturating_sub(look.max(samples.len() / 2));
    let steady =
        samples.len() >= look && Course::of(&rates(samples, last)).is_some_and(|course| course.is_steady());
    (steady || passed >= limit).then_some(WarmUp { seconds: passed, limit, steady })
}

/// I/Os per second of the samples from this one on.
fn rates(samples: &[Sample], first: usize) -> Vec<f64> {
    let before = |index: usize| index.checked_sub(1).map_or(0, |index| samples[index].end_us);
    let rate = |(index, sample): (usize, &Sample)| {
        sample.ios as f64 * 1e6 / sample.end_us.saturating_sub(before(index)).max(1) as f64
    };
    samples.iter().enumerate().skip(first).map(rate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When a warm-up of this course ends, at most after 300 s, to measure 10 s.
    fn end(rate: impl Fn(u64) -> u64) -> WarmUp {
        let sample = |second| Sample { end_us: second * 1_000_000, ios: rate(second), bytes: 0 };
        let samples: Vec<Sample> = (1..=400).map(sample).collect();
        (1..=400).find_map(|count| ended(&samples[..count], 300, 10)).expect("an end")
    }

    #[test]
    fn it_ends_when_the_last_half_is_steady() {
        let noise = |second: u64| second * 7919 % 101;
        let at = |seconds, steady| WarmUp { seconds, limit: 300, steady };
        assert_eq!(end(|second| 10_000 + noise(second)), at(10, true));
        // Twice as fast for 7 s: two of the ten that are looked at pass for outliers.
        let fast_first = end(|second| if second <= 7 { 20_000 } else { 10_000 } + noise(second));
        assert!(fast_first.steady && (14..=18).contains(&fast_first.seconds), "{fast_first:?}");
        // 30 s down to a half: then as long again, more or less.
        let falling = end(|second| 20_000 - second.min(30) * 333 + noise(second));
        assert!(falling.steady && (35..=70).contains(&falling.seconds), "{falling:?}");
        assert_eq!(end(|second| if second / 15 % 2 == 0 { 5_000 } else { 10_000 }).limit, 300);
        assert_eq!(end(|second| 1000 * second), at(300, false));
    }

    #[test]
    fn a_long_measurement_needs_a_longer_look() {
        let steady = |count| -> Vec<Sample> {
            (1..=count).map(|second| Sample { end_us: second * 1_000_000, ios: 9, bytes: 9 }).collect()
        };
        for (duration, seconds) in [(1, 10), (20, 10), (60, 30), (120, 60), (3600, 60)] {
            assert_eq!(ended(&steady(seconds - 1), 300, duration), None);
            assert!(ended(&steady(seconds), 300, duration).is_some_and(|end| end.steady), "-d{duration}");
        }
    }
}
