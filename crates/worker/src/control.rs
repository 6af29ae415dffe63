//! Communication between the controlling thread and workers: ready, go, phase, stop.
//!
//! The workers check one atomic per batch of I/Os; all waits use one condition variable.

use super::Outcome;
use super::outcome::SpanOutcome;
use crate::failure::{WorkerFailure, by_cause};
use diskspd_output::guard::HangError;
use diskspd_output::{INTERRUPTED, RAPID_REPEAT_NS, SILENCE, StopSignal, grace};
use diskspd_plan::PlanError;
use diskspd_results::EndedBy;
use diskspd_sys::clock::{self, Nanos};
use diskspd_sys::mutex::LockUnpoisoned;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Phase {
    Warmup = 0,
    Measure = 1,
    Cooldown = 2,
    Stop = 3,
}

/// Control block of a run; [`Control::begin_span`] prepares it for the next time span.
#[derive(Debug, Default)]
pub struct Control {
    phase: AtomicU8,
    start_signal: AtomicU64,
    measure_start: AtomicU64,
    measure_end: AtomicU64,
    /// Cause of the end, an [`EndedBy`].
    interrupted_by: AtomicU8,
    interrupted: AtomicBool,
    /// Time at which the user requested an immediate end; 0 = not yet.
    hurried: AtomicU64,
    supervisor: Mutex<Option<Sender<SupervisorEvent>>>,
    doing: Mutex<CurrentStep>,
    deposited: Mutex<Option<SpanOutcome>>,
    state: Mutex<ControlState>,
    /// Wakes the controlling thread.
    changed: Condvar,
    /// Wakes ready workers; separate, because a worker that becomes ready must not wake the others.
    released: Condvar,
}

#[derive(Debug)]
pub enum SupervisorEvent {
    Ended(Box<Result<Outcome, Vec<PlanError>>>),
    /// Threads of a time span do not return; the available results are deposited.
    Abandoned,
    Bounded,
    /// The user ended the run.
    Interrupted,
    GivenUp(HangError),
    /// The run's thread panicked.
    Died,
}

#[derive(Debug, Clone, Copy)]
struct CurrentStep {
    what: &'static str,
    /// Whether the step waits for another program instead of the kernel.
    for_others: bool,
    /// Whether the step must end within the limit for storage.
    is_bounded: bool,
}

impl Default for CurrentStep {
    fn default() -> Self {
        CurrentStep { what: "begins", for_others: false, is_bounded: false }
    }
}

#[derive(Debug, Default)]
struct ControlState {
    ready: usize,
    ended: usize,
    /// Time of the interruption by the user; 0 = none.
    interrupted_at: Nanos,
    started: bool,
    failures: Vec<WorkerFailure>,
}

impl StopSignal for Control {
    fn patience_ns(&self) -> Nanos {
        match (self.is_hurried(), self.is_interrupted()) {
            (true, _) => RAPID_REPEAT_NS,
            (_, true) => INTERRUPTED,
            _ => grace(),
        }
    }
}

impl Control {
    fn lock_state(&self) -> MutexGuard<'_, ControlState> {
        // A panic elsewhere leaves plain data behind; the run has to end orderly all the same.
        self.state.lock_anyway()
    }

    fn wait<'a>(
        &self,
        guard: MutexGuard<'a, ControlState>,
        timeout: Duration,
    ) -> MutexGuard<'a, ControlState> {
        self.changed.wait_timeout(guard, timeout).unwrap_or_else(PoisonError::into_inner).0
    }

    fn wake_all(&self) {
        self.changed.notify_all();
        self.released.notify_all();
    }

    /// Removes the workers of the last span, but keeps an interruption.
    pub fn begin_span(&self) {
        let mut state = self.lock_state();
        *state = ControlState { interrupted_at: state.interrupted_at, ..ControlState::default() };
        drop(state);
        self.measure_end.store(0, Ordering::Relaxed);
        self.set_phase(Phase::Warmup);
    }

    #[inline]
    pub fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Acquire) {
            0 => Phase::Warmup,
            1 => Phase::Measure,
            2 => Phase::Cooldown,
            _ => Phase::Stop,
        }
    }

    pub fn set_phase(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Release);
    }

    /// Enters the phase `Measure`; returns the start time, the origin of the workers' intervals.
    pub fn start_measuring(&self) -> Nanos {
        let now = clock::monotonic();
        self.measure_start.store(now, Ordering::Relaxed);
        self.set_phase(Phase::Measure);
        now
    }

    /// Returns the start of the measurement; only valid after the phase `Measure` was observed.
    #[inline]
    pub fn measure_start(&self) -> Nanos {
        self.measure_start.load(Ordering::Relaxed)
    }

    /// Ends the phase `Measure`; returns its end time.
    pub fn end_measuring(&self) -> Nanos {
        // Whoever sees the phase has to find the stamp; it is a little early.
        self.measure_end.store(clock::monotonic(), Ordering::Relaxed);
        self.set_phase(Phase::Cooldown);
        clock::monotonic()
    }

    /// Returns the end of the measurement; `None` = not ended, or not started.
    pub(crate) fn measure_end(&self) -> Option<Nanos> {
        Some(self.measure_end.load(Ordering::Relaxed)).filter(|end| *end > 0)
    }

    /// A worker is set up; waits for the start signal. False = the span is over before it began.
    pub fn ready_and_wait(&self) -> bool {
        let mut state = self.lock_state();
        state.ready += 1;
        self.changed.notify_all();
        while !state.started && state.failures.is_empty() && !self.is_interrupted() {
            let waited = self.released.wait_timeout(state, Duration::from_secs(1));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        // Those who wait are also released when the span is over before it began.
        state.started && self.phase() != Phase::Stop
    }

    /// Waits after the start signal until measuring begins, or the span ends before: a fraction of a
    /// millisecond.
    pub fn wait_for_measuring(&self) {
        while self.phase() == Phase::Warmup && !self.is_interrupted() {
            std::thread::sleep(Duration::from_micros(10));
        }
    }

    pub fn fail(&self, failure: impl Into<WorkerFailure>) {
        let failure = failure.into();
        let mut state = self.lock_state();
        if !state.failures.contains(&failure) {
            state.failures.push(failure);
        }
        self.wake_all();
    }

    /// Returns the messages of [`Control::fail`] in order, one line per cause.
    pub fn failures(&self) -> Vec<String> {
        by_cause(&self.lock_state().failures)
    }

    pub fn has_failed(&self) -> bool {
        !self.lock_state().failures.is_empty()
    }

    /// Interrupts the run for the user (Ctrl-C) and ends all sleeps.
    pub fn interrupt(&self) {
        self.interrupt_by(EndedBy::Interrupt);
    }

    pub fn interrupt_by(&self, by: EndedBy) {
        let first = EndedBy::default() as u8;
        let _ = self.interrupted_by.compare_exchange(first, by as u8, Ordering::SeqCst, Ordering::SeqCst);
        self.interrupted.store(true, Ordering::SeqCst);
        let mut state = self.lock_state();
        if state.interrupted_at == 0 {
            state.interrupted_at = clock::monotonic();
        }
        self.wake_all();
        drop(state);
        self.report_turn(SupervisorEvent::Interrupted);
    }

    /// Ends all waits, because the user requested an immediate end.
    pub fn hurry(&self) {
        self.hurried.store(clock::monotonic(), Ordering::SeqCst);
        self.interrupt();
    }

    pub fn is_hurried(&self) -> bool {
        self.hurried.load(Ordering::SeqCst) > 0
    }

    pub fn notify(&self, supervisor: Sender<SupervisorEvent>) {
        *self.supervisor.lock_anyway() = Some(supervisor);
        // It may have happened before.
        if self.is_interrupted() {
            self.report_turn(SupervisorEvent::Interrupted);
        }
    }

    fn report_turn(&self, turn: SupervisorEvent) {
        if let Some(supervisor) = &*self.supervisor.lock_anyway() {
            let _ = supervisor.send(turn);
        }
    }

    /// Ends the run because a call hangs.
    pub fn abandon_run(&self, error: &HangError) {
        self.report_turn(SupervisorEvent::GivenUp(error.clone()));
    }

    /// Reports a panic of the run's thread.
    pub fn died(&self) {
        self.report_turn(SupervisorEvent::Died);
    }

    /// Leaves the report of available results to the supervisor, because threads do not return. Does not
    /// return with a supervisor: the process is about to end.
    pub fn abandon(&self) {
        self.report_turn(SupervisorEvent::Abandoned);
        loop {
            std::thread::park();
        }
    }

    /// Deposits the results of a time span, which are valid if the run is abandoned later.
    pub fn deposit(&self, outcome: SpanOutcome) {
        *self.deposited.lock_anyway() = Some(outcome);
    }

    pub fn take_deposit(&self) -> Option<SpanOutcome> {
        self.deposited.lock_anyway().take()
    }

    /// Sets the current activity, which may block in the kernel; printed after "while it".
    pub fn start_step(&self, what: &'static str) {
        *self.doing.lock_anyway() = CurrentStep { what, for_others: false, is_bounded: false };
    }

    /// Sets an activity with the storage time limit, for inspecting a target or writing another file.
    /// After the limit the run is left behind.
    pub fn does_in_time(&self, what: &'static str) {
        *self.doing.lock_anyway() = CurrentStep { what, for_others: false, is_bounded: true };
        self.report_turn(SupervisorEvent::Bounded);
    }

    /// Marks the same for work that waits for another program, such as opening a pipe, and can be abandoned
    /// at any time.
    pub fn awaits(&self, what: &'static str) {
        *self.doing.lock_anyway() = CurrentStep { what, for_others: true, is_bounded: false };
    }

    pub fn what_it_does(&self) -> &'static str {
        self.doing.lock_anyway().what
    }

    /// Whether the step must end within the limit for storage.
    pub fn is_bounded(&self) -> bool {
        self.doing.lock_anyway().is_bounded
    }

    /// Whether the step waits for another program instead of the kernel.
    pub fn waits_for_others(&self) -> bool {
        self.doing.lock_anyway().for_others
    }

    /// Reports the end of a worker's thread.
    pub fn worker_ended(&self) {
        self.lock_state().ended += 1;
        self.changed.notify_all();
    }

    /// Waits for the end of this number of workers while that is sensible; `tell` is called once after a
    /// while with the number of missing ones. False = some have not ended.
    pub fn wait_until_ended(&self, workers: usize, mut tell: impl FnMut(usize)) -> bool {
        let begin = clock::monotonic();
        let mut told = false;
        let mut state = self.lock_state();
        loop {
            if state.ended >= workers {
                return true;
            }
            let mut deadline = begin.saturating_add(grace());
            for (at, grace) in
                [(state.interrupted_at, INTERRUPTED), (self.hurried.load(Ordering::SeqCst), RAPID_REPEAT_NS)]
            {
                if at > 0 {
                    deadline = deadline.min(at.max(begin) + grace);
                }
            }
            let now = clock::monotonic();
            if now >= deadline {
                return false;
            }
            if !told && now >= begin + SILENCE {
                told = true;
                let missing = workers - state.ended;
                drop(state);
                tell(missing);
                state = self.lock_state();
                continue;
            }
            let next = if told { deadline } else { deadline.min(begin + SILENCE) };
            state = self.wait(state, Duration::from_nanos(next - now));
        }
    }

    pub fn ended_by(&self) -> EndedBy {
        let by = usize::from(self.interrupted_by.load(Ordering::SeqCst));
        match self.has_failed() {
            true => EndedBy::Failure,
            false => EndedBy::ALL.get(by).copied().unwrap_or_default(),
        }
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }

    /// Waits until this number of workers is ready. Returns false after a failure or interruption.
    pub fn wait_until_ready(&self, workers: usize) -> bool {
        let mut state = self.lock_state();
        while state.ready < workers && state.failures.is_empty() && !self.is_interrupted() {
            state = self.wait(state, Duration::from_secs(1));
        }
        state.failures.is_empty() && !self.is_interrupted()
    }

    /// Gives the start signal for the I/O of all workers.
    pub fn start(&self) {
        self.start_as_of(clock::monotonic());
    }

    /// Gives the start signal for a moment that has just passed, on which several ranks have agreed.
    pub fn start_as_of(&self, moment: Nanos) {
        let mut state = self.lock_state();
        if !state.started {
            self.start_signal.store(moment, Ordering::Relaxed);
        }
        state.started = true;
        self.wake_all();
    }

    /// Returns the time of the start signal; only valid in a worker that has received it.
    pub fn start_signal(&self) -> Nanos {
        self.start_signal.load(Ordering::Relaxed)
    }

    /// Sleeps until `deadline`. Returns false after a failure or interruption.
    pub fn sleep_until(&self, deadline: Nanos) -> bool {
        let mut state = self.lock_state();
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
