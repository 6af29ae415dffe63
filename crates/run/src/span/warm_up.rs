//! `--until-steady`: when the warm-up is over.

use crate::watch::sampler::Sampler;
use crate::watch::ticks::TickCounter;
use diskspd_figures::stats::{MAX_SLOPE, MIN_INTERVALS, SeriesShape, stalls};
use diskspd_figures::units::seconds_of_us;
use diskspd_results::{Sample, TickCounts, WarmUp};
use diskspd_sys::clock;
use diskspd_worker::listener::MachineSpeed;
use diskspd_worker::telemetry::live;
use diskspd_worker::{Control, RunReporter, recorder};

/// Maximum required steady time in intervals, even before a longer measurement.
const MAX_STEADY_INTERVALS: u32 = 60;

#[derive(Debug, Clone, Copy)]
pub(super) struct WarmUpTask {
    /// Maximum duration in s.
    pub limit: u32,
    /// Duration of the following measurement in s.
    pub duration: u32,
    /// I/Os that can be in flight at once; `None` = pauses were requested, so they are not
    /// stalls.
    pub in_flight: Option<u64>,
}

/// Waits for the steady state. Returns `None` after a failure or interruption.
pub(super) fn wait(
    task: WarmUpTask,
    control: &Control,
    voice: &RunReporter,
    sampler: &mut Sampler,
) -> Option<WarmUp> {
    let limit = task.limit;
    voice.verbose(|| format!("warming up until steady, at most {limit} s"));
    let mut beats = TickCounter::new(clock::monotonic(), live::totals(sampler.workers()).0);
    let mut draw = clock::monotonic();
    loop {
        if let Some(ended) = find_end(sampler.samples(), &beats.take_beats(), task) {
            let state = if ended.steady { "steady" } else { "not steady" };
            voice.verbose(|| format!("{state} after {} s", ended.seconds));
            return Some(ended);
        }
        if clock::monotonic() >= draw {
            let passed = sampler.samples().last().map_or(0, |last| last.end_us * 1000);
            let left = recorder::seconds(limit).saturating_sub(passed);
            voice.draw("warm up", left, sampler.workers(), (MachineSpeed::default(), &[]));
            draw = sampler.due;
        }
        while clock::monotonic() < sampler.due {
            if !control.sleep_until(sampler.due.min(clock::monotonic() + beats.width())) {
                return None;
            }
            beats.count_tick(clock::monotonic(), live::totals(sampler.workers()).0);
        }
        sampler.take_sample(clock::monotonic());
    }
}

/// Whether a warm-up with these samples, one a second, and these beats may end; `None` = not yet.
///
/// Its last half must be steady, because a slow drift looks steady for a while, but not over a time
/// that grows with the run. The half has at least the length of half of the measurement, up to a minute, and
/// the intervals that a verdict needs. It must not stall, either: seconds hide pauses of half of their time.
fn find_end(samples: &[Sample], beats: &TickCounts, task: WarmUpTask) -> Option<WarmUp> {
    let WarmUpTask { limit, duration, in_flight } = task;
    let passed = samples.last().map_or(0, |last| last.end_us / 1_000_000) as u32;
    let look = (duration / 2).min(MAX_STEADY_INTERVALS).max(MIN_INTERVALS as u32) as usize;
    let last = samples.len().saturating_sub(look.max(samples.len() / 2));
    let steady = samples.len() >= look
        && SeriesShape::classify(&sample_rates(samples, last)).is_some_and(|course| course.is_steady());
    let width = seconds_of_us(beats.width_us);
    let since = samples.len().saturating_sub(last) as f64;
    let latest = (since / width).round() as usize;
    let latest = &beats.ios.0[beats.ios.0.len().saturating_sub(latest)..];
    let stalls = || in_flight.and_then(|depth| stalls::detect(latest, width, depth));
    let steady = steady && stalls().is_none_or(|found| found.share <= MAX_SLOPE);
    (steady || passed >= limit).then_some(WarmUp { seconds: passed, limit, steady })
}

/// Returns I/Os per second of the samples from `first` on.
fn sample_rates(samples: &[Sample], first: usize) -> Vec<f64> {
    let before = |index: usize| index.checked_sub(1).map_or(0, |index| samples[index].end_us);
    let rate = |(index, sample): (usize, &Sample)| {
        sample.ios as f64 * 1e6 / sample.end_us.saturating_sub(before(index)).max(1) as f64
    };
    samples.iter().enumerate().skip(first).map(rate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_figures::stats::PackedCounts;

    const TASK: WarmUpTask = WarmUpTask { limit: 300, duration: 10, in_flight: Some(4) };

    /// Returns the end of a warm-up with this rate, limited to 300 s, before a measurement of 10 s.
    fn simulate_end(rate: impl Fn(u64) -> u64) -> WarmUp {
        end_of(rate, |_| true)
    }

    /// Returns the same, without I/O in some ticks of each second.
    fn end_of(rate: impl Fn(u64) -> u64, works: impl Fn(u64) -> bool) -> WarmUp {
        let sample = |second| Sample { end_us: second * 1_000_000, ios: rate(second), bytes: 0 };
        let samples: Vec<Sample> = (1..=400).map(sample).collect();
        let working = (0..50).filter(|beat| works(*beat)).count() as u64;
        let beat = |beat: u64| if works(beat % 50) { rate(beat / 50 + 1) / working } else { 0 };
        let counts: Vec<u64> = (0..400 * 50).map(beat).collect();
        let beats =
            |count: usize| TickCounts { width_us: 20_000, ios: PackedCounts(counts[..count * 50].to_vec()) };
        (1..=400).find_map(|count| find_end(&samples[..count], &beats(count), TASK)).expect("an end")
    }

    #[test]
    fn stalling_warm_up_is_never_steady() {
        let noise = |second: u64| 10_000 + second * 7919 % 101;
        for (name, beats, steady) in [
            ("no stall", 0..0, true),
            ("one beat", 20..21, true),
            ("a sixth of the time", 20..28, false),
            ("half of the time", 10..35, false),
        ] {
            let ended = end_of(noise, |beat| !beats.contains(&beat));
            assert_eq!(ended.steady, steady, "{name}: {ended:?}");
            assert_eq!(ended.seconds == 300, !steady, "{name}: {ended:?}");
        }
    }

    #[test]
    fn warm_up_ends_when_last_half_is_steady() {
        let noise = |second: u64| second * 7919 % 101;
        let at = |seconds, steady| WarmUp { seconds, limit: 300, steady };
        assert_eq!(simulate_end(|second| 10_000 + noise(second)), at(10, true));
        // Twice as fast for 7 s: two of the ten that are looked at pass for outliers.
        let fast_first = simulate_end(|second| if second <= 7 { 20_000 } else { 10_000 } + noise(second));
        assert!(fast_first.steady && (14..=18).contains(&fast_first.seconds), "{fast_first:?}");
        // 30 s down to a half: then as long again, more or less.
        let falling = simulate_end(|second| 20_000 - second.min(30) * 333 + noise(second));
        assert!(falling.steady && (35..=70).contains(&falling.seconds), "{falling:?}");
        assert_eq!(simulate_end(|second| if second / 15 % 2 == 0 { 5_000 } else { 10_000 }).limit, 300);
        assert_eq!(simulate_end(|second| 1000 * second), at(300, false));
    }

    #[test]
    fn longer_measurement_needs_longer_steady_time() {
        let steady = |count| -> Vec<Sample> {
            (1..=count).map(|second| Sample { end_us: second * 1_000_000, ios: 9, bytes: 9 }).collect()
        };
        for (duration, seconds) in [(1, 10), (20, 10), (60, 30), (120, 60), (3600, 60)] {
            let task = WarmUpTask { duration, ..TASK };
            let beats = TickCounts { width_us: 20_000, ..TickCounts::default() };
            assert_eq!(find_end(&steady(seconds - 1), &beats, task), None);
            assert!(find_end(&steady(seconds), &beats, task).is_some_and(|end| end.steady), "-d{duration}");
        }
    }
}
