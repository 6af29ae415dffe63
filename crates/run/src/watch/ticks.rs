//! Work of all workers by beat: the controlling thread adds up their published counts on every pulse.

use diskspd_figures::stats::PackedCounts;
use diskspd_results::TickCounts;
use diskspd_sys::clock::{Nanos, SECOND};

const TICK_NS: Nanos = SECOND / 50;
/// More than this are joined in pairs, and their length doubles: eleven minutes have beats of 20 ms.
const MAX_TICKS: usize = 32_768;

/// Counter of I/Os by beat. I/Os between two checks count as evenly spread, so a late check cannot detect
/// pauses.
#[derive(Debug)]
pub(crate) struct TickCounter {
    start: Nanos,
    width: Nanos,
    /// Time and I/O count of the last check.
    at: Nanos,
    ios: u64,
    /// I/O count at the end of the last tick.
    counted: u64,
    counts: Vec<u64>,
}

impl TickCounter {
    /// Starts at `start`, with the workers' I/O count.
    pub(crate) fn new(start: Nanos, ios: u64) -> TickCounter {
        TickCounter { start, width: TICK_NS, at: start, ios, counted: ios, counts: Vec::new() }
    }

    /// Length of a tick in ns.
    pub(crate) fn width(&self) -> Nanos {
        self.width
    }

    pub(crate) fn count_tick(&mut self, now: Nanos, ios: u64) {
        let (span, done) = (now.saturating_sub(self.at), ios.saturating_sub(self.ios));
        loop {
            let end = self.start + self.width * (self.counts.len() as Nanos + 1);
            if end > now || span == 0 {
                break;
            }
            let part = u128::from(done) * u128::from(end.saturating_sub(self.at)) / u128::from(span);
            let until = self.ios + part as u64;
            self.counts.push(until.saturating_sub(self.counted));
            self.counted = until.max(self.counted);
            if self.counts.len() >= MAX_TICKS {
                self.counts = self.counts.chunks(2).map(|pair| pair.iter().sum()).collect();
                self.width *= 2;
            }
        }
        (self.at, self.ios) = (now.max(self.at), ios.max(self.ios));
    }

    pub(crate) fn take_beats(&self) -> TickCounts {
        TickCounts { width_us: self.width / 1000, ios: PackedCounts(self.counts.clone()) }
    }

    pub(crate) fn finish(self) -> Option<TickCounts> {
        let width_us = self.width / 1000;
        (!self.counts.is_empty()).then_some(TickCounts { width_us, ios: PackedCounts(self.counts) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = 1_000_000;

    #[test]
    fn ticks_count_ios_regardless_of_reading_time() {
        let mut beats = TickCounter::new(1000 * MS, 70);
        // 1000 I/Os a second, looked at in irregular steps, then a pause of 60 ms.
        for now in [1007, 1021, 1033, 1060] {
            beats.count_tick(now * MS, 70 + now - 1000);
        }
        beats.count_tick(1080 * MS, 130);
        beats.count_tick(1080 * MS, 130);
        beats.count_tick(1120 * MS, 130);
        // Woken late: the CPU is unknown.
        beats.count_tick(1165 * MS, 175);
        let found = beats.finish().unwrap();
        assert_eq!((found.width_us, found.ios.0), (20_000, vec![20, 20, 20, 0, 0, 0, 20, 20]));
        assert_eq!(TickCounter::new(5, 0).finish(), None);
    }

    #[test]
    fn long_runs_have_longer_ticks() {
        let mut beats = TickCounter::new(0, 0);
        for beat in 1..=3 * MAX_TICKS as u64 {
            beats.count_tick(beat * TICK_NS, 3 * beat);
        }
        let found = beats.finish().unwrap();
        assert_eq!(found.width_us, 80_000);
        assert!(
            found.ios.0.len() < MAX_TICKS && found.ios.0.iter().all(|ios| *ios == 12),
            "{}",
            found.ios.0.len()
        );
    }
}
