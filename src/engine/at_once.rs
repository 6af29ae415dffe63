//! What engines have in common that do an I/O when they are handed it: nothing is ever in flight, and what
//! was done is given back by the next `wait`.

use super::{Done, EngineError, Io, Limits, Setup};

/// The I/Os that were done and are not given back yet.
pub(super) struct AtOnce {
    limits: Limits,
    taken: Vec<Done>,
}

impl AtOnce {
    /// For so many I/Os as the setup's depth; `files` = its files are looked at.
    pub fn new(setup: &Setup, files: bool) -> AtOnce {
        AtOnce { limits: Limits::of(setup, files), taken: Vec::with_capacity(setup.depth as usize) }
    }

    /// [`Engine::submit`](super::Engine::submit): `perform` does one I/O and returns its [`Done::result`].
    // Part of the measured path of each of these engines: as if it stood there.
    #[inline(always)]
    pub fn submit(
        &mut self,
        batch: &[Io],
        mut perform: impl FnMut(&Io) -> Result<i64, EngineError>,
    ) -> Result<usize, EngineError> {
        // A copy that nothing else can refer to stays in registers.
        let limits = self.limits;
        let room = limits.depth as usize - self.taken.len();
        let batch = &batch[..batch.len().min(room)];
        for io in batch {
            if !limits.allow(io) {
                return Err(limits.refuse(io));
            }
            let result = perform(io)?;
            debug_assert!(result <= i64::from(io.length), "{io:?} transferred {result} bytes");
            self.taken.push(Done { request: io.request, result });
        }
        debug_assert!(self.taken.len() <= self.limits.depth as usize);
        Ok(batch.len())
    }

    /// [`Engine::flush`](super::Engine::flush): `perform` does it.
    pub fn flush(
        &mut self,
        request: u32,
        file: u32,
        perform: impl FnOnce() -> std::io::Result<()>,
    ) -> Result<(), EngineError> {
        self.limits.allow_flush(request, file)?;
        let result = perform().map_or_else(|error| super::mmap::negated(&error), |()| 0);
        self.taken.push(Done { request, result });
        Ok(())
    }

    /// [`Engine::wait`](super::Engine::wait), which has nothing to wait for.
    #[inline(always)]
    pub fn wait(&mut self, done: &mut Vec<Done>) {
        // Whoever brings as much room as there is here gets it as it is.
        if done.is_empty() && done.capacity() >= self.taken.capacity() {
            let taken = std::mem::take(&mut self.taken);
            self.taken = std::mem::replace(done, taken);
        } else {
            done.append(&mut self.taken);
        }
    }
}
