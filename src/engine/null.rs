//! Completes at once, without any I/O: what is left is the cost of the program itself.

use super::{AtOnce, Done, Engine, EngineError, Io, Setup};
use crate::sys::memory::{Buffer, Slot, SlotMut};
use std::time::Duration;

/// See the module.
pub struct Null {
    ios: AtOnce,
    buffer: Buffer,
}

impl Null {
    pub(super) fn new(setup: Setup) -> Null {
        Null { ios: AtOnce::new(&setup, false), buffer: setup.buffer }
    }
}

impl Engine for Null {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        self.ios.submit(batch, |io| Ok(i64::from(io.length)))
    }

    fn flush(&mut self, request: u32, file: u32) -> Result<(), EngineError> {
        self.ios.flush(request, file, || Ok(()))
    }

    fn wait(&mut self, _: usize, _: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        self.ios.wait(done);
        Ok(())
    }

    fn slot(&self, io: &Io) -> Option<Slot<'_>> {
        self.buffer.slot(io.buffer_offset, io.length as usize)
    }

    fn memory_mut(&mut self) -> SlotMut<'_> {
        self.buffer.private_mut()
    }

    fn features(&self) -> String {
        "null: no I/O".to_string()
    }
}
