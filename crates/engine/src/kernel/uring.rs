//! io_uring: one ring per worker thread, one system call to submit a batch and wait.

mod available;

pub use available::probe;
pub use diskspd_sys::ring::RingOptions;

use crate::errno;
use crate::{CompletedIo, Engine, EngineError, EngineInfo, EngineKind, Io, Limits, PinError, Setup};
use diskspd_base::access::{IoFeatures, IoPriority};
use diskspd_sys::clock::{Nanos, monotonic};
use diskspd_sys::memory::{Slot, SlotMut};
use diskspd_sys::ring::{EnterOutcome, EntryForm, FileTransfers, Ring};
use std::time::Duration;

/// Pause before a retry if the kernel lacks memory, unless an I/O completes earlier.
const PAUSE: Duration = Duration::from_millis(2);

/// Maximum number of retries if no I/O in flight can free an entry.
const MAX_RETRIES: u32 = 1000;

pub struct Uring<F: EntryForm = FileTransfers> {
    ring: Ring<F>,
    priorities: Vec<IoPriority>,
    limits: Limits,
    not_pinned: Option<PinError>,
}

impl Uring {
    /// A ring for the calling thread.
    ///
    /// # Errors
    /// Fails with the kernel's error and a remedy. A missing feature is not an error, see `features`.
    pub fn new(setup: Setup, options: RingOptions) -> Result<Uring, EngineError> {
        let options = RingOptions { polled: setup.files.iter().any(|file| file.polled), ..options };
        let limits = Limits::for_setup(&setup, EngineKind::Uring);
        let workers: Vec<bool> = setup.files.iter().map(|file| file.workers).collect();
        let ways: Vec<IoFeatures> = setup.files.iter().map(|file| file.ways).collect();
        let (priorities, files) = errno::split_files(setup.files);
        let mut ring = Ring::new(setup.depth, files, setup.buffer, options)
            .map_err(|error| not_made(setup.depth, &error))?;
        let by_workers = (0..).zip(workers).filter(|(_, by_workers)| *by_workers);
        by_workers.for_each(|(file, _)| ring.use_workers(file));
        if let Some(ways) = ways.iter().find(|ways| ways.write_stream > 0) {
            ring.note(&format!("write stream {}", ways.write_stream));
        }
        (0..).zip(ways).for_each(|(file, ways)| ring.set_ways(file, ways));
        Ok(Uring::with(ring, priorities, limits))
    }
}

#[cold]
pub(super) fn not_made(depth: u32, error: &std::io::Error) -> EngineError {
    let why = available::explain_here(error);
    EngineError { what: format!("cannot set up io_uring with queue depth {depth}: {why}"), source: None }
}

impl<F: EntryForm> Uring<F> {
    pub(super) fn with(ring: Ring<F>, priorities: Vec<IoPriority>, limits: Limits) -> Uring<F> {
        let not_pinned = ring.unregistered().cloned();
        Uring { ring, priorities, limits, not_pinned }
    }

    fn enter_ring(&mut self, min: usize, timeout: Duration) -> Result<EnterOutcome, EngineError> {
        self.ring.enter(min, timeout).map_err(uring_error)
    }

    #[inline]
    fn reap(&mut self, done: &mut Vec<CompletedIo>) -> usize {
        let depth = self.limits.depth;
        self.ring.reap(|request, result| {
            debug_assert!(request < depth, "request {request} of {depth} has ended");
            done.push(CompletedIo { request, result: i64::from(result) });
        })
    }

    /// Handles a lack of kernel memory for queued I/Os: waits for I/Os in flight, which frees some, and tries
    /// again. I/Os that cannot be submitted in time stay queued for the next call.
    #[cold]
    fn relieve_queue(
        &mut self,
        min: usize,
        timeout: Duration,
        done: &mut Vec<CompletedIo>,
    ) -> Result<(), EngineError> {
        let timeout = if min == 0 { 0 } else { Nanos::try_from(timeout.as_nanos()).unwrap_or(Nanos::MAX) };
        let deadline = monotonic().saturating_add(timeout);
        let left = || Duration::from_nanos(deadline.saturating_sub(monotonic()));
        let mut reaped = self.reap(done);
        let mut attempts = 0;
        loop {
            self.ring.await_completions(1, left().min(PAUSE)).map_err(uring_error)?;
            reaped += self.reap(done);
            let more = usize::from(reaped < min && self.ring.in_flight() > 0);
            self.enter_ring(more, left())?;
            reaped += self.reap(done);
            if reaped >= min || left().is_zero() {
                return Ok(());
            }
            // Nothing in flight will ever free anything: somebody else has to.
            attempts += u32::from(self.ring.in_flight() == self.ring.queued());
            if attempts > MAX_RETRIES {
                return Err(uring_error(std::io::Error::from_raw_os_error(libc::EAGAIN)));
            }
        }
    }
}

/// Converts a failure of `io_uring_enter`, which never fails in normal operation.
#[cold]
fn uring_error(source: std::io::Error) -> EngineError {
    let hint = match source.raw_os_error() {
        Some(libc::EAGAIN) => "the kernel has no memory left for requests: use a smaller queue depth",
        Some(libc::EEXIST | libc::EBADFD) => "the ring was used by another thread than its own",
        Some(libc::EPERM | libc::EACCES | libc::ENOSYS) => "a seccomp filter does not allow io_uring_enter",
        _ => "submitting and reaping I/Os failed",
    };
    EngineError { what: format!("io_uring: {hint}"), source: Some(source) }
}

impl<F: EntryForm> Engine for Uring<F> {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        let room = (self.limits.depth - self.ring.in_flight()) as usize;
        let batch = &batch[..batch.len().min(room)];
        let priorities = &self.priorities;
        let taken = self.ring.push(batch.iter().map(|io| io.transfer(priorities)));
        debug_assert!(self.ring.in_flight() <= self.limits.depth);
        match batch.get(taken) {
            Some(io) => Err(self.limits.refuse(io)),
            None => Ok(taken),
        }
    }

    fn wait(
        &mut self,
        min: usize,
        timeout: Duration,
        done: &mut Vec<CompletedIo>,
    ) -> Result<(), EngineError> {
        let min = min.min(self.ring.in_flight() as usize);
        let enough = self.ring.queued() == 0
            && self.ring.visible() >= min
            // A poll looks behind the curtain too; whoever has enough need not.
            && (min > 0 || !self.ring.needs_enter());
        if !enough && self.enter_ring(min, timeout)? == EnterOutcome::Busy {
            return self.relieve_queue(min, timeout, done);
        }
        self.reap(done);
        Ok(())
    }

    fn slot(&self, io: &Io) -> Option<Slot<'_>> {
        self.ring.slot(io.buffer_offset, io.length as usize)
    }

    fn memory_mut(&mut self) -> SlotMut<'_> {
        self.ring.memory_mut()
    }

    fn info(&self) -> EngineInfo<'_> {
        let features = match self.ring.notes() {
            [] => "io_uring".to_string(),
            notes => format!("io_uring: {}", notes.join(", ")),
        };
        EngineInfo { features, not_pinned: self.not_pinned.as_ref() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_base::operation::Operation;
    use diskspd_sys::clock::Clock;
    use diskspd_sys::memory::Buffer;
    use std::io::Write;

    /// Returns a queue of four for a pipe (file 0) and `/dev/zero` (file 1).
    fn pipe_engine() -> (Uring, std::io::PipeWriter) {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        let zero = std::fs::File::open("/dev/zero").expect("/dev/zero");
        let buffer = Buffer::new(4096).expect("memory");
        let files = [reader.into(), zero.into()].map(|file: std::os::fd::OwnedFd| file.into()).into();
        let setup = Setup { files, buffer, depth: 4, clock: Clock::Monotonic, seed: 0 };
        (Uring::new(setup, RingOptions::default()).expect("io_uring"), writer)
    }

    fn read(request: u32, file: u32) -> Io {
        Io { request, file, op: Operation::Read, offset: 0, length: 8, buffer_offset: 8 * request as usize }
    }

    // No test can exhaust the kernel's memory; these start after the kernel has reported that.

    #[test]
    fn refused_requests_are_submitted_later() {
        if let Err(why) = probe() {
            return eprintln!("skipped: {why}");
        }
        let (mut engine, mut writer) = pipe_engine();
        let mut done = vec![];
        engine.submit(&[read(0, 0)]).expect("submit");
        engine.wait(0, Duration::ZERO, &mut done).expect("wait");
        engine.submit(&[read(1, 1), read(2, 1)]).expect("submit");
        engine.relieve_queue(2, Duration::MAX, &mut done).expect("both are served, whatever the pipe does");
        done.sort_by_key(|done| done.request);
        assert_eq!(done, [CompletedIo { request: 1, result: 8 }, CompletedIo { request: 2, result: 8 }]);
        engine.relieve_queue(1, Duration::from_millis(1), &mut done).expect("a timeout is no error");
        engine.relieve_queue(0, Duration::MAX, &mut done).expect("a poll does not wait");
        assert_eq!(done.len(), 2);
        writer.write_all(b"x").expect("writing to the pipe");
        engine.relieve_queue(1, Duration::MAX, &mut done).expect("wait");
        assert_eq!(done[2..], [CompletedIo { request: 0, result: 1 }]);
    }
}
