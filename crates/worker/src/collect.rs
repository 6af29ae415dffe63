//! Getting completions: by waiting, by looking, or by sleeping until the next request may go.

use super::{Pacing, TICK, WorkerLoop};
use crate::control::Phase;
use diskspd_engine::EngineError;
use diskspd_sys::clock::Nanos;
use std::time::Duration;

impl WorkerLoop<'_> {
    /// Gets completions. Waits for them if every request is in flight, or until the next request may
    /// start; otherwise checks without waiting.
    #[inline]
    pub(super) fn collect(&mut self, due: Option<Nanos>) -> Result<(), EngineError> {
        if (self.left == 0 || self.batches.is_single()) && self.pacing.is_none() {
            self.waits.completion_waits += u64::from(!self.batches.is_single());
            if self.batches.are_at_once() {
                self.engine.wait(0, Duration::ZERO, &mut self.done)?;
                self.note_found();
                if !self.done.is_empty() {
                    return Ok(());
                }
            }
            return self.wait_until(Nanos::MAX);
        }
        self.collect_some(due)
    }

    fn collect_some(&mut self, due: Option<Nanos>) -> Result<(), EngineError> {
        if self.pacing.as_ref().is_some_and(Pacing::burst_ended) {
            // The pause begins when the kernel has the last I/O.
            self.check_completions()?;
            let now = self.clock.now();
            self.pacing.iter_mut().for_each(|pacing| pacing.submitted(now));
            return Ok(());
        }
        let submitted = !self.batch.is_empty();
        match due {
            _ if self.left == 0 || (self.batches.is_single() && submitted) => {
                self.waits.completion_waits += u64::from(!self.batches.is_single());
                self.wait_until(Nanos::MAX)
            }
            // While latencies are measured, whatever was submitted is followed by a look.
            Some(due) if !submitted || !self.batches.are_looked_after() => self.wait_for_turn(due),
            _ => self.check_completions(),
        }
    }

    /// Waits until `due`, the start time of the next request, or for a completion.
    fn wait_for_turn(&mut self, due: Nanos) -> Result<(), EngineError> {
        if self.left == self.plan.depth as usize {
            self.waits.throttle_sleeps += 1;
            self.sleep_until(due);
            return Ok(());
        }
        self.waits.throttle_waits += 1;
        self.wait_until(due)
    }

    /// Submits the engine's pending I/Os and takes completions without waiting. This is a quick check
    /// while latencies are measured and requests are left.
    fn check_completions(&mut self) -> Result<(), EngineError> {
        let before = self.done.len();
        self.engine.wait(0, Duration::ZERO, &mut self.done)?;
        if self.left > 0 && !self.batches.is_single() {
            // Nobody looks either while content is made.
            let nanos = self.clock.now() - self.submitted + self.preparing;
            self.batches.took(self.batch.len(), nanos);
            if self.batches.are_looked_after() {
                self.waits.lookasides += 1;
                self.waits.lookaside_completions[(self.done.len() - before).min(7)] += 1;
            }
        }
        self.note_found();
        Ok(())
    }

    #[inline]
    fn note_found(&mut self) {
        let in_flight = self.plan.depth as usize - self.left;
        debug_assert!(self.done.len() <= in_flight);
        self.batches.record_wait(self.done.len(), in_flight);
    }

    /// Waits until something has completed, but no longer than until `due`; returns with nothing when the
    /// span is over.
    #[inline]
    pub(super) fn wait_until(&mut self, due: Nanos) -> Result<(), EngineError> {
        self.wait_once(due)?;
        if self.done.is_empty() { self.wait_on(due) } else { Ok(()) }
    }

    #[inline]
    fn wait_once(&mut self, due: Nanos) -> Result<(), EngineError> {
        let timeout = match due {
            Nanos::MAX => TICK,
            due => Duration::from_nanos(due.saturating_sub(self.clock.now())).min(TICK),
        };
        // Earlier completions, because of a full queue, must not wait for more.
        let least = if self.done.is_empty() { self.least_completions() } else { 0 };
        self.engine.wait(least, timeout, &mut self.done)
    }

    /// Continues a wait that returned no completion.
    #[inline(never)]
    fn wait_on(&mut self, due: Nanos) -> Result<(), EngineError> {
        let mut silent_since = None;
        loop {
            let since = *silent_since.get_or_insert_with(|| self.clock.now());
            if self.is_over(due) {
                self.silent_since = (due == Nanos::MAX).then_some(since);
                return Ok(());
            }
            self.wait_once(due)?;
            if !self.done.is_empty() {
                return Ok(());
            }
        }
    }

    #[inline]
    fn least_completions(&self) -> usize {
        if self.awaited > 1 { self.awaited.min(self.batch.len()).max(1) } else { 1 }
    }

    /// Sleeps until `due` or the end of the span, without I/O in flight.
    fn sleep_until(&self, due: Nanos) {
        while !self.is_over(due) {
            let tick = self.clock.now() + TICK.as_nanos() as Nanos;
            self.clock.sleep_until(due.min(tick));
        }
    }

    fn is_over(&self, due: Nanos) -> bool {
        let now = self.clock.now();
        now >= due || self.phases.phase_at(now) == Phase::Stop
    }
}
