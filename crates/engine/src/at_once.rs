//! Engines that complete each I/O during submission. No I/O is ever in flight, and the next `wait` returns
//! the completions.

use super::{CompletedIo, Engine, EngineError, EngineInfo, EngineKind, Io, Limits, Setup};
use diskspd_sys::memory::{Buffer, Slot, SlotMut};
use std::time::Duration;

pub(super) trait SyncIo {
    /// Performs the I/O with the memory of all I/Os; returns its [`CompletedIo::result`].
    fn perform(&mut self, io: &Io, buffer: &mut Buffer) -> Result<i64, EngineError>;

    /// Performs all I/Os of a batch, until one fails.
    #[inline]
    fn perform_all(
        &mut self,
        batch: &[Io],
        buffer: &mut Buffer,
        taken: &mut Vec<CompletedIo>,
    ) -> Result<(), EngineError> {
        for io in batch {
            let result = self.perform(io, buffer)?;
            debug_assert!(result <= i64::from(io.length), "{io:?} transferred {result} bytes");
            taken.push(CompletedIo { request: io.request, result });
        }
        Ok(())
    }

    fn features(&self) -> String;
}

pub(super) struct SynchronousEngine<P> {
    way: P,
    buffer: Buffer,
    limits: Limits,
    /// Completed I/Os that are not returned yet.
    taken: Vec<CompletedIo>,
}

impl<P: SyncIo> SynchronousEngine<P> {
    pub(crate) fn new(
        setup: Setup,
        kind: EngineKind,
        make: impl FnOnce(Vec<super::File>) -> Result<P, EngineError>,
    ) -> Result<SynchronousEngine<P>, EngineError> {
        let limits = Limits::for_setup(&setup, kind);
        let taken = Vec::with_capacity(setup.depth as usize);
        Ok(SynchronousEngine { way: make(setup.files)?, buffer: setup.buffer, limits, taken })
    }
}

impl<P: SyncIo> SynchronousEngine<P> {
    /// Submits a batch whose I/Os may exceed the limits.
    #[cold]
    fn submit_checked(&mut self, batch: &[Io]) -> Result<(), EngineError> {
        for io in batch {
            if !self.limits.allow(io) {
                self.limits.check(io)?;
            }
            self.way.perform_all(std::slice::from_ref(io), &mut self.buffer, &mut self.taken)?;
        }
        Ok(())
    }

    #[cold]
    fn hand_over(&mut self, done: &mut Vec<CompletedIo>) {
        done.append(&mut self.taken);
    }
}

impl<P: SyncIo> Engine for SynchronousEngine<P> {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        // A copy that nothing else can refer to stays in registers.
        let limits = self.limits;
        let room = limits.depth as usize - self.taken.len();
        let batch = &batch[..batch.len().min(room)];
        match limits.allow_all(batch) {
            true => self.way.perform_all(batch, &mut self.buffer, &mut self.taken)?,
            false => self.submit_checked(batch)?,
        }
        debug_assert!(self.taken.len() <= self.limits.depth as usize);
        Ok(batch.len())
    }

    fn wait(&mut self, _: usize, _: Duration, done: &mut Vec<CompletedIo>) -> Result<(), EngineError> {
        // Whoever brings as much room as there is here gets it as it is.
        if done.is_empty() && done.capacity() >= self.taken.capacity() {
            std::mem::swap(&mut self.taken, done);
        } else {
            self.hand_over(done);
        }
        Ok(())
    }

    fn slot(&self, io: &Io) -> Option<Slot<'_>> {
        self.buffer.slot(io.buffer_offset, io.length as usize)
    }

    fn memory_mut(&mut self) -> SlotMut<'_> {
        self.buffer.private_mut()
    }

    fn info(&self) -> EngineInfo<'_> {
        EngineInfo::features(self.way.features())
    }
}
