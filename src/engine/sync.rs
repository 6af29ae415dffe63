//! `pread(2)` and `pwrite(2)`: one I/O at a time, the thread blocks in it. Several that are handed over together are
//! done one after the other.

use super::{Direction, Done, Engine, EngineError, Io, Limits, Setup};
use crate::sys::io_priority::ThreadIoPriority;
use rustix::io::{Errno, pread, pwrite, retry_on_intr};
use std::time::Duration;

/// See the module.
pub struct Sync {
    limits: Limits,
    setup: Setup,
    thread: ThreadIoPriority,
    /// To be given back by the next `wait`.
    taken: Vec<Done>,
}

impl Sync {
    pub(super) fn new(setup: Setup) -> Sync {
        let limits = Limits::of(&setup, true);
        let taken = Vec::with_capacity(setup.depth as usize);
        Sync { limits, setup, thread: ThreadIoPriority::default(), taken }
    }

    /// Does one I/O. A short transfer is not continued: it is the storage's answer, and is reported as such.
    /// Such I/O has the priority of its thread, which changes where files of one thread differ in it.
    fn perform(&mut self, io: &Io) -> Result<Result<usize, Errno>, EngineError> {
        let Some(file) = self.setup.files.get(io.file as usize) else { return Ok(Err(Errno::BADF)) };
        self.thread.set(file.priority).map_err(super::priority_refused)?;
        let end = io.buffer_offset + io.length as usize;
        let place = io.buffer_offset..end;
        match io.direction {
            Direction::Read => {
                let Some(data) = self.setup.buffer.as_mut_slice().get_mut(place) else {
                    return Ok(Err(Errno::FAULT));
                };
                Ok(retry_on_intr(|| pread(&file.handle, &mut *data, io.offset)))
            }
            Direction::Write => {
                let Some(data) = self.setup.buffer.as_slice().get(place) else {
                    return Ok(Err(Errno::FAULT));
                };
                Ok(retry_on_intr(|| pwrite(&file.handle, data, io.offset)))
            }
        }
    }
}

impl Engine for Sync {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        let room = self.limits.depth as usize - self.taken.len();
        let batch = &batch[..batch.len().min(room)];
        for io in batch {
            if !self.limits.allow(io) {
                return Err(self.limits.refuse(io));
            }
            let result = match self.perform(io)? {
                Ok(bytes) => bytes as i64,
                Err(errno) => -i64::from(errno.raw_os_error()),
            };
            self.taken.push(Done { request: io.request, result });
        }
        Ok(batch.len())
    }

    fn wait(&mut self, _: usize, _: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        done.append(&mut self.taken);
        Ok(())
    }

    fn buffer(&mut self) -> &mut [u8] {
        self.setup.buffer.as_mut_slice()
    }

    fn features(&self) -> String {
        "sync: pread and pwrite".to_string()
    }
}
