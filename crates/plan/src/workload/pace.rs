//! Pacing per thread and target: throughput limits (`-g`), shares of a total rate (`--rate-total`), and
//! bursts with think time (`-i`, `-j`).
//!
//! A state machine without a clock; the caller passes the time. Even rates use exact integer nanoseconds,
//! so that a rate holds to one I/O even in long runs.

use super::Random;

const SECOND: u64 = 1_000_000_000;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// No pacing: an I/O is submitted as soon as its request is idle.
    #[default]
    None,
    /// `ios` I/Os in `nanos` ns, evenly: I/O k (from 1) starts at k x `nanos` / `ios` after the start at
    /// the earliest. A late thread catches up.
    Rate {
        /// I/Os, at least 1.
        ios: u64,
        /// Time in ns.
        nanos: u64,
    },
    /// Every `of`-th I/O of an even rate: I/O k (from 1) starts at ((k - 1) x `of` + `turn` + 1) /
    /// `ios_per_s` seconds after the start. All turns together form the rate.
    InTurn {
        /// 37 Total I/Os per second, at least 1.
        ios_per_s: u64,
        turn: u32,
        /// Number of alternating threads, at least 1.
        of: u32,
    },
    /// One of several equal parts of a rate, at random. The times between I/Os are exponentially
    /// distributed, both within the part and over all parts.
    Poisson {
        /// I/Os per second of all, at least 1.
        ios_per_s: u64,
        /// Number of parts, at least 1.
        of: u32,
        seed: u64,
    },
    /// A repeated pause after a number of I/Os. It begins with the submission of the last one.
    Bursts {
        /// I/Os of a burst, at least 1.
        ios: u32,
        /// Length of the pause in ns.
        pause: u64,
    },
}

impl Limit {
    /// Whether each I/O has a start time independent of earlier I/Os. Bursts do not: a pause begins after
    /// the burst.
    pub fn has_times(&self) -> bool {
        matches!(self, Limit::Rate { .. } | Limit::InTurn { .. } | Limit::Poisson { .. })
    }

    /// `-g<n>i`: I/Os per second; at least 1.
    pub fn iops(iops: u32) -> Limit {
        Limit::Rate { ios: u64::from(iops), nanos: SECOND }
    }

    /// `-g<n>`: bytes per millisecond, at least 1, with I/Os of `block` bytes.
    pub fn bytes_per_millisecond(bytes: u32, block: u32) -> Limit {
        // `bytes` blocks take `block` milliseconds.
        Limit::Rate { ios: u64::from(bytes), nanos: u64::from(block) * 1_000_000 }
    }

    /// `-i<count> -j<ms>`: the count is shared by the threads of the target, each getting at least 1.
    pub fn bursts(count: u32, threads: u32, milliseconds: u32) -> Limit {
        Limit::Bursts { ios: (count / threads.max(1)).max(1), pause: u64::from(milliseconds) * 1_000_000 }
    }
}

/// State of a limit, which decides whether an I/O may start.
#[derive(Debug, Clone)]
pub struct Pace(PaceState);

#[derive(Debug, Clone)]
enum PaceState {
    Free,
    Rate(Meter),
    Random(RandomTimes),
    Bursts { ios: u32, left: u32, pause: u64, resume: u64 },
}

/// Marker of an unknown due time: the last I/O of a complete burst is not submitted yet.
const UNKNOWN_TIME: u64 = u64::MAX;

impl Pace {
    /// Creates the pace, starting at the start signal `start` in ns, so that no burst accumulates at the
    /// beginning.
    pub fn new(limit: Limit, start: u64) -> Pace {
        Pace(match limit {
            Limit::None => PaceState::Free,
            Limit::Rate { ios, nanos } => PaceState::Rate(Meter::new(ios, nanos, nanos, start)),
            Limit::InTurn { ios_per_s, turn, of } => {
                let nanos = |ios: u32| u64::from(ios.max(1)) * SECOND;
                PaceState::Rate(Meter::new(ios_per_s, nanos(turn + 1), nanos(of), start))
            }
            Limit::Poisson { ios_per_s, of, seed } => {
                PaceState::Random(RandomTimes::new(ios_per_s, of, Random::new(seed), start))
            }
            Limit::Bursts { ios, pause } => {
                PaceState::Bursts { ios: ios.max(1), left: ios.max(1), pause, resume: start }
            }
        })
    }

    /// Returns the start time of the next I/O in ns, independent of earlier I/Os. `None` = as soon as
    /// possible. This includes I/Os of bursts, because the submission of the last one starts the pause.
    #[inline]
    pub fn due(&self) -> Option<u64> {
        match &self.0 {
            PaceState::Rate(meter) => Some(meter.due()),
            PaceState::Random(times) => Some(times.due),
            PaceState::Free | PaceState::Bursts { .. } => None,
        }
    }

    /// Returns the number of I/Os due by `now` (ns) but not requested, and the due time of the first one
    /// in ns.
    pub fn overdue(&self, now: u64) -> Option<(u64, u64)> {
        match &self.0 {
            PaceState::Rate(meter) => meter.overdue(now),
            PaceState::Random(times) => times.overdue(now),
            PaceState::Free | PaceState::Bursts { .. } => None,
        }
    }

    /// Asks for one I/O at the time `now`, ns. `Ok` = it goes, and counts.
    ///
    /// # Errors
    /// Fails with the time of the next call in ns; `u64::MAX` = after the burst was
    /// [submitted](Pace::submitted).
    #[inline]
    pub fn ask(&mut self, now: u64) -> Result<(), u64> {
        match &mut self.0 {
            PaceState::Free => Ok(()),
            PaceState::Rate(meter) => meter.ask(now),
            PaceState::Random(times) => times.ask(now),
            PaceState::Bursts { left, resume, .. } => {
                if now < *resume {
                    return Err(*resume);
                }
                *left -= 1;
                if *left == 0 {
                    *resume = UNKNOWN_TIME;
                }
                Ok(())
            }
        }
    }

    /// Whether a burst is complete and waits for [`Pace::submitted`].
    #[inline]
    pub fn burst_ended(&self) -> bool {
        matches!(self.0, PaceState::Bursts { left: 0, .. })
    }

    /// Records that all I/Os requested until now were submitted by `now` in ns. A pending pause begins
    /// here.
    #[inline]
    pub fn submitted(&mut self, now: u64) {
        if let PaceState::Bursts { ios, left: left @ 0, pause, resume } = &mut self.0 {
            *left = *ios;
            *resume = now.saturating_add(*pause);
        }
    }
}

/// Due times of the I/Os of a rate, without division: whole and fractional nanoseconds are added up.
#[derive(Debug, Clone)]
struct Meter {
    /// Due time of the next I/O: `due` ns plus `part` / `ios` ns.
    due: u64,
    part: u64,
    /// Interval of I/Os, in the same form.
    step: u64,
    step_part: u64,
    ios: u64,
}

impl Meter {
    /// The first I/O is due `first` / `ios` ns after `start`, each further one `nanos` / `ios` ns later.
    fn new(ios: u64, first: u64, nanos: u64, start: u64) -> Meter {
        let ios = ios.max(1);
        let (step, step_part) = (nanos / ios, nanos % ios);
        Meter { due: start.saturating_add(first / ios), part: first % ios, step, step_part, ios }
    }

    #[inline]
    fn advance(&mut self) {
        self.part += self.step_part;
        let carry = self.part >= self.ios;
        self.part -= if carry { self.ios } else { 0 };
        self.due = self.due.saturating_add(self.step + u64::from(carry));
    }

    /// Returns the due time of the next I/O in whole ns.
    #[inline]
    fn due(&self) -> u64 {
        self.due.saturating_add(u64::from(self.part > 0))
    }

    fn overdue(&self, now: u64) -> Option<(u64, u64)> {
        let since = now.checked_sub(self.due())?;
        // In parts of a nanosecond, without a remainder.
        let ios = u128::from(self.ios);
        let distance = (u128::from(self.step) * ios + u128::from(self.step_part)).max(1);
        let passed = (u128::from(now - self.due) * ios).saturating_sub(u128::from(self.part));
        Some((u64::try_from(passed / distance + 1).unwrap_or(u64::MAX), since))
    }

    #[inline]
    fn ask(&mut self, now: u64) -> Result<(), u64> {
        let due = self.due();
        if now < due {
            return Err(due);
        }
        self.advance();
        Ok(())
    }
}

#[derive(Debug, Clone)]
struct RandomTimes {
    /// Due time of the next I/O in ns.
    due: u64,
    /// The remaining fraction of a nanosecond, so that rounding of many short times does not accumulate.
    part: f64,
    /// Mean time between two I/Os in ns.
    mean: f64,
    random: Random,
}

impl RandomTimes {
    fn new(ios_per_s: u64, of: u32, random: Random, start: u64) -> RandomTimes {
        let mean = f64::from(of.max(1)) * SECOND as f64 / ios_per_s.max(1) as f64;
        let mut times = RandomTimes { due: start, part: 0.0, mean, random };
        times.advance();
        times
    }

    #[inline]
    fn advance(&mut self) {
        // From 2^-53 to 1: never 0, which has no logarithm.
        let uniform = ((self.random.next_u64() >> 11) + 1) as f64 * 2f64.powi(-53);
        let next = self.part - uniform.ln() * self.mean;
        let whole = next.floor();
        self.part = next - whole;
        self.due = self.due.saturating_add(whole as u64);
    }

    /// Returns the expected number of I/Os, because times of I/Os that were not requested are not drawn.
    fn overdue(&self, now: u64) -> Option<(u64, u64)> {
        let since = now.checked_sub(self.due)?;
        Some((1 + (since as f64 / self.mean) as u64, since))
    }

    #[inline]
    fn ask(&mut self, now: u64) -> Result<(), u64> {
        if now < self.due {
            return Err(self.due);
        }
        self.advance();
        Ok(())
    }
}
