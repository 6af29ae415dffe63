//! The worker loop: fill, submit, collect, account. It includes the communication with the controlling
//! thread ([`control`]), and progress reports ([`telemetry`], [`listener`]).
//!
//! ```text
//!      idle requests
//!   ┌─▶ fill ───────▶ submit ─────▶ collect ────────────────▶ account ─┐
//!   │   draw what     stamp,        wait, poll, or sleep       stamp,  │
//!   │   may go        submit        until the next may go      count   │
//!   └──────────────────────────────────────────────────────────────────┘
//! ```
//!
//! A worker does not allocate, format, lock or log between the start signal and the end of a time span.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod account;
mod aux_batches;
mod aux_operations;
mod batches;
mod causes;
mod collect;
pub mod control;
mod counting;
mod drain;
mod drain_timeout;
mod exact;
mod failed_io;
mod failure;
mod flushes;
mod flushing;
pub mod handoff;
mod idle;
mod ledger;
pub mod listener;
mod outcome;
mod pacing;
mod payload_refill;
mod phases;
mod progress_dots;
mod quota;
pub mod recorder;
mod requests;
mod routines;
pub mod run_reporter;
mod single;
pub mod slowest;
mod state;
pub mod telemetry;
#[cfg(test)]
mod tests;
mod unfinished;
mod verifying;
mod volume_quota;
mod zones;
mod zoning;

use crate::recorder::seconds;
use crate::telemetry::io_log::Producer;
use crate::telemetry::live::Counters;
use aux_operations::AuxOperations;
use batches::Batches;
pub use control::Control;
use control::Phase;
use counting::Counting;
use diskspd_engine::{Engine, EngineError, Io};
use diskspd_integrity::SectorChecker;
use diskspd_plan::workload::ThreadWorkload;
use diskspd_plan::{SpanPlan, WorkerPlan};
use diskspd_results::{EngineUse, IoErrors, ThreadResults, WaitStatistics};
use diskspd_sys::clock::{Clock, Nanos};
use diskspd_sys::handover_cell::{HandoverOwner, Rescuer};
pub use exact::CountedEngine;
use failed_io::WorkerError;
pub use failure::{WorkerFailure, by_cause};
use flushes::Flushes;
pub use ledger::{StuckIo, WorkerLedger};
pub use outcome::{Outcome, SpanOutcome};
use pacing::Pacing;
use payload_refill::WriteDataGenerator;
pub use phases::{Phases, Schedule};
use progress_dots::Dots;
pub use quota::VolumeQuota;
use quota::WorkerQuota;
pub use requests::Requests;
pub use run_reporter::RunReporter;
pub use slowest::{Slowest, SlowestRings};
use state::{TICK, WorkerLoop};
use std::sync::Arc;
use zones::Zones;

/// All data of a worker, created in its own thread on its own CPU.
pub struct Worker<'a> {
    pub plan: &'a WorkerPlan,
    pub engine: Box<dyn Engine>,
    pub checker: Option<SectorChecker<'a>>,
    pub workload: ThreadWorkload,
    /// I/Os in flight and counters; released during each engine call, which may not return.
    pub books: HandoverOwner<WorkerLedger>,
    pub heir: Option<Rescuer<WorkerLedger>>,
    pub clock: Clock,
    pub phases: Phases<'a>,
    pub live: Option<&'a Counters>,
    pub quota: Option<Arc<VolumeQuota>>,
    pub log: Option<Producer<'a>>,
    /// Buffer for the slowest I/Os (`--explain`).
    pub slowest: Option<Slowest<'a>>,
    /// Reporter of progress dots (`-P`).
    pub voice: &'a RunReporter,
}

#[derive(Debug, Default)]
pub struct WorkerOutcome {
    pub results: ThreadResults,
    pub errors: Vec<IoErrors>,
    pub failure: Option<WorkerFailure>,
}

impl<'a> Worker<'a> {
    /// Does I/O until the phase is [`Phase::Stop`], or something fails. I/O that is in flight at the end is
    /// never counted; the engine sees to it when it is dropped.
    pub fn run(self, span: &SpanPlan) -> WorkerOutcome {
        let mut ended = WorkerOutcome::default();
        self.work(span, &mut |outcome, _| ended = outcome);
        ended
    }

    /// Does the same, and hands in the outcome once, with the I/Os still in flight, before the engine
    /// waits for them. It is not generic, because the loop would then be compiled and optimized at the
    /// call site.
    pub fn work(self, span: &SpanPlan, hand_in: &mut dyn FnMut(WorkerOutcome, Vec<StuckIo>)) {
        let (mut work, mut owner) = WorkerLoop::new(self, span);
        // Decided here, so that the loop without has not a single instruction more.
        let ended = match (work.others.is_some(), work.checker.is_some()) {
            _ if work.plan.routines => work.routines(&mut owner),
            (false, false) if work.is_single() => match work.timed {
                true => work.single::<true>(&mut owner),
                false => work.single::<false>(&mut owner),
            },
            (false, false) => work.run_turns::<false, false>(&mut owner),
            (true, false) => work.run_turns::<true, false>(&mut owner),
            (false, true) => work.run_turns::<false, true>(&mut owner),
            (true, true) => work.run_turns::<true, true>(&mut owner),
        };
        let Some(books) = owner.pick_up() else { park_forever() };
        let failure = ended.err().map(|failed| work.explain(failed));
        work.measuring_ended(books);
        let engine = work.engine_use();
        let unfinished = work.unfinished(books);
        work.settle(books);
        work.check_rest();
        let in_flight = books.in_flight(work.plan, &work.done, &work.given_up);
        let (mut results, errors) = books.recorder.finish();
        results.engine = Some(engine);
        results.targets.iter_mut().zip(unfinished).for_each(|(target, ages)| target.unfinished = ages);
        results.targets = recorder::whole_targets(work.plan, results.targets);
        work.checker.iter_mut().for_each(|checker| checker.finish(&mut results.targets));
        if let Some(counting) = &work.counting {
            work.waits.wait_completions = counting.completions;
            results.submits = span.ring.is_some().then_some(counting.submits);
        }
        results.wait = span.wait_statistics.then_some(work.waits);
        hand_in(WorkerOutcome { results, errors, failure }, in_flight);
        // Before the books.
        drop(work);
    }
}

/// Ends this stuck worker, because the controlling thread has taken the books and is about to end the
/// process.
#[cold]
fn park_forever() -> ! {
    loop {
        std::thread::park();
    }
}

/// Returns the effective limit of `-oc`. A thread with synchronous I/O takes each completion at its end,
/// and with `-u` all completions are taken.
fn most_taken(plan: &WorkerPlan, span: &SpanPlan) -> usize {
    let bounded = !plan.engine.is_synchronous() && span.ring.is_none();
    span.completion_depth.filter(|_| bounded).map_or(usize::MAX, |depth| depth as usize)
}

fn looks_at_single_ios(plan: &WorkerPlan, live: Option<&Counters>) -> bool {
    plan.is_limited() || plan.counts_misses() || live.is_some_and(Counters::has_latencies)
}

fn takes_stamps(plan: &WorkerPlan, span: &SpanPlan, phases: &Phases) -> bool {
    span.is_timed() || span.stamps || phases.are_virtual() || plan.times_more_than_ios()
}

impl<'a> WorkerLoop<'a> {
    /// Creates the loop. Limits count from now on; the ledger stays with its owner.
    fn new(worker: Worker<'a>, span: &SpanPlan) -> (WorkerLoop<'a>, HandoverOwner<WorkerLedger>) {
        let Worker { plan, engine, mut checker, workload, mut books, clock, phases, live, .. } = worker;
        let (log, slowest, voice) = (worker.log, worker.slowest, worker.voice);
        let quota = worker.quota.map(WorkerQuota::new);
        let (depth, measured) = (plan.depth as usize, span.is_timed());
        let replay = span.replay.as_ref().map(|replay| replay.turns(plan.thread, span.workers.len()));
        let pacing = Pacing::new(plan, replay, phases.times_from(span), seconds(span.duration));
        let (fresh, zones) = (WriteDataGenerator::new(plan, &workload), Zones::new(plan));
        let special = [pacing.is_some(), fresh.is_some(), workload.moves(), quota.is_some(), zones.is_some()];
        let tells = [log.is_some(), slowest.is_some(), quota.is_some()].contains(&true)
            || looks_at_single_ios(plan, live);
        checker.iter_mut().for_each(|checker| checker.starts(phases.start_signal()));
        let work = WorkerLoop {
            left: depth,
            batch: Vec::with_capacity(depth),
            done: Vec::with_capacity(depth),
            waits: WaitStatistics::default(),
            dots: Dots::new(span.progress),
            tells,
            is_watched: tells || live.is_some() || span.progress > 0,
            is_special: special.contains(&true),
            moves: workload.moves(),
            preparing: 0,
            batches: match span.ring {
                Some(_) => Batches::All,
                None => Batches::new(plan.engine.is_synchronous(), depth, measured, fresh.is_some()),
            },
            awaited: span.ring.map_or(1, |ring| ring.batch.entries_for(plan.depth)) as usize,
            most_taken: most_taken(plan, span),
            counting: Counting::new(span),
            pacing,
            flushes: Flushes::new(plan),
            zones,
            others: AuxOperations::new(plan, span.replay.is_some()),
            quota,
            fresh,
            submitted: 0,
            // A virtual clock costs nothing, and tells the phase.
            timed: takes_stamps(plan, span, &phases) || log.is_some(),
            start_signal: phases.start_signal(),
            silent_since: None,
            late: Vec::with_capacity(depth),
            given_up: Vec::new(),
            plan,
            engine,
            checker,
            workload,
            clock,
            phases,
            live,
            log,
            slowest,
            voice,
        };
        if !work.is_special && work.others.is_none() && work.flushes.is_none() {
            books.get().iter_mut().for_each(|books| books.requests.prepare(&work.workload));
        }
        (work, books)
    }

    fn engine_use(&self) -> EngineUse {
        EngineUse {
            name: self.plan.engine.row().name.into(),
            reason: self.plan.reason.into(),
            features: self.engine.info().features,
            clock: self.clock.source(),
        }
    }

    /// Ends when the phase is [`Phase::Stop`], or the books are lost. `OTHERS`: there
    /// are other operations than reads and writes; `VERIFIES`: sectors are stamped and checked.
    fn run_turns<const OTHERS: bool, const VERIFIES: bool>(
        &mut self,
        owner: &mut HandoverOwner<WorkerLedger>,
    ) -> Result<(), WorkerError> {
        let mut held = owner.get();
        while let Some(books) = held {
            if OTHERS && (self.draw_flushes(books) || self.draw_resets(books)) {
                self.submit(owner)?;
                self.collect_flushes()?;
            } else {
                let due = self.fill_queue(books);
                if VERIFIES {
                    self.stamp();
                }
                if OTHERS {
                    self.draw_others(books);
                }
                self.submit(owner)?;
                self.collect(due)?;
            }
            let Some(books) = owner.pick_up() else { return Ok(()) };
            // When nothing has completed no stamp is needed, but the virtual clock has to tell the phase.
            let stamp = self.timed && (!self.done.is_empty() || self.phases.are_virtual());
            let now = if stamp { self.clock.now() } else { 0 };
            let phase = self.phases.phase_at(now);
            if let Some(counting) = &mut self.counting {
                counting.count(&self.waits, self.done.len().min(self.most_taken), phase);
            }
            if phase == Phase::Stop {
                return Ok(());
            }
            let mut done = std::mem::take(&mut self.done);
            if OTHERS && let Err(failed) = self.count_others(books, &mut done, phase, now) {
                self.done = done;
                return Err(failed);
            }
            let taken = done.len().min(self.most_taken);
            let accounted = self.account(books, &done[..taken], phase, now);
            if VERIFIES {
                self.check(&done[..taken]);
            }
            if OTHERS && accounted.is_ok() {
                self.count_writes(books, &done[..taken]);
            }
            self.done = done;
            if let Err(first) = accounted {
                return Err(self.drain(books, first));
            }
            // Nearly always all of them, and then there is nothing to move.
            match taken == self.done.len() {
                true => self.done.clear(),
                false => drop(self.done.drain(..taken)),
            }
            held = Some(books);
        }
        Ok(())
    }

    #[inline(never)]
    fn fill_queue(&mut self, books: &mut WorkerLedger) -> Option<Nanos> {
        if self.is_special {
            self.batch.clear();
            let due = self.fill_constrained(books);
            self.place_in_zones(books);
            return due;
        }
        self.fill_unconstrained(books);
        None
    }

    #[inline(always)]
    fn fill_unconstrained(&mut self, books: &mut WorkerLedger) {
        let requests = books.idle.take(self.batches.max_batch());
        match requests {
            // With completion routines and on a slow device nearly every batch is a single I/O.
            [request] => {
                let io = books.requests.next(&mut self.workload, *request);
                self.batch.clear();
                self.batch.push(io);
            }
            _ => books.requests.fill(&mut self.workload, requests, &mut self.batch),
        }
        self.left = books.idle.len();
        debug_assert!(self.batch.len() + self.left <= self.plan.depth as usize);
    }

    /// Fills a batch if I/Os have to wait for their time, or if their content is generated.
    #[inline(never)]
    fn fill_constrained(&mut self, books: &mut WorkerLedger) -> Option<Nanos> {
        if self.moves {
            self.workload.move_to(self.clock.now().saturating_sub(self.start_signal));
        }
        if self.quota.is_some() && !self.may_draw(books) {
            self.left = books.idle.len();
            return Some(self.clock.now() + quota::NAP);
        }
        if self.pacing.as_ref().is_some_and(Pacing::replays) {
            return self.fill_recorded(books);
        }
        match (&mut self.fresh, &self.pacing) {
            (None, None) if self.quota.is_none() => {
                self.fill_unconstrained(books);
                None
            }
            (_, None) if self.quota.is_some() => {
                self.fill_by_quota(books);
                None
            }
            (_, None) => {
                let before = self.clock.now();
                let requests = books.idle.take(self.batches.max_batch());
                self.draw_ios(&mut books.requests, requests);
                self.left = books.idle.len();
                self.preparing = self.clock.now().saturating_sub(before);
                None
            }
            (None, Some(_)) => self.fill_paced(books),
            (Some(_), Some(_)) => {
                let before = self.clock.now();
                let due = self.fill_paced(books);
                self.preparing = self.clock.now().saturating_sub(before);
                due
            }
        }
    }

    /// Draws the next I/Os of these requests, and generates their content.
    fn draw_ios(&mut self, requests: &mut Requests, idle: &[u32]) {
        match &mut self.fresh {
            Some(fresh) => {
                let (workload, engine) = (&mut self.workload, &mut *self.engine);
                fresh.next_batch(requests, workload, engine, idle, &mut self.batch);
            }
            None => {
                let next = |request: &u32| requests.next_outlined(&mut self.workload, *request);
                self.batch.extend(idle.iter().map(next));
            }
        }
    }

    /// Submits I/Os sequentially while the quota lasts.
    fn fill_by_quota(&mut self, books: &mut WorkerLedger) {
        let before = self.clock.now();
        while self.batch.len() < self.batches.max_batch()
            && self.quota.as_ref().is_some_and(WorkerQuota::has_room)
            && !books.idle.is_empty()
        {
            let requests = books.idle.take(1);
            self.draw_ios(&mut books.requests, requests);
            let drawn = self.batch.last().copied();
            if let (Some(share), Some(io)) = (&self.quota, drawn) {
                share.note_drawn(io.op.direction(), io.length);
            }
        }
        self.left = books.idle.len();
        self.preparing = self.clock.now().saturating_sub(before);
    }

    fn fill_paced(&mut self, books: &mut WorkerLedger) -> Option<Nanos> {
        let WorkerLedger { requests, idle, .. } = books;
        let pacing = self.pacing.as_mut()?;
        let now = self.clock.now();
        let mut first = Some(Nanos::MAX);
        for _ in 0..idle.len() {
            if self.batch.len() == self.batches.max_batch() {
                first = None;
                break;
            }
            if self.quota.as_ref().is_some_and(|share| !share.has_room()) {
                break;
            }
            let Some(request) = idle.pop() else { break };
            match pacing.ask(request, now) {
                Ok(()) => {
                    let io = requests.next_outlined(&mut self.workload, request);
                    if let Some(share) = &self.quota {
                        share.note_drawn(io.op.direction(), io.length);
                    }
                    self.batch.push(io);
                    // What stands if no stamps are taken.
                    let flight = &mut requests.flights[request as usize];
                    flight.started = now;
                    if let Some(fresh) = &mut self.fresh {
                        fresh.make(flight, self.workload.generator(), self.engine.memory_mut());
                    }
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

    /// Submits the next due recorded I/Os in order.
    fn fill_recorded(&mut self, books: &mut WorkerLedger) -> Option<Nanos> {
        let WorkerLedger { requests, idle, .. } = books;
        let pacing = self.pacing.as_mut()?;
        let now = self.clock.now();
        let mut next = Some(Nanos::MAX);
        while let Some(request) = (self.batch.len() < self.batches.max_batch()).then(|| idle.pop()).flatten()
        {
            match pacing.recorded(request, now) {
                Ok((io, op)) => {
                    self.batch.push(requests.recorded(&io, op, request));
                    let flight = &mut requests.flights[request as usize];
                    flight.started = now;
                    if let Some(fresh) = &mut self.fresh {
                        fresh.make(flight, self.workload.generator(), self.engine.memory_mut());
                    }
                }
                Err(due) => {
                    next = Some(due);
                    idle.push(request);
                    break;
                }
            }
        }
        if self.batch.len() == self.batches.max_batch() {
            next = None;
        }
        self.left = idle.len();
        next
    }

    /// Submits the batch. The start stamp is read right before each system call, once for all I/Os in it. The
    /// ledger is released afterwards.
    #[inline]
    fn submit(&mut self, owner: &mut HandoverOwner<WorkerLedger>) -> Result<(), EngineError> {
        let mut batch = &self.batch[..];
        // How long it takes decides how much goes next.
        let watched = self.left > 0 && !self.batches.is_single();
        while !batch.is_empty() {
            // When they are lost the span is over.
            let Some(WorkerLedger { requests, .. }) = owner.get() else { return Ok(()) };
            if self.timed || watched {
                self.submitted = self.clock.now();
            }
            if self.timed {
                let (flights, now) = (&mut requests.flights[..], self.submitted);
                let mut stamp = |io: &Io| flights[io.request as usize].started = now;
                let (fours, rest) = batch.as_chunks::<4>();
                fours.iter().for_each(|four| four.iter().for_each(&mut stamp));
                rest.iter().for_each(stamp);
            }
            owner.put_down();
            let taken = self.engine.submit(batch)?;
            batch = &batch[taken..];
            if batch.is_empty() {
                return Ok(());
            }
            self.engine.wait(1, TICK, &mut self.done)?;
            owner.pick_up();
        }
        owner.put_down();
        Ok(())
    }
}
