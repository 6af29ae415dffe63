//! `CLOCK_MONOTONIC` by the time-stamp counter: the same time at half the cost of a kernel call.
//!
//! The counter's rate is measured against the kernel's clock, first over at least a millisecond, then over
//! the clock's whole life. The two are compared every third of a second. Small differences have two
//! causes: the first rate is some millionths off, and NTP slews the kernel's clock. They are corrected
//! gradually in the next third, so that the error of a latency never exceeds the error of the rate. A
//! difference above a thousandth means that the counter is unreliable; from then on every reading is a
//! kernel call.

use super::{Nanos, monotonic};
use crate::time_stamp;
use std::cell::Cell;
use std::sync::OnceLock;

/// Counts between two comparisons, as a power of two: 0.25 to 0.5 s. Conversions stay within 64 bits.
const INTERVAL: u32 = 30;
/// Scale of the rate: ns per count, times 2^32.
const SCALE: u32 = 32;
/// Minimum time of the rate measurement in ns; reading both clocks is exact to about 10 ns.
const MIN_RATE_TIME: Nanos = 1_000_000;
/// Differences from the kernel's clock that are more than this share of the time since the last comparison
/// mean that the counter is at fault. NTP slews by at most 1/2000 (adjtimex(2)).
const TOLERANCE: Nanos = 1000;
/// Possible difference of readings of both clocks in ns, if an interruption falls between them.
const NOISE: Nanos = 5_000;

#[derive(Debug, Clone, Copy)]
struct ClockPair {
    ticks: u64,
    nanos: Nanos,
}

impl ClockPair {
    /// Returns the least disturbed of several readings.
    fn now() -> ClockPair {
        let reading = |_| {
            let (before, nanos, after) = (time_stamp::read(), monotonic(), time_stamp::read());
            let width = after.saturating_sub(before);
            (width, ClockPair { ticks: before + width / 2, nanos })
        };
        let best = (0..5).map(reading).min_by_key(|(width, _)| *width);
        best.map_or(ClockPair { ticks: 0, nanos: 0 }, |(_, moment)| moment)
    }
}

static FIRST_COUNTER: OnceLock<Option<ClockPair>> = OnceLock::new();

/// Checks whether the counter is usable, and begins to measure its rate. An early call shortens the wait
/// in `Counter::new`.
pub fn prepare() {
    FIRST_COUNTER.get_or_init(|| time_stamp::are_reliable().then(ClockPair::now));
}

#[derive(Debug)]
pub struct Counter {
    first: ClockPair,
    /// Start of the current interval in counts and in ns of this clock.
    since: Cell<ClockPair>,
    /// ns per count, times 2^[`SCALE`].
    rate: Cell<u64>,
    /// Counts for which the rate is valid; 0 = the counter is not used any more.
    valid: Cell<u64>,
}

impl Counter {
    /// A clock for the calling thread; `None` = there is no counter to rely on. Takes a millisecond at
    /// most, unless [`prepare`] was called before that.
    pub fn new() -> Option<Counter> {
        prepare();
        let first = (*FIRST_COUNTER.get()?)?;
        let age = monotonic().saturating_sub(first.nanos);
        if age < MIN_RATE_TIME {
            std::thread::sleep(std::time::Duration::from_nanos(MIN_RATE_TIME - age));
        }
        let now = ClockPair::now();
        let rate = count_rate(first, now)?;
        Some(Counter { first, since: Cell::new(now), rate: Cell::new(rate), valid: Cell::new(1 << INTERVAL) })
    }

    #[inline]
    pub fn now(&self) -> Nanos {
        let ticks = time_stamp::read();
        let since = self.since.get();
        // A counter that is behind (another processor's) wraps around and is compared too.
        let passed = ticks.wrapping_sub(since.ticks);
        if passed < self.valid.get() {
            return since.nanos + ((passed * self.rate.get()) >> SCALE);
        }
        self.compare_clocks()
    }

    /// Returns the frequency in MHz; `None` = the counter is unreliable.
    pub(crate) fn megahertz(&self) -> Option<f64> {
        (self.valid.get() > 0).then(|| 1000.0 * 2f64.powi(SCALE as i32) / self.rate.get() as f64)
    }

    #[cold]
    fn compare_clocks(&self) -> Nanos {
        if self.valid.get() == 0 {
            return monotonic();
        }
        self.adjust(ClockPair::now())
    }

    /// Compares with the kernel's clock, and continues from the time of this clock.
    fn adjust(&self, now: ClockPair) -> Nanos {
        let since = self.since.get();
        let passed = now.ticks.wrapping_sub(since.ticks);
        let converted = (u128::from(passed) * u128::from(self.rate.get())) >> SCALE;
        let here = since.nanos.saturating_add(u64::try_from(converted).unwrap_or(u64::MAX));
        let tolerated = now.nanos.saturating_sub(since.nanos) / TOLERANCE + NOISE;
        match count_rate(self.first, now) {
            Some(rate) if here.abs_diff(now.nanos) <= tolerated => {
                // The deviation is spread over the next interval.
                let correction = ((i128::from(now.nanos) - i128::from(here)) << SCALE) >> INTERVAL;
                let most = i128::from(rate / TOLERANCE);
                let rate = i128::from(rate) + correction.clamp(-most, most);
                self.rate.set(u64::try_from(rate).unwrap_or(1));
                self.since.set(ClockPair { ticks: now.ticks, nanos: here });
                here
            }
            _ => {
                self.valid.set(0);
                now.nanos
            }
        }
    }
}

/// Returns ns per count, times 2^[`SCALE`]; `None` = the counter cannot be a clock.
fn count_rate(first: ClockPair, now: ClockPair) -> Option<u64> {
    let ticks = now.ticks.checked_sub(first.ticks).filter(|ticks| *ticks > 0)?;
    let rate = (u128::from(now.nanos.checked_sub(first.nanos)?) << SCALE) / u128::from(ticks);
    // 1 ns per count and more would be no gain, and would not fit.
    u64::try_from(rate).ok().filter(|rate| (1..=1 << SCALE).contains(rate))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: u64 = 1 << INTERVAL;

    /// Returns a clock with a rate of `rate` / 2^32 ns per count so far.
    fn sample_clock(rate: u64) -> Counter {
        let first = ClockPair { ticks: 1000, nanos: 5000 };
        let since =
            ClockPair { ticks: first.ticks + PERIOD, nanos: first.nanos + ((PERIOD * rate) >> SCALE) };
        let since = Cell::new(since);
        Counter { first, since, rate: Cell::new(rate), valid: Cell::new(PERIOD) }
    }

    const RATE: u64 = 1_700_000_000;

    #[test]
    fn small_clock_difference_is_corrected_gradually() {
        for drift in [-400i64, -3, 0, 3, 400] {
            let clock = sample_clock(RATE);
            // The kernel's clock goes faster by so many millionths from now on.
            let mut kernel = clock.since.get();
            let mut last = kernel.nanos;
            for _ in 0..60 {
                let passed = (PERIOD * RATE) >> SCALE;
                kernel.ticks += PERIOD;
                kernel.nanos += passed.checked_add_signed(passed as i64 * drift / 1_000_000).unwrap();
                let here = clock.adjust(kernel);
                assert!(here > last, "{drift}");
                last = here;
            }
            assert!(clock.megahertz().is_some());
            assert!(
                last.abs_diff(kernel.nanos) < 60_000,
                "{drift}: {} ns apart",
                last.abs_diff(kernel.nanos)
            );
        }
    }

    #[test]
    fn faulty_counter_is_abandoned() {
        let stands = |moment: ClockPair| ClockPair { nanos: moment.nanos + 1_000_000_000, ..moment };
        let jumps =
            |moment: ClockPair| ClockPair { ticks: moment.ticks + (PERIOD << 4), nanos: moment.nanos + 1000 };
        let goes_back =
            |moment: ClockPair| ClockPair { ticks: moment.ticks - 900, nanos: moment.nanos + 400_000_000 };
        for fault in [stands as fn(ClockPair) -> ClockPair, jumps, goes_back] {
            let clock = sample_clock(RATE);
            let moment = fault(clock.since.get());
            assert_eq!(clock.adjust(moment), moment.nanos, "the kernel's clock goes on");
            assert_eq!(clock.megahertz(), None);
            let kernel = monotonic();
            assert!(clock.now() >= kernel);
        }
    }

    #[test]
    fn counter_clock_agrees_with_kernel_clock() {
        let Some(clock) = Counter::new() else {
            return eprintln!("skipped: no reliable time-stamp counter");
        };
        let (before, time, after) = (monotonic(), clock.now(), monotonic());
        // 10 us are not a matter of speed: they are what 1 ms of measuring the rate leaves, many times over.
        assert!(time + 10_000 >= before && time <= after + 10_000, "{before} {time} {after}");
    }
}
