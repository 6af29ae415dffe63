//! A seeded model of a device on a virtual clock: whole runs become deterministic.
//!
//! Everything is integer arithmetic, so that the same seed gives the same times on every machine.
//!
//! ```text
//! submit ─▶ link (one after the other) ─▶ first free channel (base + tail, seldom a stall) ─▶ done
//! ```

use super::{CompletedIo, Engine, EngineError, EngineInfo, EngineKind, Io, Limits, Setup};
use diskspd_base::operation::Operation;
use diskspd_sys::clock::{Clock, Nanos, SECOND};
use diskspd_sys::memory::{Buffer, Slot, SlotMut};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

/// Linux error number of a failed I/O, used on every system.
const EIO: i64 = 5;

/// Parameters of the device. The default is a data-centre NVMe drive: about 83 µs and 770,000 IOPS for
/// reads of 4 KiB, 7 GB/s for large ones; 15 µs and 5 GB/s for writes. The default must not change,
/// because reports are compared to stored ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimDevice {
    /// Number of I/Os served in parallel, at least 1.
    channels: usize,
    read: Service,
    write: Service,
    /// Mean number of I/Os per stall; a power of two.
    stall_one_in: u64,
    /// Mean length of a stall in ns.
    stall: Nanos,
    /// Change of the speed over time.
    course: SpeedProfile,
    /// Interval of I/Os that fail with `EIO`; 0 = none.
    fail_every: u64,
    /// Interval of I/Os that transfer only half of their bytes; 0 = none.
    short_every: u64,
}

/// Change of a device's speed. Time counts from the first I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpeedProfile {
    Steady,
    /// Fast write cache of a limited number of bytes; later writes take `factor` times as long.
    Cliff {
        cache: u64,
        factor: u64,
    },
    /// Rate limit of one I/O per `interval` ns, with credits for a burst.
    Throttle {
        interval: Nanos,
        credits: u64,
    },
    /// No I/O begins between `from` and `to` of each period `every`, in ns.
    Stalls {
        every: Nanos,
        from: Nanos,
        to: Nanos,
    },
    Outage {
        from: Nanos,
        to: Nanos,
    },
    /// Every I/O takes longer from one to the next: twice as long after this time, and then no longer.
    Drift {
        doubled_after: Nanos,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Service {
    /// Minimum time in a channel in ns.
    base: Nanos,
    /// Mean of the additional time in ns, which is close to exponentially distributed.
    tail: Nanos,
    /// Transfer time in picoseconds per byte.
    picos_per_byte: u64,
}

impl Default for SimDevice {
    fn default() -> SimDevice {
        SimDevice {
            channels: 64,
            read: Service { base: 70_000, tail: 12_000, picos_per_byte: 143 },
            write: Service { base: 11_000, tail: 3_000, picos_per_byte: 200 },
            stall_one_in: 1 << 12,
            stall: 2_000_000,
            course: SpeedProfile::Steady,
            fail_every: 0,
            short_every: 0,
        }
    }
}

impl SimDevice {
    /// Returns a device with a fast write cache of 64 GiB; writes beyond it take five times as long.
    pub fn cliff() -> SimDevice {
        SimDevice { course: SpeedProfile::Cliff { cache: 64 << 30, factor: 5 }, ..SimDevice::default() }
    }

    /// Returns a device with 3000 I/Os per second and burst credits for 150,000 more.
    pub fn throttle() -> SimDevice {
        SimDevice {
            course: SpeedProfile::Throttle { interval: 333_333, credits: 150_000 },
            ..SimDevice::default()
        }
    }

    /// Returns a device that slows down for a minute, to half its speed.
    pub fn drift() -> SimDevice {
        SimDevice { course: SpeedProfile::Drift { doubled_after: 60_000_000_000 }, ..SimDevice::default() }
    }

    /// Returns a device that starts no I/O for one second of six: from the third to the fourth.
    pub fn stall() -> SimDevice {
        let course = SpeedProfile::Stalls { every: 6 * SECOND, from: 3 * SECOND, to: 4 * SECOND };
        SimDevice { course, ..SimDevice::default() }
    }

    /// Completing nothing from 5 s after its first I/O to 9.312 s, as one whose path is down.
    pub fn outage() -> SimDevice {
        let (from, to) = (5 * SECOND, 9_312_000_000);
        SimDevice { course: SpeedProfile::Outage { from, to }, ..SimDevice::default() }
    }

    /// The default device with faults, for tests: one I/O in `fail_every` fails with `EIO`, one in
    /// `short_every` transfers half of its bytes, counted in order of submission; 0 = none.
    pub fn faulty(fail_every: u64, short_every: u64) -> SimDevice {
        SimDevice { fail_every, short_every, ..SimDevice::default() }
    }
}

const FLUSH: Service = Service { base: 300_000, tail: 60_000, picos_per_byte: 0 };

/// Service time of a discard, which the device records and performs later.
const TRIM: Service = Service { base: 40_000, tail: 20_000, picos_per_byte: 0 };

/// Cost of a Write Zeroes command.
const ZERO_WRITE: Service = Service { base: 30_000, tail: 10_000, picos_per_byte: 0 };

/// An I/O being served.
#[derive(Debug, Clone, Copy)]
struct Flight {
    finish: Nanos,
    done: CompletedIo,
}

/// The I/Os in flight, by time of their end, then by order of submission.
///
/// Times differ little, so an I/O that is submitted last nearly always has its place near the end.
#[derive(Debug)]
struct Flights {
    /// I/Os in flight from index `first` on; earlier entries are complete.
    all: Vec<Flight>,
    first: usize,
}

impl Flights {
    fn new(depth: usize) -> Flights {
        // Ended I/Os are removed once for every `depth` new ones.
        Flights { all: Vec::with_capacity(2 * depth), first: 0 }
    }

    fn len(&self) -> usize {
        self.all.len() - self.first
    }

    fn last(&self) -> Option<&Flight> {
        self.all[self.first..].last()
    }

    #[inline(always)]
    fn push(&mut self, flight: Flight) {
        if self.all.len() == self.all.capacity() {
            self.all.drain(..self.first);
            self.first = 0;
        }
        self.all.push(flight);
        let mut place = self.all.len() - 1;
        while place > self.first && self.all[place - 1].finish > flight.finish {
            self.all[place] = self.all[place - 1];
            place -= 1;
        }
        self.all[place] = flight;
    }

    /// Removes the first I/O that completes, if it does by `time`.
    #[inline(always)]
    fn pop(&mut self, time: Nanos) -> Option<Flight> {
        let first = *self.all.get(self.first).filter(|first| first.finish <= time)?;
        self.first += 1;
        Some(first)
    }
}

pub struct Sim {
    limits: Limits,
    device: SimDevice,
    buffer: Buffer,
    clock: Clock,
    random: u64,
    /// When each channel becomes free, the earliest on top. Empty if no I/O ever waits for a channel, because
    /// the queue is not deeper than the device has channels.
    channels: BinaryHeap<Reverse<Nanos>>,
    link: Nanos,
    flights: Flights,
    number: u64,
    /// Total written bytes.
    written: u64,
    /// Time at which the throttle would have permitted the next I/O without credits; later than the clock =
    /// credits are used.
    allowed: Nanos,
    /// Time from which the device is idle.
    start: Nanos,
}

impl Sim {
    /// Creates an idle device. The clock of the setup must be virtual; otherwise time does not advance.
    pub fn new(setup: Setup, device: SimDevice) -> Sim {
        let now = setup.clock.now();
        let depth = setup.depth as usize;
        let channels = if depth > device.channels { device.channels } else { 0 };
        Sim {
            limits: Limits::for_setup(&setup, EngineKind::Sim),
            device,
            random: setup.seed,
            channels: std::iter::repeat_n(Reverse(now), channels).collect(),
            link: now,
            flights: Flights::new(depth),
            number: 0,
            written: 0,
            allowed: now,
            start: now,
            buffer: setup.buffer,
            clock: setup.clock,
        }
    }

    /// Returns the service end of an I/O that arrives now.
    fn serve_io(&mut self, io: &Io, now: Nanos) -> Nanos {
        let service = match io.op {
            Operation::Read => self.device.read,
            Operation::Write | Operation::DurableWrite => self.device.write,
            Operation::Flush => return self.flush(now),
            // None of its devices has zones; a drive marks them free like what is discarded.
            Operation::Discard | Operation::ZoneReset => return self.serve_command(TRIM, now),
            Operation::WriteZeroes => return self.serve_command(ZERO_WRITE, now),
        };
        self.link = self.link.max(now) + u64::from(io.length) * service.picos_per_byte / 1000;
        let mut time = service.base + tail_delay(service.tail, splitmix(&mut self.random));
        let chance = splitmix(&mut self.random);
        if chance & (self.device.stall_one_in - 1) == 0 {
            time += tail_delay(self.device.stall, splitmix(&mut self.random));
        }
        if io.op == Operation::DurableWrite {
            time += FLUSH.base + tail_delay(FLUSH.tail, splitmix(&mut self.random));
        }
        let (time, earliest) = self.scale_time(io, time, now);
        let begin = self.link.max(earliest);
        match self.channels.peek_mut() {
            Some(mut free) => {
                free.0 = free.0.max(begin) + time;
                free.0
            }
            None => begin + time,
        }
    }

    /// Returns the end time of a flush. Earlier writes must finish first, then the medium is written;
    /// other I/Os continue in the meantime.
    fn flush(&mut self, now: Nanos) -> Nanos {
        let written = self.flights.last().map_or(0, |last| last.finish);
        written.max(now) + FLUSH.base + tail_delay(FLUSH.tail, splitmix(&mut self.random))
    }

    /// When a command without data is over: in a channel, like an I/O; it takes the same time for many
    /// blocks as for one.
    fn serve_command(&mut self, service: Service, now: Nanos) -> Nanos {
        let time = service.base + tail_delay(service.tail, splitmix(&mut self.random));
        match self.channels.peek_mut() {
            Some(mut free) => {
                free.0 = free.0.max(now) + time;
                free.0
            }
            None => now + time,
        }
    }

    /// The time in a channel according to the device's course, and its earliest start.
    fn scale_time(&mut self, io: &Io, time: Nanos, now: Nanos) -> (Nanos, Nanos) {
        match self.device.course {
            SpeedProfile::Steady => (time, 0),
            SpeedProfile::Cliff { cache, factor } => {
                if io.op == Operation::Read {
                    return (time, 0);
                }
                self.written += u64::from(io.length);
                if self.written <= cache {
                    return (time, 0);
                }
                // The medium behind the cache is slower in moving bytes too.
                let on_link = u64::from(io.length) * self.device.write.picos_per_byte / 1000;
                self.link += on_link * (factor - 1);
                (time * factor, 0)
            }
            SpeedProfile::Throttle { interval, credits } => {
                // Credits grow while nothing is done, up to what they were at first.
                self.allowed = self.allowed.max(now) + interval;
                (time, self.allowed.saturating_sub(credits * interval))
            }
            SpeedProfile::Stalls { every, from, to } => {
                let passed = now.saturating_sub(self.start) % every;
                (time, if (from..to).contains(&passed) { now - passed + to } else { 0 })
            }
            SpeedProfile::Outage { .. } => (time, 0),
            SpeedProfile::Drift { doubled_after } => {
                let passed = now.saturating_sub(self.start).min(doubled_after);
                (time + time * (passed / 1000) / (doubled_after / 1000), 0)
            }
        }
    }

    /// Returns the arrival time of the completion of an I/O served at `finish`.
    fn answer_time(&self, finish: Nanos) -> Nanos {
        match self.device.course {
            SpeedProfile::Outage { from, to } => {
                let passed = finish.saturating_sub(self.start);
                if (from..to).contains(&passed) { self.start + to } else { finish }
            }
            _ => finish,
        }
    }

    fn io_result(&self, io: &Io) -> i64 {
        let every = |n: u64| n > 0 && self.number.is_multiple_of(n);
        match () {
            () if !io.op.moves_data() => 0,
            () if every(self.device.fail_every) => -EIO,
            () if every(self.device.short_every) => i64::from(io.length / 2),
            () => i64::from(io.length),
        }
    }

    /// Moves the first I/O that completes to `done`, if it does by `time`.
    fn complete_next(&mut self, time: Nanos, done: &mut Vec<CompletedIo>) -> Option<Nanos> {
        let flight = self.flights.pop(time)?;
        done.push(flight.done);
        Some(flight.finish)
    }
}

impl Engine for Sim {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        let room = self.limits.depth as usize - self.flights.len();
        let batch = &batch[..batch.len().min(room)];
        let now = self.clock.now();
        for io in batch {
            if !self.limits.allow(io) {
                self.limits.check(io)?;
            }
            self.number += 1;
            let finish = self.serve_io(io, now);
            let finish = self.answer_time(finish);
            let flight =
                Flight { finish, done: CompletedIo { request: io.request, result: self.io_result(io) } };
            debug_assert!(
                finish >= now && flight.done.result <= i64::from(io.length),
                "{io:?} at {now}: {flight:?}"
            );
            self.flights.push(flight);
        }
        Ok(batch.len())
    }

    fn wait(
        &mut self,
        min: usize,
        timeout: Duration,
        done: &mut Vec<CompletedIo>,
    ) -> Result<(), EngineError> {
        let min = min.min(self.flights.len());
        let timeout = Nanos::try_from(timeout.as_nanos()).unwrap_or(Nanos::MAX);
        let deadline = self.clock.now().saturating_add(timeout);
        let before = done.len();
        while done.len() - before < min {
            match self.complete_next(deadline, done) {
                Some(finish) => self.clock.advance_to(finish),
                None => self.clock.advance_to(deadline),
            }
            if self.clock.now() == deadline {
                break;
            }
        }
        let now = self.clock.now();
        while self.complete_next(now, done).is_some() {}
        Ok(())
    }

    fn slot(&self, io: &Io) -> Option<Slot<'_>> {
        self.buffer.slot(io.buffer_offset, io.length as usize)
    }

    fn memory_mut(&mut self) -> SlotMut<'_> {
        self.buffer.private_mut()
    }

    fn info(&self) -> EngineInfo<'_> {
        EngineInfo::features(format!("sim: {} channels, virtual clock", self.device.channels))
    }
}

/// Returns a time with the given mean from a random number, close to exponentially distributed. It uses
/// `-log2` of the number as a fraction of 2^64 with a linear mantissa (mean 3/2), which avoids a
/// logarithm.
fn tail_delay(mean: Nanos, random: u64) -> Nanos {
    let zeros = (random | 1).leading_zeros();
    let mantissa = (random << zeros << 1) >> 32;
    let steps = ((u64::from(zeros) + 1) << 32) - mantissa;
    ((mean * 2 / 3) * (steps >> 8)) >> 24
}

/// Returns the next random number (SplitMix64).
fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulated_tail_has_requested_mean_and_shape() {
        let mut state = 1;
        let times: Vec<u64> = (0..100_000).map(|_| tail_delay(12_000, splitmix(&mut state))).collect();
        let mean = times.iter().sum::<u64>() / 100_000;
        assert!((11_800..12_200).contains(&mean), "{mean}");
        // Of an exponential distribution, 5 % lie above three times the mean, 0.25 % above six times.
        let above = |n: u64| times.iter().filter(|t| **t > n * 12_000).count();
        assert!((4000..6000).contains(&above(3)), "{}", above(3));
        assert!((150..400).contains(&above(6)), "{}", above(6));
    }

    #[test]
    fn simulated_tail_extremes_are_finite() {
        assert!(tail_delay(2_000_000, 0) < 100_000_000);
        assert!(tail_delay(2_000_000, u64::MAX) < 2);
    }
}
