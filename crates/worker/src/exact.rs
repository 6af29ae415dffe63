//! An engine around another one that counts I/Os (`cargo xtask instructions`). It is part of the measured
//! loop, so it is here, where the loop is optimized.

use crate::control::{Control, Phase};
use diskspd_engine::{CompletedIo, Engine, EngineError, EngineInfo, Io};
use diskspd_sys::clock::Nanos;
use diskspd_sys::memory::{Slot, SlotMut};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Engine that ends the span after a number of I/Os.
pub struct CountedEngine {
    pub engine: Box<dyn Engine>,
    /// Number of completed I/Os.
    pub ended: u64,
    /// Number of I/Os that end the span.
    pub ios: u64,
    /// Receives [`CountedEngine::ended`] at the end.
    pub counted: Arc<AtomicU64>,
    pub control: Arc<Control>,
    /// Virtual time; not used in real time.
    pub hand: Rc<Cell<Nanos>>,
    /// Virtual duration of an I/O in ns.
    pub each: Nanos,
}

impl Engine for CountedEngine {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        self.engine.submit(batch)
    }

    fn wait(
        &mut self,
        min: usize,
        timeout: Duration,
        done: &mut Vec<CompletedIo>,
    ) -> Result<(), EngineError> {
        let before = done.len();
        let waited = self.engine.wait(min, timeout, done);
        let ended = (done.len() - before) as u64;
        self.ended += ended;
        self.hand.set(self.hand.get() + ended * self.each);
        if self.ended >= self.ios {
            self.control.set_phase(Phase::Stop);
        }
        waited
    }

    fn slot(&self, io: &Io) -> Option<Slot<'_>> {
        self.engine.slot(io)
    }

    fn memory_mut(&mut self) -> SlotMut<'_> {
        self.engine.memory_mut()
    }

    fn info(&self) -> EngineInfo<'_> {
        self.engine.info()
    }
}

impl Drop for CountedEngine {
    fn drop(&mut self) {
        self.counted.store(self.ended, Ordering::Relaxed);
    }
}
