//! THE worker loop: fill, hand over, collect, account.
//!
//! ```text
//!      idle requests
//!   ┌─▶ fill ───────▶ hand over ──▶ collect ────────────────▶ account ─┐
//!   │   draw what     stamp,        wait, poll, or sleep       stamp,  │
//!   │   may go        submit        until the next may go      count   │
//!   └──────────────────────────────────────────────────────────────────┘
//! ```

mod failure;
mod fresh;
mod idle;
mod look_aside;
mod pacing;
mod requests;
mod routines;
mod share;

use super::console::Console;
use super::control::{Control, Phase};
use super::failure::Failure;
use super::io_log::{Entry, Producer};
use super::live::Counters;
use super::recorder::{Completion, Recorder};
use crate::clock::{Clock, Nanos};
use crate::engine::{Done, Engine, EngineError, Io};
use crate::plan::{SpanPlan, WorkerPlan};
use crate::results::{EngineUse, IoErrors, ThreadResults, WaitStatistics};
use crate::workload::ThreadWorkload;
use failure::Failed;
use fresh::Fresh;
use idle::Idle;
use look_aside::LookAside;
use pacing::Pacing;
pub use requests::Requests;
use share::Share;
use std::time::Duration;

/// How long a worker sleeps at most before it looks at the phase again: a device that answers nothing any more must
/// not keep it from ending.
const TICK: Duration = Duration::from_millis(100);
/// Everything a worker works with; made in its own thread, on its own CPU.
pub struct Worker<'a> {
    /// What it has to do.
    pub plan: &'a WorkerPlan,
    /// Its queue, with files and buffer.
    pub engine: Box<dyn Engine>,
    /// Its addresses.
    pub workload: ThreadWorkload,
    /// Where its I/Os and their data lie.
    pub requests: Requests,
    /// Its accounts.
    pub recorder: Recorder,
    /// Its time.
    pub clock: Clock,
    /// Where it learns the phase from.
    pub phases: Phases<'a>,
    /// What others see of it while it runs; `None` = nobody looks.
    pub live: Option<&'a Counters>,
    /// Where its I/Os are logged (`--io-log`).
    pub log: Option<Producer<'a>>,
    /// Dots (`-P`).
    pub console: &'a Console,
}

/// Where a worker learns the phase from.
pub enum Phases<'a> {
    /// From the controlling thread, which sleeps through the phases.
    Controlled(&'a Control),
    /// From its own virtual clock.
    Scheduled(Schedule),
}

/// Ends of the phases on a virtual clock, ns.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    /// Warm-up ends, measuring starts.
    pub measure: Nanos,
    /// Measuring ends, cool-down starts.
    pub cooldown: Nanos,
    /// Everything ends.
    pub stop: Nanos,
}

impl Phases<'_> {
    #[inline]
    fn at(&self, now: Nanos) -> Phase {
        match self {
            Phases::Controlled(control) => control.phase(),
            Phases::Scheduled(s) if now < s.measure => Phase::Warmup,
            Phases::Scheduled(s) if now < s.cooldown => Phase::Measure,
            Phases::Scheduled(s) if now < s.stop => Phase::Cooldown,
            Phases::Scheduled(_) => Phase::Stop,
        }
    }

    /// When the start signal was given.
    fn start_signal(&self) -> Nanos {
        match self {
            Phases::Controlled(control) => control.start_signal(),
            Phases::Scheduled(_) => 0,
        }
    }

    #[inline]
    fn measure_start(&self) -> Nanos {
        match self {
            Phases::Controlled(control) => control.measure_start(),
            Phases::Scheduled(schedule) => schedule.measure,
        }
    }
}

/// What a worker leaves behind.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Its accounts.
    pub results: ThreadResults,
    /// I/Os that failed.
    pub errors: Vec<IoErrors>,
    /// Why it ended early.
    pub failure: Option<Failure>,
}

impl<'a> Worker<'a> {
    /// Does I/O until the phase is [`Phase::Stop`], or something fails. I/O that is in flight at the end is never
    /// counted; the engine sees to it when it is dropped.
    pub fn run(self, span: &SpanPlan) -> Outcome {
        let mut work = Loop::new(self, span);
        let ended = if work.worker.plan.routines { work.routines() } else { work.turns() };
        let failure = ended.err().map(|failed| work.explain(failed));
        let engine = work.worker.engine_use();
        let Loop { worker, waits, .. } = work;
        // The engine drains before anything else is given back.
        drop(worker.engine);
        let (mut results, errors) = worker.recorder.finish();
        results.engine = Some(engine);
        results.wait = span.wait_statistics.then_some(waits);
        Outcome { results, errors, failure }
    }
}

impl Worker<'_> {
    /// What the I/Os went through; asked at the end, because a clock may have turned out not to be reliable.
    fn engine_use(&self) -> EngineUse {
        EngineUse {
            name: self.plan.engine.row().name.into(),
            reason: self.plan.reason.into(),
            features: self.engine.features(),
            clock: self.clock.source(),
        }
    }
}

/// A worker at work. Everything is allocated when it begins.
struct Loop<'a> {
    worker: Worker<'a>,
    idle: Idle,
    /// What is handed over next.
    batch: Vec<Io>,
    /// What has completed and isn't accounted for yet.
    done: Vec<Done>,
    waits: WaitStatistics,
    dots: Dots,
    pacing: Option<Pacing>,
    fresh: Option<Fresh>,
    /// Bounds what is handed over at a time while latencies are measured; `None` = they aren't.
    look_aside: Option<LookAside>,
    /// Bounds it while they aren't; `None` = they are, or there is nothing to bound.
    share: Option<Share>,
    /// The most I/Os that are handed over at a time.
    most: usize,
    /// The last start stamp.
    handed_over: Nanos,
    /// Whether stamps are taken. Without latencies, intervals and log no clock is read per I/O.
    timed: bool,
    /// The thread itself does one I/O after the other, in the order of the requests.
    synchronous: bool,
    /// The log counts from here.
    start_signal: Nanos,
}

impl<'a> Loop<'a> {
    /// Limits count from now on.
    fn new(worker: Worker<'a>, span: &SpanPlan) -> Loop<'a> {
        let plan = worker.plan;
        let depth = plan.depth as usize;
        let measured = span.is_timed();
        // A virtual clock costs nothing, and tells the phase.
        let virtual_time = matches!(worker.phases, Phases::Scheduled(_));
        let now = worker.clock.now();
        let synchronous = plan.engine.is_synchronous();
        Loop {
            idle: Idle::all(plan.depth),
            batch: Vec::with_capacity(depth),
            done: Vec::with_capacity(depth),
            waits: WaitStatistics::default(),
            dots: Dots { every: span.progress, until_next: span.progress },
            pacing: Pacing::new(plan, now),
            fresh: Fresh::new(plan),
            look_aside: (measured && !synchronous).then(LookAside::new),
            share: (!measured && !synchronous).then(|| Share::new(plan.depth)),
            most: match (synchronous, measured) {
                (true, _) => 1,
                (false, true) => LookAside::new().most(),
                (false, false) => usize::MAX,
            },
            handed_over: 0,
            timed: measured || virtual_time || worker.log.is_some(),
            synchronous,
            start_signal: worker.phases.start_signal(),
            worker,
        }
    }

    fn turns(&mut self) -> Result<(), Failed> {
        loop {
            let due = self.fill();
            self.hand_over()?;
            self.collect(due)?;
            // When nothing has completed no stamp is needed, but the virtual clock has to tell the phase.
            let stamp = self.timed && (!self.done.is_empty() || self.virtual_time());
            let now = if stamp { self.worker.clock.now() } else { 0 };
            let phase = self.worker.phases.at(now);
            if phase == Phase::Stop {
                return Ok(());
            }
            let done = std::mem::take(&mut self.done);
            let accounted = self.account(&done, phase, now);
            self.done = done;
            if let Err(first) = accounted {
                return Err(self.drain(first));
            }
            self.done.clear();
        }
    }

    /// Draws the next I/Os of idle requests, as many as may go now. Returns when the next one may, if it is a limit
    /// that keeps all that are left.
    #[inline]
    fn fill(&mut self) -> Option<Nanos> {
        self.batch.clear();
        if self.pacing.is_some() {
            return self.fill_paced();
        }
        let Worker { requests, workload, .. } = &mut self.worker;
        requests.next_batch(workload, self.idle.take(self.most), &mut self.batch);
        None
    }

    /// Looks at every idle request, in order; those that have to wait go back to the end.
    fn fill_paced(&mut self) -> Option<Nanos> {
        let Worker { requests, workload, clock, .. } = &mut self.worker;
        let pacing = self.pacing.as_mut()?;
        let now = clock.now();
        let mut first = Nanos::MAX;
        for _ in 0..self.idle.len() {
            if self.batch.len() == self.most {
                return None;
            }
            let request = self.idle.pop()?;
            match pacing.ask(request, now) {
                Ok(()) => self.batch.push(requests.next(workload, request)),
                Err(due) => {
                    first = first.min(due);
                    self.idle.push(request);
                }
            }
        }
        Some(first)
    }

    /// Hands the batch over. The start stamp is read right before each handing over, once for all I/Os in it; what
    /// writes carry is made after it.
    #[inline]
    fn hand_over(&mut self) -> Result<(), EngineError> {
        let Worker { engine, clock, requests, .. } = &mut self.worker;
        let mut batch = &self.batch[..];
        let mut fresh = self.fresh.as_mut();
        while !batch.is_empty() {
            if self.timed {
                let now = clock.now();
                self.handed_over = now;
                batch.iter().for_each(|io| requests.flights[io.request as usize].started = now);
            }
            if let Some(fresh) = fresh.take() {
                fresh.prepare(batch, &requests.flights, engine.buffer());
            }
            let taken = engine.submit(batch)?;
            batch = &batch[taken..];
            if !batch.is_empty() {
                engine.wait(1, TICK, &mut self.done)?;
            }
        }
        Ok(())
    }

    /// Gets completions: waits for them when every request is in flight, or until the next one may go; looks for them
    /// in passing when there is more to hand over.
    #[inline]
    fn collect(&mut self, due: Option<Nanos>) -> Result<(), EngineError> {
        if (self.idle.is_empty() || self.synchronous) && self.pacing.is_none() {
            self.waits.completion_waits += u64::from(!self.synchronous);
            self.wait_until(Nanos::MAX)?;
            self.divide();
            return Ok(());
        }
        self.collect_some(due)
    }

    fn collect_some(&mut self, due: Option<Nanos>) -> Result<(), EngineError> {
        if self.pacing.as_ref().is_some_and(Pacing::burst_ended) {
            // The pause begins when the kernel has the last I/O.
            self.look()?;
            let now = self.worker.clock.now();
            self.pacing.iter_mut().for_each(|pacing| pacing.handed_over(now));
            return Ok(());
        }
        let handed_over = !self.batch.is_empty();
        match due {
            _ if self.idle.is_empty() || (self.synchronous && handed_over) => {
                self.waits.completion_waits += u64::from(!self.synchronous);
                self.wait_until(Nanos::MAX)
            }
            // While latencies are measured, whatever was handed over is followed by a look.
            Some(due) if !handed_over || self.look_aside.is_none() => self.wait_for_turn(due),
            _ => self.look(),
        }
    }

    /// Waits until `due`, when the next request may go, or until something has completed.
    fn wait_for_turn(&mut self, due: Nanos) -> Result<(), EngineError> {
        if self.idle.len() == self.worker.plan.depth as usize {
            self.waits.throttle_sleeps += 1;
            self.sleep_until(due);
            return Ok(());
        }
        self.waits.throttle_waits += 1;
        self.wait_until(due)
    }

    /// Hands over what the engine still holds and takes what has completed, without waiting for it. While latencies are
    /// measured and requests are left that is a look-aside.
    fn look(&mut self) -> Result<(), EngineError> {
        let before = self.done.len();
        self.worker.engine.wait(0, Duration::ZERO, &mut self.done)?;
        if let Some(bound) = self.look_aside.as_mut().filter(|_| !self.idle.is_empty()) {
            bound.took(self.batch.len(), self.worker.clock.now() - self.handed_over);
            self.most = bound.most();
            self.waits.lookasides += 1;
            self.waits.lookaside_completions[(self.done.len() - before).min(7)] += 1;
        }
        self.divide();
        Ok(())
    }

    /// Decides by what has just completed how much is handed over next, when no latencies are measured.
    #[inline]
    fn divide(&mut self) {
        if let Some(share) = &self.share {
            let in_flight = self.worker.plan.depth as usize - self.idle.len();
            self.most = share.most(self.done.len(), in_flight);
        }
    }

    /// Waits until something has completed, but no longer than until `due`; returns with nothing when the span is over.
    #[inline]
    fn wait_until(&mut self, due: Nanos) -> Result<(), EngineError> {
        loop {
            let timeout = match due {
                Nanos::MAX => TICK,
                due => Duration::from_nanos(due.saturating_sub(self.worker.clock.now())).min(TICK),
            };
            // What was completed before, because the queue was full, is not to wait for more.
            let least = usize::from(self.done.is_empty());
            self.worker.engine.wait(least, timeout, &mut self.done)?;
            if !self.done.is_empty() || self.is_over(due) {
                return Ok(());
            }
        }
    }

    /// Sleeps until `due`, nothing being in flight, or until the span is over.
    fn sleep_until(&self, due: Nanos) {
        while !self.is_over(due) {
            let tick = self.worker.clock.now() + TICK.as_nanos() as Nanos;
            self.worker.clock.sleep_until(due.min(tick));
        }
    }

    fn is_over(&self, due: Nanos) -> bool {
        let now = self.worker.clock.now();
        now >= due || self.worker.phases.at(now) == Phase::Stop
    }

    #[inline]
    fn virtual_time(&self) -> bool {
        matches!(self.worker.phases, Phases::Scheduled(_))
    }

    /// Counts completions that were reaped at `now`; their requests are idle again. Stops at the first one that
    /// failed, and returns its index.
    #[inline]
    fn account(&mut self, done: &[Done], phase: Phase, now: Nanos) -> Result<(), usize> {
        let failed = done.iter().position(|completed| completed.result < 0);
        let well = &done[..failed.unwrap_or(done.len())];
        let Worker { requests, recorder, live, log, console, phases, .. } = &mut self.worker;
        if phase == Phase::Measure {
            let since_start = if self.timed { now.saturating_sub(phases.measure_start()) } else { 0 };
            recorder.count(well.iter().map(|completed| {
                let flight = &requests.flights[completed.request as usize];
                let bytes = completed.result as u64;
                Completion {
                    target: flight.target as usize,
                    direction: flight.io.direction,
                    bytes,
                    short: bytes < u64::from(flight.io.length),
                    latency: now.saturating_sub(flight.started),
                    since_start,
                }
            }));
        }
        self.idle.extend(well);
        if let Some(live) = live {
            live.add(well.len() as u64, well.iter().map(|completed| completed.result as u64).sum());
        }
        if self.dots.every > 0 {
            console.dots(self.dots.after(well.len() as u32));
        }
        if log.is_some() || live.is_some_and(Counters::has_latencies) {
            self.tell(well, now);
        }
        failed.map_or(Ok(()), Err)
    }

    /// Tells those who look at single I/Os.
    fn tell(&mut self, well: &[Done], now: Nanos) {
        let Worker { plan, requests, live, log, .. } = &mut self.worker;
        for completed in well {
            let flight = &requests.flights[completed.request as usize];
            let latency = now.saturating_sub(flight.started);
            if let Some(live) = live {
                live.add_latency(latency);
            }
            if let Some(log) = log {
                log.push(Entry {
                    target: plan.targets[flight.target as usize].target as u32,
                    direction: flight.io.direction,
                    offset: flight.io.offset,
                    size: completed.result as u32,
                    start: flight.started.saturating_sub(self.start_signal),
                    latency,
                });
            }
        }
    }
}

/// Counts down to the next progress dot.
struct Dots {
    every: u32,
    until_next: u32,
}

impl Dots {
    /// How many dots so many more I/Os are worth.
    fn after(&mut self, mut ios: u32) -> u32 {
        let mut dots = 0;
        while ios >= self.until_next {
            ios -= self.until_next;
            self.until_next = self.every;
            dots += 1;
        }
        self.until_next -= ios;
        dots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dot_falls_due_after_every_so_many_ios_whatever_the_batches() {
        let mut dots = Dots { every: 10, until_next: 10 };
        let due: Vec<u32> = [9, 1, 0, 25, 4, 1].into_iter().map(|ios| dots.after(ios)).collect();
        assert_eq!(due, [0, 1, 0, 2, 0, 1]);
    }
}
