//! THE worker loop: fill, hand over, collect, account.
//!
//! ```text
//!      idle requests
//!   ┌─▶ fill ───────▶ hand over ──▶ collect ────────────────▶ account ─┐
//!   │   draw what     stamp,        wait, poll, or sleep       stamp,  │
//!   │   may go        submit        until the next may go      count   │
//!   └──────────────────────────────────────────────────────────────────┘
//! ```

mod books;
mod failure;
mod fresh;
mod idle;
mod look_aside;
mod pacing;
mod requests;
mod routines;
mod share;
mod unfinished;

use super::console::Console;
use super::control::{Control, Phase};
use super::failure::Failure;
use super::io_log::{Entry, Producer};
use super::live::Counters;
use super::recorder::{Completion, OnTime, seconds};
use crate::clock::{Clock, Nanos};
use crate::engine::{Done, Engine, EngineError, Io};
use crate::plan::{SpanPlan, WorkerPlan};
use crate::results::{EngineUse, IoErrors, ThreadResults, WaitStatistics};
use crate::sys::lent::{Heir, Owner};
use crate::workload::ThreadWorkload;
pub use books::{Books, StuckIo};
use failure::Failed;
use fresh::Fresh;
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
    /// What it has in flight and what it has counted: put down whenever it calls its engine, which may not come back.
    pub books: Owner<Books>,
    /// Who gets them then; taken out by whoever started the worker.
    pub heir: Option<Heir<Books>>,
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
    /// Unless the user wants it to end.
    Scheduled(Schedule, &'a Control),
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
            Phases::Scheduled(_, control) if control.is_interrupted() => Phase::Stop,
            Phases::Scheduled(s, _) if now < s.measure => Phase::Warmup,
            Phases::Scheduled(s, _) if now < s.cooldown => Phase::Measure,
            Phases::Scheduled(s, _) if now < s.stop => Phase::Cooldown,
            Phases::Scheduled(..) => Phase::Stop,
        }
    }

    /// When the start signal was given.
    fn start_signal(&self) -> Nanos {
        match self {
            Phases::Controlled(control) => control.start_signal(),
            Phases::Scheduled(..) => 0,
        }
    }

    #[inline]
    fn measure_start(&self) -> Nanos {
        match self {
            Phases::Controlled(control) => control.measure_start(),
            Phases::Scheduled(schedule, _) => schedule.measure,
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
        // The engine drains before anything else is given back.
        self.work(span, |outcome, _| outcome)
    }

    /// The same; what came of it is handed in, with the I/Os that are still in flight, before the engine waits for those.
    pub fn work<T>(self, span: &SpanPlan, hand_in: impl FnOnce(Outcome, Vec<StuckIo>) -> T) -> T {
        let mut work = Loop::new(self, span);
        let ended = if work.worker.plan.routines { work.routines() } else { work.turns() };
        if !work.worker.books.pick_up() {
            lost();
        }
        let failure = ended.err().map(|failed| work.explain(failed));
        work.measuring_ended();
        let engine = work.worker.engine_use();
        let unfinished = work.unfinished();
        work.settle();
        let in_flight = work.in_flight();
        let Loop { mut worker, waits, .. } = work;
        let Some(books) = worker.books.get() else { lost() };
        let (mut results, errors) = books.recorder.finish();
        results.engine = Some(engine);
        results.targets.iter_mut().zip(unfinished).for_each(|(target, ages)| target.unfinished = ages);
        results.wait = span.wait_statistics.then_some(waits);
        let handed_in = hand_in(Outcome { results, errors, failure }, in_flight);
        drop(worker.engine);
        handed_in
    }
}

/// The controlling thread has taken the books, because this one was stuck: it is about to end the process.
#[cold]
fn lost() -> ! {
    loop {
        std::thread::park();
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
    /// Idle requests that are left when the batch is full: known also while the books are put down.
    left: usize,
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
    /// Single I/Os are looked at: by the log, by the live line, or because they had a time to start at.
    tells: bool,
    /// Nothing has come back since then, which was found out by waiting in vain; `None` = something has.
    silent_since: Option<Nanos>,
    /// Target and age (ns) of what came back in the cool-down and was in flight when measuring ended.
    late: Vec<(u32, Nanos)>,
    /// Requests that stopped (`-x`).
    given_up: Vec<u32>,
}

impl<'a> Loop<'a> {
    /// Limits count from now on.
    fn new(worker: Worker<'a>, span: &SpanPlan) -> Loop<'a> {
        let plan = worker.plan;
        let depth = plan.depth as usize;
        let measured = span.is_timed();
        // A virtual clock costs nothing, and tells the phase.
        let virtual_time = matches!(worker.phases, Phases::Scheduled(..));
        let now = worker.clock.now();
        let synchronous = plan.engine.is_synchronous();
        Loop {
            left: plan.depth as usize,
            batch: Vec::with_capacity(depth),
            done: Vec::with_capacity(depth),
            waits: WaitStatistics::default(),
            dots: Dots { every: span.progress, until_next: span.progress },
            tells: worker.log.is_some()
                || worker.live.is_some_and(Counters::has_latencies)
                || plan.is_limited(),
            pacing: Pacing::new(plan, now, seconds(span.duration)),
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
            silent_since: None,
            late: Vec::with_capacity(depth),
            given_up: Vec::new(),
            worker,
        }
    }

    fn turns(&mut self) -> Result<(), Failed> {
        loop {
            let due = self.fill();
            self.hand_over()?;
            self.collect(due)?;
            if !self.worker.books.pick_up() {
                return Ok(());
            }
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
        let Worker { books, workload, .. } = &mut self.worker;
        let books = books.get()?;
        books.requests.next_batch(workload, books.idle.take(self.most), &mut self.batch);
        self.left = books.idle.len();
        None
    }

    /// Looks at every idle request, in order; those that have to wait go back to the end.
    fn fill_paced(&mut self) -> Option<Nanos> {
        let Worker { books, workload, clock, .. } = &mut self.worker;
        let Books { requests, idle, .. } = books.get()?;
        let pacing = self.pacing.as_mut()?;
        let now = clock.now();
        let mut first = Some(Nanos::MAX);
        for _ in 0..idle.len() {
            if self.batch.len() == self.most {
                first = None;
                break;
            }
            let Some(request) = idle.pop() else { break };
            match pacing.ask(request, now) {
                Ok(()) => {
                    self.batch.push(requests.next(workload, request));
                    // What stands if no stamps are taken.
                    requests.flights[request as usize].started = now;
                }
                Err(due) => {
                    first = first.map(|first| first.min(due));
                    idle.push(request);
                }
            }
        }
        self.left = idle.len();
        first
    }

    /// Hands the batch over. The start stamp is read right before each handing over, once for all I/Os in it; what
    /// writes carry is made after it. The books are put down afterwards.
    #[inline]
    fn hand_over(&mut self) -> Result<(), EngineError> {
        let Worker { engine, clock, books, .. } = &mut self.worker;
        let mut batch = &self.batch[..];
        let mut fresh = self.fresh.as_mut();
        while !batch.is_empty() {
            // When they are lost the span is over.
            let Some(Books { requests, .. }) = books.get() else { return Ok(()) };
            if self.timed {
                let now = clock.now();
                self.handed_over = now;
                batch.iter().for_each(|io| requests.flights[io.request as usize].started = now);
            }
            if let Some(fresh) = fresh.take() {
                fresh.prepare(batch, &requests.flights, &mut **engine);
            }
            books.put_down();
            let taken = engine.submit(batch)?;
            batch = &batch[taken..];
            if batch.is_empty() {
                return Ok(());
            }
            engine.wait(1, TICK, &mut self.done)?;
            books.pick_up();
        }
        books.put_down();
        Ok(())
    }

    /// Gets completions: waits for them when every request is in flight, or until the next one may go; looks for them
    /// in passing when there is more to hand over.
    #[inline]
    fn collect(&mut self, due: Option<Nanos>) -> Result<(), EngineError> {
        if (self.left == 0 || self.synchronous) && self.pacing.is_none() {
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
            _ if self.left == 0 || (self.synchronous && handed_over) => {
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
        if self.left == self.worker.plan.depth as usize {
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
        if let Some(bound) = self.look_aside.as_mut().filter(|_| self.left > 0) {
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
            let in_flight = self.worker.plan.depth as usize - self.left;
            self.most = share.most(self.done.len(), in_flight);
        }
    }

    /// Waits until something has completed, but no longer than until `due`; returns with nothing when the span is over.
    #[inline]
    fn wait_until(&mut self, due: Nanos) -> Result<(), EngineError> {
        let mut silent_since = None;
        loop {
            let timeout = match due {
                Nanos::MAX => TICK,
                due => Duration::from_nanos(due.saturating_sub(self.worker.clock.now())).min(TICK),
            };
            // What was completed before, because the queue was full, is not to wait for more.
            let least = usize::from(self.done.is_empty());
            self.worker.engine.wait(least, timeout, &mut self.done)?;
            if !self.done.is_empty() {
                return Ok(());
            }
            let since = *silent_since.get_or_insert_with(|| self.worker.clock.now());
            if self.is_over(due) {
                self.silent_since = (due == Nanos::MAX).then_some(since);
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
        matches!(self.worker.phases, Phases::Scheduled(..))
    }

    /// Counts completions that were reaped at `now`; their requests are idle again. Stops at the first one that
    /// failed, and returns its index.
    #[inline]
    fn account(&mut self, done: &[Done], phase: Phase, now: Nanos) -> Result<(), usize> {
        let failed = done.iter().position(|completed| completed.result < 0);
        let well = &done[..failed.unwrap_or(done.len())];
        let Worker { books, live, console, phases, .. } = &mut self.worker;
        let Some(Books { requests, idle, recorder }) = books.get() else { return Ok(()) };
        let since_start = if self.timed { now.saturating_sub(phases.measure_start()) } else { 0 };
        if phase == Phase::Measure {
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
        } else if phase == Phase::Cooldown && self.timed {
            unfinished::completed_late(&mut self.late, requests, phases, well);
        }
        idle.extend(well);
        if let Some(live) = live {
            live.add(well.len() as u64, well.iter().map(|completed| completed.result as u64).sum());
        }
        if self.dots.every > 0 {
            console.dots(self.dots.after(well.len() as u32));
        }
        if self.tells {
            self.tell(well, now);
            self.keep_time(well, phase, now, since_start);
        }
        failed.map_or(Ok(()), Err)
    }

    /// Tells those who look at single I/Os.
    fn tell(&mut self, well: &[Done], now: Nanos) {
        let Worker { plan, books, live, log, .. } = &mut self.worker;
        let Some(Books { requests, .. }) = books.get() else { return };
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
                    due: self
                        .pacing
                        .as_ref()
                        .and_then(|pacing| pacing.due(completed.request))
                        .map(|due| due.saturating_sub(self.start_signal)),
                });
            }
        }
    }

    /// Counts how late the I/Os started that had a time to start at.
    fn keep_time(&mut self, well: &[Done], phase: Phase, now: Nanos, since_start: Nanos) {
        let Some(pacing) = &self.pacing else { return };
        match phase {
            Phase::Measure => {}
            Phase::Cooldown => return self.measuring_ended(),
            Phase::Warmup | Phase::Stop => return,
        }
        let Some(Books { requests, recorder, .. }) = self.worker.books.get() else { return };
        for completed in well {
            let Some(due) = pacing.due(completed.request) else { continue };
            let flight = &requests.flights[completed.request as usize];
            recorder.count_on_time(OnTime {
                target: flight.target as usize,
                direction: flight.io.direction,
                delay: flight.started.saturating_sub(due),
                response: now.saturating_sub(due),
                since_start,
            });
        }
    }

    /// The I/Os that were due by now and were not handed over are in no other figure.
    #[cold]
    fn measuring_ended(&mut self) {
        let Worker { books, clock, phases, .. } = &mut self.worker;
        let Some(Books { recorder, .. }) = books.get() else { return };
        let begin = phases.measure_start();
        // Ended in the warm-up: there was no measured time.
        let Some(pacing) = self.pacing.as_mut().filter(|_| begin >= self.start_signal) else { return };
        for (target, ios, nanos) in pacing.close(begin, clock.now()) {
            recorder.overdue(target, ios, nanos);
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
