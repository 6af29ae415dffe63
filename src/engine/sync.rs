//! `pread(2)` and `pwrite(2)`: one I/O at a time, the thread blocks in it. Several that are handed over
//! together are done one after the other.

use super::{AtOnce, Direction, Done, Engine, EngineError, File, Io, Setup};
use crate::sys::io_priority::ThreadIoPriority;
use crate::sys::memory::{Buffer, Slot, SlotMut};
use rustix::io::{Errno, pread, pwrite, retry_on_intr};
use std::time::Duration;

/// See the module.
pub struct Sync {
    ios: AtOnce,
    files: Vec<File>,
    buffer: Buffer,
    thread: ThreadIoPriority,
}

impl Sync {
    pub(super) fn new(setup: Setup) -> Sync {
        let ios = AtOnce::new(&setup, true);
        Sync { ios, files: setup.files, buffer: setup.buffer, thread: ThreadIoPriority::default() }
    }
}

/// Does one I/O. A short transfer is not continued: it is the storage's answer, and is reported as such.
fn perform(io: &Io, file: &File, buffer: &mut Buffer) -> Result<usize, Errno> {
    match io.direction {
        Direction::Read => {
            let data = buffer.as_mut_slice().get_mut(io.place()).ok_or(Errno::FAULT)?;
            retry_on_intr(|| pread(&file.handle, &mut *data, io.offset))
        }
        Direction::Write => {
            let data = buffer.as_slice().get(io.place()).ok_or(Errno::FAULT)?;
            retry_on_intr(|| pwrite(&file.handle, data, io.offset))
        }
    }
}

impl Engine for Sync {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        let Sync { ios, files, buffer, thread } = self;
        ios.submit(batch, |io| {
            let file = &files[io.file as usize];
            // Such I/O has the priority of its thread, which changes where files of one thread differ in it.
            thread.set(file.priority).map_err(super::priority_refused)?;
            Ok(match perform(io, file, buffer) {
                Ok(bytes) => bytes as i64,
                Err(errno) => -i64::from(errno.raw_os_error()),
            })
        })
    }

    fn flush(&mut self, request: u32, file: u32) -> Result<(), EngineError> {
        let Sync { ios, files, .. } = self;
        let flush = || Ok(retry_on_intr(|| rustix::fs::fdatasync(&files[file as usize].handle))?);
        ios.flush(request, file, flush)
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
        "sync: pread and pwrite".to_string()
    }
}
