//! Accounting for completed I/Os: figures, log, live line, dots.

use super::requests::Requests;
use super::{WorkerLedger, WorkerLoop, unfinished};
use crate::control::Phase;
use crate::recorder::{CountedIo, PacedDelay};
use crate::telemetry::io_log::Entry;
use diskspd_base::operation::Operation;
use diskspd_engine::CompletedIo;
use diskspd_sys::clock::Nanos;

impl WorkerLoop<'_> {
    /// Counts completions that were reaped at `now`; their requests are idle again. Stops at the first one
    /// that failed, and returns its index.
    #[inline]
    pub(super) fn account(
        &mut self,
        books: &mut WorkerLedger,
        done: &[CompletedIo],
        phase: Phase,
        now: Nanos,
    ) -> Result<(), usize> {
        // What is said of many costs more than the one I/O that most waits at small depths bring.
        if let ([only], Phase::Measure) = (done, phase)
            && only.result >= 0
        {
            // Before the count: a volume that begins to count includes the requests in flight.
            books.idle.push(only.request);
            self.count_one(books, *only, now);
            return Ok(());
        }
        self.account_many(books, done, phase, now)
    }

    #[inline(always)]
    fn since_start(&self, now: Nanos) -> Nanos {
        if self.timed { now.saturating_sub(self.phases.measure_start()) } else { 0 }
    }

    /// Counts a successful I/O within the measurement.
    #[inline(always)]
    pub(super) fn count_one(&mut self, books: &mut WorkerLedger, ended: CompletedIo, now: Nanos) {
        let since_start = self.since_start(now);
        let WorkerLedger { requests, recorder, .. } = &mut *books;
        recorder.count_one(returned_request(requests, &ended), now, since_start);
        self.account_ios(books, &[ended], Phase::Measure, now, since_start);
    }

    #[inline(never)]
    pub(super) fn account_many(
        &mut self,
        books: &mut WorkerLedger,
        done: &[CompletedIo],
        phase: Phase,
        now: Nanos,
    ) -> Result<(), usize> {
        let since_start = self.since_start(now);
        // Looks at all of them at once: next to never is there one that failed.
        let any_failed = done.iter().fold(0, |signs, completed| signs | completed.result) < 0;
        let failed = if any_failed { done.iter().position(|completed| completed.result < 0) } else { None };
        let well = &done[..failed.unwrap_or(done.len())];
        let WorkerLedger { requests, idle, recorder, .. } = books;
        debug_assert!(well.iter().all(|completed| {
            let flight = &requests.flights[completed.request as usize];
            completed.result <= i64::from(flight.io.length) && (!self.timed || now >= flight.started)
        }));
        if phase == Phase::Measure {
            let returned = well.iter().zip(idle.append(well.len())).map(|(completed, place)| {
                *place = completed.request;
                returned_request(requests, completed)
            });
            recorder.count(returned, now, since_start);
        } else if phase == Phase::Cooldown && self.timed {
            unfinished::completed_late(&mut self.late, requests, &self.phases, well);
            idle.extend(well);
        } else {
            idle.extend(well);
        }
        self.account_ios(books, well, phase, now, since_start);
        failed.map_or(Ok(()), Err)
    }

    /// Reports the last counted I/Os to the live line, dots and log.
    #[inline(always)]
    fn account_ios(
        &mut self,
        books: &mut WorkerLedger,
        well: &[CompletedIo],
        phase: Phase,
        now: Nanos,
        since_start: Nanos,
    ) {
        debug_assert!(books.idle.len() <= self.plan.depth as usize);
        if self.is_watched {
            self.report_ios(books, well, phase, now, since_start);
        }
    }

    #[inline(never)]
    fn report_ios(
        &mut self,
        books: &mut WorkerLedger,
        well: &[CompletedIo],
        phase: Phase,
        now: Nanos,
        since_start: Nanos,
    ) {
        if let Some(live) = self.live {
            live.add(well.len() as u64, well.iter().map(|completed| completed.result as u64).sum());
            if live.splits() {
                let flights = &books.requests.flights;
                let is_write = |done: &&CompletedIo| flights[done.request as usize].io.op == Operation::Write;
                live.add_writes(well.iter().filter(is_write).count() as u64);
            }
        }
        if self.dots.every > 0 {
            self.voice.dots(self.dots.count_dots(well.len() as u32));
        }
        if self.tells {
            self.report_completions(books, well, now);
            if phase == Phase::Measure {
                self.tell_slowest(books, well, now);
                self.count_misses(books, well);
            }
            self.keep_time(books, well, phase, now, since_start);
            self.account_for_quota(books, well, phase);
        }
    }

    fn report_completions(&mut self, books: &WorkerLedger, well: &[CompletedIo], now: Nanos) {
        let WorkerLedger { requests, .. } = books;
        for completed in well {
            let flight = &requests.flights[completed.request as usize];
            let latency = now.saturating_sub(flight.started);
            if let Some(live) = self.live {
                live.add_latency(latency);
            }
            if let Some(log) = &mut self.log {
                log.push(Entry {
                    target: self.plan.targets[flight.target as usize].target as u32,
                    op: flight.io.op,
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

    fn tell_slowest(&mut self, books: &WorkerLedger, well: &[CompletedIo], now: Nanos) {
        let Some(slowest) = &mut self.slowest else { return };
        slowest.reaped(now);
        for completed in well {
            let flight = &books.requests.flights[completed.request as usize];
            let latency = now.saturating_sub(flight.started);
            if slowest.wants(latency) {
                slowest.push(Entry {
                    target: self.plan.targets[flight.target as usize].target as u32,
                    op: flight.io.op,
                    offset: flight.io.offset,
                    size: completed.result as u32,
                    start: flight.started,
                    latency,
                    due: None,
                });
            }
        }
    }

    /// Counts the I/Os that would have waited. Separate, because its registers would slow other callers.
    #[inline(never)]
    fn count_misses(&mut self, books: &mut WorkerLedger, well: &[CompletedIo]) {
        let WorkerLedger { requests, recorder, .. } = books;
        for completed in well.iter().filter(|completed| self.engine.would_block(completed.request)) {
            let flight = &requests.flights[completed.request as usize];
            recorder.count_missed(flight.target as usize, flight.io.op.direction());
        }
    }

    fn keep_time(
        &mut self,
        books: &mut WorkerLedger,
        well: &[CompletedIo],
        phase: Phase,
        now: Nanos,
        since_start: Nanos,
    ) {
        let Some(pacing) = &self.pacing else { return };
        match phase {
            Phase::Measure => {}
            Phase::Cooldown => return self.measuring_ended(books),
            Phase::Warmup | Phase::Stop => return,
        }
        let WorkerLedger { requests, recorder, .. } = books;
        for completed in well {
            let Some(due) = pacing.due(completed.request) else { continue };
            let flight = &requests.flights[completed.request as usize];
            recorder.count_on_time(PacedDelay {
                target: flight.target as usize,
                direction: flight.io.op.direction(),
                delay: flight.started.saturating_sub(due),
                response: now.saturating_sub(due),
                since_start,
            });
        }
    }

    /// Counts the I/Os that were due but not submitted, which no other figure includes.
    #[cold]
    pub(super) fn measuring_ended(&mut self, books: &mut WorkerLedger) {
        let begin = self.phases.measure_start();
        // Ended in the warm-up: there was no measured time.
        let Some(pacing) = self.pacing.as_mut().filter(|_| begin >= self.start_signal) else { return };
        for (target, ios, nanos) in pacing.close(begin, self.clock.now()) {
            books.recorder.overdue(target, ios, nanos);
        }
    }
}

/// Converts a successful I/O for accounting.
#[inline(always)]
fn returned_request(requests: &Requests, completed: &CompletedIo) -> CountedIo {
    let flight = &requests.flights[completed.request as usize];
    CountedIo {
        target: flight.target,
        op: flight.io.op,
        bytes: completed.result as u64,
        asked: flight.io.length,
        started: flight.started,
    }
}
