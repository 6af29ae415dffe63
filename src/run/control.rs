//! What controlling thread and workers tell each other: ready, go, phase, stop.
//!
//! The workers look at one atomic per batch of I/Os; everything that sleeps hangs on one condition variable.

use super::failure::{Failure, by_cause};
use crate::clock::{self, Nanos};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Where in its course a time span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Phase {
    /// I/O runs, nothing is counted.
    Warmup = 0,
    /// I/O runs and is counted.
    Measure = 1,
    /// I/O runs, nothing is counted any more.
    Cooldown = 2,
    /// Workers end.
    Stop = 3,
}

/// One per run; [`Control::begin_span`] makes it ready for the next time span.
#[derive(Debug, Default)]
pub struct Control {
    phase: AtomicU8,
    start_signal: AtomicU64,
    measure_start: AtomicU64,
    interrupted: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    ready: usize,
    started: bool,
    failures: Vec<Failure>,
}

impl Control {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves plain data behind; the run has to end orderly all the same.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, guard: MutexGuard<'a, State>, timeout: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(guard, timeout).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Forgets the last span's workers. An interruption stays.
    pub fn begin_span(&self) {
        *self.lock() = State::default();
        self.set_phase(Phase::Warmup);
    }

    /// The phase now.
    #[inline]
    pub fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Acquire) {
            0 => Phase::Warmup,
            1 => Phase::Measure,
            2 => Phase::Cooldown,
            _ => Phase::Stop,
        }
    }

    /// Enters a phase.
    pub fn set_phase(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Release);
    }

    /// Enters the phase `Measure` now; returns the start stamp, which the workers count their intervals from.
    pub fn start_measuring(&self) -> Nanos {
        let now = clock::monotonic();
        self.measure_start.store(now, Ordering::Relaxed);
        self.set_phase(Phase::Measure);
        now
    }

    /// When measuring started; only meaningful once the phase has been seen to be the phase `Measure`.
    #[inline]
    pub fn measure_start(&self) -> Nanos {
        self.measure_start.load(Ordering::Relaxed)
    }

    /// A worker is set up; waits for the start signal. False = the span is over before it began.
    pub fn ready_and_wait(&self) -> bool {
        let mut state = self.lock();
        state.ready += 1;
        self.changed.notify_all();
        while !state.started && state.failures.is_empty() && !self.is_interrupted() {
            state = self.wait(state, Duration::from_secs(1));
        }
        // Those who wait are also released when the span is over before it began.
        state.started && self.phase() != Phase::Stop
    }

    /// A worker can't go on: the span fails.
    pub fn fail(&self, failure: impl Into<Failure>) {
        let failure = failure.into();
        let mut state = self.lock();
        if !state.failures.contains(&failure) {
            state.failures.push(failure);
        }
        self.changed.notify_all();
    }

    /// What [`Control::fail`] was told, in this order, a line for each cause.
    pub fn failures(&self) -> Vec<String> {
        by_cause(&self.lock().failures)
    }

    /// Whether the span fails.
    pub fn has_failed(&self) -> bool {
        !self.lock().failures.is_empty()
    }

    /// The user wants to stop (Ctrl-C): ends every sleep, and lets [`Control::stop_flag`] be true.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::SeqCst);
        let _state = self.lock();
        self.changed.notify_all();
    }

    /// Whether [`Control::interrupt`] was called.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }

    /// The flag behind [`Control::is_interrupted`], for work that polls it.
    pub fn stop_flag(&self) -> &AtomicBool {
        &self.interrupted
    }

    /// Waits until so many workers are ready. False = one failed, or the user interrupted.
    pub fn wait_until_ready(&self, workers: usize) -> bool {
        let mut state = self.lock();
        while state.ready < workers && state.failures.is_empty() && !self.is_interrupted() {
            state = self.wait(state, Duration::from_secs(1));
        }
        state.failures.is_empty() && !self.is_interrupted()
    }

    /// The start signal: all workers begin their I/O.
    pub fn start(&self) {
        let mut state = self.lock();
        if !state.started {
            self.start_signal.store(clock::monotonic(), Ordering::Relaxed);
        }
        state.started = true;
        self.changed.notify_all();
    }

    /// When the start signal was given; only meaningful in a worker that has seen it.
    pub fn start_signal(&self) -> Nanos {
        self.start_signal.load(Ordering::Relaxed)
    }

    /// Sleeps until `deadline`. False = a worker failed or the user interrupted before.
    pub fn sleep_until(&self, deadline: Nanos) -> bool {
        let mut state = self.lock();
        loop {
            if !state.failures.is_empty() || self.is_interrupted() {
                return false;
            }
            let now = clock::monotonic();
            if now >= deadline {
                return true;
            }
            state = self.wait(state, Duration::from_nanos(deadline - now));
        }
    }
}
