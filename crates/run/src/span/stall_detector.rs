//! The pulse of the controlling thread, which wakes fifty times a second. It detects times when the whole
//! program could not run. After a delay it wakes more often for a while, because short stops also add up.

use crate::span::pauses::StopCounters;
use diskspd_results::Delays;
use diskspd_sys::clock::{self, Nanos, SECOND};

/// Interval of wake-ups; 50 per second take less than a thousandth of a CPU.
const TICK_NS: Nanos = SECOND / 50;
/// Interval for [`ATTENTIVE_TIME_NS`] after a delay, for a more exact length of a stop.
const FINE_PERIOD_NS: Nanos = SECOND / 1000;
const ATTENTIVE_TIME_NS: Nanos = SECOND / 4;
/// Minimum counted delay; shorter delays occur on a busy machine.
const LATE_WAKE_NS: Nanos = SECOND / 20;
/// From here on it is, when it was not for want of a CPU: a timer is exact to a fraction of a millisecond.
const SHORT: Nanos = SECOND / 500;
/// Minimum number of I/Os expected during a delay for a conclusion.
const MIN_EXPECTED_IOS: f64 = 8.0;

#[derive(Debug, Clone, Copy, Default)]
struct WakeSample {
    now: Nanos,
    /// Total wait of the thread for a CPU in ns.
    waited: Nanos,
    /// Total I/Os of the workers.
    ios: u64,
    /// Total number of SIGCONT signals.
    continues: u64,
}

/// Detects stalls of the process during the measurement.
#[derive(Debug)]
pub(super) struct StallDetector {
    start: WakeSample,
    pub due: Nanos,
    last: WakeSample,
    /// End of the time of frequent wake-ups.
    attentive: Nanos,
    /// Lead of the clock that continues during suspend.
    ahead: Nanos,
    stops: StopCounters,
    frozen_us: Option<u64>,
    lost: Nanos,
    lost_alone: Nanos,
    alone: Nanos,
    /// Whether the thread could not run before the last wake-up.
    paused: bool,
    delays: Delays,
}

impl StallDetector {
    /// Starts at `start`, with the workers' I/O count.
    pub(super) fn new(start: Nanos, ios: u64) -> StallDetector {
        let stops = StopCounters::watch();
        let start = WakeSample { now: start, waited: stops.waited().unwrap_or(0), ios, continues: 0 };
        StallDetector {
            start,
            due: start.now + TICK_NS,
            last: start,
            attentive: 0,
            ahead: clock::suspended(),
            frozen_us: stops.frozen_us(),
            stops,
            lost: 0,
            lost_alone: 0,
            alone: 0,
            paused: false,
            delays: Delays::default(),
        }
    }

    /// Records a wake-up at `now` that was planned at `meant`, with the workers' I/O count.
    pub(super) fn record_wake(&mut self, meant: Nanos, now: Nanos, ios: u64) {
        let (waited, continues) = (self.stops.waited().unwrap_or(0), self.stops.continues().unwrap_or(0));
        self.note_beat(meant, WakeSample { now, waited, ios, continues });
    }

    fn note_beat(&mut self, meant: Nanos, wake: WakeSample) {
        let last = std::mem::replace(&mut self.last, wake);
        // What fell due while it could not run is not late once more.
        let late = wake.now.saturating_sub(meant.max(last.now));
        let alone = self.made_progress(&last, &wake, late);
        if late >= LATE_WAKE_NS {
            let us = late / 1000;
            self.delays.times += 1;
            self.delays.total_us += us;
            self.alone += if alone == Some(true) { late } else { 0 };
            if us > self.delays.longest_us {
                self.delays.longest_us = us;
                self.delays.longest_at_us = wake.now.saturating_sub(self.start.now) / 1000;
            }
        }
        let lost = late.saturating_sub(wake.waited.saturating_sub(last.waited));
        if lost >= SHORT {
            // It began at any time since the last beat: on average in the middle.
            let lost = lost + meant.saturating_sub(last.now).min(TICK_NS) / 2;
            self.lost += lost;
            self.lost_alone += if alone.unwrap_or(late < LATE_WAKE_NS) { lost } else { 0 };
        }
        // The signal may be counted one wake later than the pause that it ended. A launcher sends it to
        // processes that were not stopped, too.
        let before = std::mem::replace(&mut self.paused, lost >= SHORT && alone != Some(true));
        self.delays.was_stopped |= wake.continues > last.continues && (self.paused || before);
        if lost >= SHORT || wake.continues > last.continues {
            self.attentive = wake.now + ATTENTIVE_TIME_NS;
        }
        if self.due <= wake.now {
            self.due = wake.now + if wake.now < self.attentive { FINE_PERIOD_NS } else { TICK_NS };
        }
    }

    /// Whether the workers did I/O while this thread was so late; `None` if too few I/Os were expected.
    fn made_progress(&self, last: &WakeSample, wake: &WakeSample, late: Nanos) -> Option<bool> {
        let elapsed = last.now.saturating_sub(self.start.now).max(1);
        let rate = last.ios.saturating_sub(self.start.ios) as f64 / elapsed as f64;
        let on_time = wake.now.saturating_sub(last.now).saturating_sub(late) as f64;
        let expected = rate * late as f64;
        let done = wake.ios.saturating_sub(last.ios) as f64;
        (expected >= MIN_EXPECTED_IOS).then_some(done >= rate * on_time + expected / 2.0)
    }

    pub(super) fn finish(&mut self) -> Delays {
        let continues = self.stops.continues();
        let frozen = self.stops.frozen_us().zip(self.frozen_us).map(|(now, then)| now.saturating_sub(then));
        let ahead = clock::suspended().saturating_sub(self.ahead);
        let delays = Delays {
            // Where nothing tells of it, how exact the clocks are.
            suspended_us: if ahead >= StopCounters::MIN_SUSPEND { ahead / 1000 } else { 0 },
            sigcont_count: continues,
            frozen_us: frozen,
            ..self.delays_seen()
        };
        // Who wakes late by the ticks of a timer has lost nothing.
        match StopCounters::WAKES_EXACTLY {
            true => delays,
            false => Delays { late_us: None, late_workers_active_us: None, ..delays },
        }
    }

    fn delays_seen(&self) -> Delays {
        Delays {
            late_us: Some(self.lost / 1000),
            late_workers_active_us: Some(self.lost_alone / 1000),
            workers_active_us: Some(self.alone / 1000),
            ..self.delays
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = 1_000_000;

    fn delays_seen(
        until: impl Fn(Nanos) -> (Nanos, Nanos),
        ios: impl Fn(Nanos) -> u64,
        continues: impl Fn(Nanos) -> u64,
    ) -> Delays {
        let mut pulse = StallDetector::new(0, 0);
        pulse.start = WakeSample::default();
        pulse.last = pulse.start;
        pulse.due = TICK_NS;
        while pulse.due < 10 * SECOND {
            let meant = pulse.due;
            let (now, waited) = until(meant);
            let waited = pulse.last.waited + waited;
            pulse.note_beat(meant, WakeSample { now, waited, ios: ios(now), continues: continues(now) });
        }
        pulse.delays_seen()
    }

    /// Returns a thread that is stopped in the last part of each period.
    fn stop_periodically(period: Nanos, runs: Nanos) -> impl Fn(Nanos) -> (Nanos, Nanos) {
        move |meant| (if meant % period < runs { meant } else { meant - meant % period + period }, 0)
    }

    fn window_share(us: Option<u64>) -> f64 {
        us.unwrap() as f64 / 1e7
    }

    #[test]
    fn short_stops_are_summed() {
        for (period, runs, expected) in [(25, 5, 0.8), (100, 55, 0.45), (10_000, 9_000, 0.1), (5, 2, 0.6)] {
            let (period, runs) = (period * MS, runs * MS);
            let running = move |now: Nanos| now / period * runs + (now % period).min(runs);
            let delays =
                delays_seen(stop_periodically(period, runs), |now| running(now) / 10_000, |now| now / period);
            let found = window_share(delays.late_us);
            // Half a beat of each stop isn't known.
            let inexact = 0.05 + FINE_PERIOD_NS as f64 / 2.0 / period as f64;
            assert!((found - expected).abs() < inexact, "{found} of {expected}: {delays:?}");
            assert!(window_share(delays.late_workers_active_us) < 0.02, "{delays:?}");
        }
    }

    #[test]
    fn cpu_waiting_is_not_a_pause() {
        // Late by 30 ms every 40, each time because others have the CPU.
        let busy = |meant: Nanos| (meant + 30 * MS, 30 * MS);
        assert_eq!(delays_seen(busy, |now| now / 10_000, |_| 0).late_us, Some(0));
        // Late by 60 ms for another reason, but the workers go on.
        let delays = delays_seen(|meant| (meant + 60 * MS, 0), |now| now / 10_000, |_| 0);
        assert!(window_share(delays.late_us) > 0.5, "{delays:?}");
        assert_eq!(
            delays.late_us.unwrap() - delays.late_workers_active_us.unwrap(),
            70_000,
            "all but the first: {delays:?}"
        );
        assert_eq!(delays.total_us - delays.workers_active_us.unwrap(), 60_000, "{delays:?}");
    }

    #[test]
    fn sigcont_without_a_pause_is_not_a_stop() {
        let (ios, continues) = (|now: Nanos| now / 10_000, |now: Nanos| now / SECOND);
        assert!(!delays_seen(|meant| (meant, 0), ios, continues).was_stopped);
        // Late for want of a CPU, or alone.
        assert!(!delays_seen(|meant| (meant + 30 * MS, 30 * MS), ios, continues).was_stopped);
        assert!(!delays_seen(|meant| (meant + 60 * MS, 0), ios, continues).was_stopped);
        // Paused at other times than those of the signal.
        let paused = |meant: Nanos| (if meant % SECOND < SECOND / 2 { meant } else { meant + 10 * MS }, 0);
        assert!(!delays_seen(paused, |_| 0, |now| u64::from(now > SECOND / 4)).was_stopped);
        for signal_later in [0, MS / 2] {
            let stopped = stop_periodically(SECOND, SECOND - 100 * MS);
            let signals = move |now: Nanos| now.saturating_sub(signal_later) / SECOND;
            assert!(delays_seen(stopped, |_| 0, signals).was_stopped, "{signal_later}");
        }
    }

    #[test]
    fn delays_of_busy_machine_do_not_count() {
        let mut pulse = StallDetector::new(1000 * MS, 0);
        // The end of the window was at 2000, the pulse at 2450: both had passed.
        let wakes = [(1100, 1101), (1201, 1250), (1350, 2350), (2000, 2351), (2450, 2550), (2460, 2551)];
        for (meant, now) in wakes {
            pulse.note_beat(meant * MS, WakeSample { now: now * MS, ..WakeSample::default() });
            assert!(pulse.due > now * MS && pulse.due <= (now + 100) * MS);
        }
        let Delays { times, total_us, longest_us, longest_at_us, .. } = pulse.delays_seen();
        assert_eq!((times, total_us, longest_us, longest_at_us), (2, 1_100_000, 1_000_000, 1_350_000));
    }
}
