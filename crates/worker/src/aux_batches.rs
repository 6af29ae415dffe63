//! Execution of operations other than reads and writes by a worker.

use super::failed_io::WorkerError;
use super::requests::InFlight;
use super::{WorkerLedger, WorkerLoop};
use crate::causes::usual_cause;
use crate::control::Phase;
use crate::telemetry::io_log::Entry;
use diskspd_base::io_error;
use diskspd_engine::{CompletedIo, EngineError, Operation};
use diskspd_sys::clock::Nanos;

impl WorkerLoop<'_> {
    /// Selects the I/Os of the batch that become other operations.
    #[inline]
    pub(super) fn draw_others(&mut self, books: &mut WorkerLedger) {
        let Some(others) = self.others.as_mut().filter(|others| !others.recorded) else { return };
        for io in &mut self.batch {
            let flight = &mut books.requests.flights[io.request as usize];
            if let Some(op) = others.draw(flight.target, io.op) {
                io.op = op;
                flight.io.op = op;
            }
        }
    }

    /// Removes operations other than reads and writes from the completions, and counts them.
    pub(super) fn count_others(
        &mut self,
        books: &mut WorkerLedger,
        done: &mut Vec<CompletedIo>,
        phase: Phase,
        now: Nanos,
    ) -> Result<(), WorkerError> {
        self.count_durable(books, done, phase, now);
        let Some(others) = &mut self.others else { return Ok(()) };
        let mut ended = std::mem::take(&mut others.ended);
        let moved_data =
            |done: &CompletedIo| books.requests.flights[done.request as usize].io.op.moves_data();
        ended.extend(done.iter().filter(|done| !moved_data(done)));
        done.retain(moved_data);
        let failed = ended.iter().find(|done| done.result < 0).copied();
        let well = ended.iter().filter(|done| done.result >= 0);
        well.for_each(|done| self.count_other(books, done.request, phase, now));
        // What failed isn't in flight any more either.
        ended.iter().filter(|done| done.result < 0).for_each(|done| books.idle.push(done.request));
        ended.clear();
        self.others.iter_mut().for_each(|others| std::mem::swap(&mut others.ended, &mut ended));
        failed.map_or(Ok(()), |failed| Err(self.other_failed(books, &failed)))
    }

    /// Counts durable writes separately, in addition to other writes.
    fn count_durable(&mut self, books: &mut WorkerLedger, done: &[CompletedIo], phase: Phase, now: Nanos) {
        for ended in done.iter().filter(|ended| ended.result >= 0) {
            let flight = &mut books.requests.flights[ended.request as usize];
            if flight.io.op != Operation::DurableWrite {
                continue;
            }
            flight.io.op = Operation::Write;
            if phase == Phase::Measure {
                let (target, latency) = (flight.target as usize, now.saturating_sub(flight.started));
                books.recorder.count_other(target, Operation::DurableWrite, ended.result as u64, latency);
            }
        }
    }

    /// Counts a successful operation; its request is idle again.
    fn count_other(&mut self, books: &mut WorkerLedger, request: u32, phase: Phase, now: Nanos) {
        let flight = books.requests.flights[request as usize];
        let latency = now.saturating_sub(flight.started);
        let measured = phase == Phase::Measure;
        if measured {
            books.recorder.count_other(
                flight.target as usize,
                flight.io.op,
                flight.io.length.into(),
                latency,
            );
        }
        let is_flush = flight.io.op == Operation::Flush;
        // A write may be followed by a flush and then by the reset of the next zone.
        let owes = is_flush && self.zones.as_mut().is_some_and(|zones| zones.release(request));
        if !owes {
            books.idle.push(request);
        }
        if is_flush {
            // It follows from writes, and is no I/O of the workload.
            return self.checker.iter_mut().for_each(|checker| checker.flushed(request));
        }
        if flight.io.op.follows_others() {
            // So does a reset, whose place explains those of the writes that come after it.
            return self.log_other(&flight, latency, None);
        }
        let due = self.pacing.as_ref().and_then(|pacing| pacing.due(request));
        if let (true, Some(due)) = (measured, due) {
            let delay = flight.started.saturating_sub(due);
            books.recorder.other_on_time(flight.target as usize, flight.io.op, delay);
        }
        // A replay ends when all of its bytes are done, whichever way.
        let counts = self.others.as_ref().is_some_and(|others| others.recorded);
        if let Some(live) = self.live.filter(|_| counts) {
            live.add(1, flight.io.length.into());
        }
        if self.dots.every > 0 {
            self.voice.dots(self.dots.count_dots(1));
        }
        self.log_other(&flight, latency, due);
    }

    fn log_other(&mut self, flight: &InFlight, latency: Nanos, due: Option<Nanos>) {
        if let Some(log) = &mut self.log {
            log.push(Entry {
                target: self.plan.targets[flight.target as usize].target as u32,
                op: flight.io.op,
                offset: flight.io.offset,
                size: flight.io.length,
                start: flight.started.saturating_sub(self.start_signal),
                latency,
                due: due.map(|due| due.saturating_sub(self.start_signal)),
            });
        }
    }

    #[cold]
    fn other_failed(&self, books: &WorkerLedger, failed: &CompletedIo) -> WorkerError {
        let flight = &books.requests.flights[failed.request as usize];
        let errno = (-failed.result) as i32;
        let row = flight.io.op.row();
        let bytes = match flight.io.length {
            0 => String::new(),
            length => format!("{length} bytes at offset {} of ", flight.io.offset),
        };
        let what = format!(
            "{} {bytes}'{}' ({}) failed{}",
            row.doing,
            self.plan.targets[flight.target as usize].path,
            row.other.as_ref().map_or("", |other| other.option),
            usual_cause(self.plan.engine, errno)
        );
        WorkerError::Engine(EngineError { what, source: Some(io_error::error(errno)) })
    }
}
