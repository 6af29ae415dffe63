//! Discards (`--trim`): some of the I/Os that were drawn are discards of the same blocks instead. They take
//! their turn and their places in the queue as all others do, and are counted by themselves.

use super::failure::Failed;
use super::{Books, Loop, TICK};
use crate::control::Phase;
use crate::tell::io_log::Entry;
use diskspd_engine::{Done, EngineError};
use diskspd_model::plan::{Trim, TrimWay, WorkerPlan};
use diskspd_model::workload::Random;
use diskspd_sys::clock::Nanos;
use diskspd_sys::lent::Owner;
use diskspd_sys::problem::usual_cause;

/// Sets the seeds of discards apart from those of addresses.
const TRIMS: u64 = u64::from_be_bytes(*b"discards");

/// Which I/Os are discards.
#[derive(Debug)]
pub struct Trims {
    /// Of each entry of the worker's list.
    targets: Vec<Option<Trim>>,
    /// Recorded I/Os are done (`--replay`), of which the books say which are discards.
    recorded: bool,
    /// Of their own: addresses and directions are the same with and without discards.
    random: Random,
    /// Of each I/O in the batch; `None` = it reads or writes.
    batch: Vec<Option<TrimWay>>,
    /// Discards that have ended, while they are counted.
    ended: Vec<Done>,
}

impl Trims {
    /// `None` = nothing is ever discarded.
    pub fn new(plan: &WorkerPlan, recorded: bool) -> Option<Trims> {
        let targets: Vec<Option<Trim>> = plan.targets.iter().map(|target| target.trim).collect();
        let depth = plan.depth as usize;
        targets.iter().any(Option::is_some).then(|| Trims {
            targets,
            recorded,
            random: Random::new(TRIMS ^ (plan.seed << 32)),
            batch: Vec::with_capacity(depth),
            ended: Vec::with_capacity(depth),
        })
    }

    /// How the next I/O on a target is a discard; `None` = it is none. Where all are, nothing is drawn.
    fn draw(&mut self, target: u32) -> Option<TrimWay> {
        let trim = self.targets[target as usize]?;
        (trim.percent >= 100 || self.random.chance(trim.percent)).then_some(trim.way)
    }
}

impl Loop<'_> {
    /// Decides which I/Os of the batch are discards; false = none is.
    #[inline]
    pub(super) fn draw_trims(&mut self, books: &mut Books) -> bool {
        let Some(trims) = &mut self.trims else { return false };
        trims.batch.clear();
        let mut any = false;
        for io in &self.batch {
            let target = books.requests.flights[io.request as usize].target;
            let is_trim = &mut books.trims[io.request as usize];
            let way = match trims.recorded {
                true => trims.targets[target as usize].filter(|_| *is_trim).map(|trim| trim.way),
                false => trims.draw(target),
            };
            *is_trim = way.is_some();
            trims.batch.push(way);
            any |= way.is_some();
        }
        any
    }

    /// Hands the batch over in its order, reads and writes together as far as no discard stands between
    /// them. The start stamp is read right before, once for all that are left; the books are put down
    /// afterwards.
    pub(super) fn hand_over_with_trims(&mut self, owner: &mut Owner<Books>) -> Result<(), EngineError> {
        let mut at = 0;
        while at < self.batch.len() {
            // When they are lost the span is over.
            let Some(Books { requests, .. }) = owner.get() else { return Ok(()) };
            let now = self.clock.now();
            self.handed_over = now;
            self.batch[at..].iter().for_each(|io| requests.flights[io.request as usize].started = now);
            owner.put_down();
            at = self.hand_on(at)?;
            if at < self.batch.len() {
                self.engine.wait(1, TICK, &mut self.done)?;
                owner.pick_up();
            }
        }
        owner.put_down();
        Ok(())
    }

    /// Hands over from here on, until the queue is full; returns how far it got.
    fn hand_on(&mut self, from: usize) -> Result<usize, EngineError> {
        let Some(trims) = &self.trims else { return Ok(self.batch.len()) };
        let mut at = from;
        while at < self.batch.len() {
            if let Some(way) = trims.batch[at] {
                self.engine.trim(&self.batch[at], way)?;
                at += 1;
                continue;
            }
            let others = trims.batch[at..].iter().take_while(|way| way.is_none()).count();
            let taken = self.engine.submit(&self.batch[at..at + others])?;
            at += taken;
            if taken < others {
                break;
            }
        }
        Ok(at)
    }

    /// Takes the discards out of what has completed, and counts them.
    pub(super) fn trimmed(
        &mut self,
        books: &mut Books,
        done: &mut Vec<Done>,
        phase: Phase,
        now: Nanos,
    ) -> Result<(), Failed> {
        let Some(trims) = &mut self.trims else { return Ok(()) };
        let mut ended = std::mem::take(&mut trims.ended);
        done.retain(|done| {
            let is_trim = std::mem::take(&mut books.trims[done.request as usize]);
            if is_trim {
                ended.push(*done);
            }
            !is_trim
        });
        let failed = ended.iter().find(|done| done.result < 0).copied();
        let well = ended.iter().filter(|done| done.result >= 0);
        well.for_each(|done| self.count_trim(books, done.request, phase, now));
        ended.clear();
        if let Some(trims) = &mut self.trims {
            trims.ended = ended;
        }
        failed.map_or(Ok(()), |failed| Err(self.trim_failed(books, &failed)))
    }

    /// Counts a discard that ended well; its request is idle again.
    fn count_trim(&mut self, books: &mut Books, request: u32, phase: Phase, now: Nanos) {
        let flight = books.requests.flights[request as usize];
        let latency = now.saturating_sub(flight.started);
        let due = self.pacing.as_ref().and_then(|pacing| pacing.due(request));
        if phase == Phase::Measure {
            books.recorder.trimmed(flight.target as usize, flight.io.length.into(), latency);
            if let Some(due) = due {
                books.recorder.trim_on_time(flight.target as usize, flight.started.saturating_sub(due));
            }
        }
        // A replay ends when all of its bytes are done, whichever way.
        let counts = self.trims.as_ref().is_some_and(|trims| trims.recorded);
        if let Some(live) = self.live.filter(|_| counts) {
            live.add(1, flight.io.length.into());
        }
        if self.dots.every > 0 {
            self.voice.dots(self.dots.after(1));
        }
        if let Some(log) = &mut self.log {
            log.push(Entry {
                target: self.plan.targets[flight.target as usize].target as u32,
                direction: flight.io.direction,
                trim: true,
                offset: flight.io.offset,
                size: flight.io.length,
                start: flight.started.saturating_sub(self.start_signal),
                latency,
                due: due.map(|due| due.saturating_sub(self.start_signal)),
            });
        }
        books.idle.push(request);
    }

    #[cold]
    fn trim_failed(&self, books: &Books, failed: &Done) -> Failed {
        let flight = &books.requests.flights[failed.request as usize];
        let errno = (-failed.result) as i32;
        let what = format!(
            "discarding {} bytes at offset {} of '{}' (--trim) failed{}",
            flight.io.length,
            flight.io.offset,
            self.plan.targets[flight.target as usize].path,
            usual_cause(errno)
        );
        Failed::Engine(EngineError { what, source: Some(std::io::Error::from_raw_os_error(errno)) })
    }
}
