//! Completes at once, without any I/O: what is left is the cost of the program itself.

use super::{Done, Engine, EngineError, Io, Limits, Setup};
use crate::sys::memory::Buffer;
use std::time::Duration;

/// See the module.
pub struct Null {
    limits: Limits,
    buffer: Buffer,
    taken: Vec<Done>,
}

impl Null {
    pub(super) fn new(setup: Setup) -> Null {
        Null {
            limits: Limits::of(&setup, false),
            taken: Vec::with_capacity(setup.depth as usize),
            buffer: setup.buffer,
        }
    }
}

impl Engine for Null {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        let room = self.limits.depth as usize - self.taken.len();
        let batch = &batch[..batch.len().min(room)];
        for io in batch {
            if !self.limits.allow(io) {
                return Err(self.limits.refuse(io));
            }
            self.taken.push(Done { request: io.request, result: i64::from(io.length) });
        }
        Ok(batch.len())
    }

    fn wait(&mut self, _: usize, _: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        done.append(&mut self.taken);
        Ok(())
    }

    fn buffer(&mut self) -> &mut [u8] {
        self.buffer.as_mut_slice()
    }

    fn features(&self) -> String {
        "null: no I/O".to_string()
    }
}
