//! Engines that do an I/O when they are handed it: nothing is ever in flight, and what was done is given
//! back by the next `wait`.

use super::{AboutEngine, Done, Engine, EngineError, EngineKind, Io, Limits, Setup};
use diskspd_sys::memory::{Buffer, Slot, SlotMut};
use std::time::Duration;

pub(super) trait Perform {
    /// Does it, with the memory of all I/Os; returns its [`Done::result`].
    ///
    /// # Errors
    /// As [`Engine::submit`] has them.
    fn perform(&mut self, io: &Io, buffer: &mut Buffer) -> Result<i64, EngineError>;

    fn features(&self) -> String;
}

pub(super) struct AtOnce<P> {
    way: P,
    buffer: Buffer,
    limits: Limits,
    /// The I/Os that were done and are not given back yet.
    taken: Vec<Done>,
}

impl<P: Perform> AtOnce<P> {
    /// With the buffer and for so many I/Os as the setup has; `make` takes over its files.
    pub fn new(
        setup: Setup,
        kind: EngineKind,
        make: impl FnOnce(Vec<super::File>) -> Result<P, EngineError>,
    ) -> Result<AtOnce<P>, EngineError> {
        let limits = Limits::of(&setup, kind);
        let taken = Vec::with_capacity(setup.depth as usize);
        Ok(AtOnce { way: make(setup.files)?, buffer: setup.buffer, limits, taken })
    }
}

impl<P: Perform> Engine for AtOnce<P> {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        // A copy that nothing else can refer to stays in registers.
        let limits = self.limits;
        let room = limits.depth as usize - self.taken.len();
        let batch = &batch[..batch.len().min(room)];
        for io in batch {
            if !limits.allow(io) {
                limits.check(io)?;
            }
            let result = self.way.perform(io, &mut self.buffer)?;
            debug_assert!(result <= i64::from(io.length), "{io:?} transferred {result} bytes");
            self.taken.push(Done { request: io.request, result });
        }
        debug_assert!(self.taken.len() <= self.limits.depth as usize);
        Ok(batch.len())
    }

    fn wait(&mut self, _: usize, _: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        // Whoever brings as much room as there is here gets it as it is.
        if done.is_empty() && done.capacity() >= self.taken.capacity() {
            std::mem::swap(&mut self.taken, done);
        } else {
            done.append(&mut self.taken);
        }
        Ok(())
    }

    fn slot(&self, io: &Io) -> Option<Slot<'_>> {
        self.buffer.slot(io.buffer_offset, io.length as usize)
    }

    fn memory_mut(&mut self) -> SlotMut<'_> {
        self.buffer.private_mut()
    }

    fn about(&self) -> AboutEngine<'_> {
        AboutEngine::features(self.way.features())
    }
}
