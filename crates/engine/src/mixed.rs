//! Mapped files mixed with other files in one thread. An I/O on a mapped file completes immediately, and
//! the others use the queue.

use super::mmap::{Mapped, ThreadPriority};
use super::{CompletedIo, Engine, EngineError, EngineInfo, EngineKind, File, Io, Limits, Setup};
use diskspd_base::operation::Operation;
use diskspd_sys::memory::{Slot, SlotMut};
use std::time::Duration;

enum IoPath {
    Mapped(Box<Mapped>),
    Queue(u32),
}

pub(crate) struct MixedEngine {
    limits: Limits,
    ways: Vec<IoPath>,
    thread: ThreadPriority,
    queue: Box<dyn Engine>,
    /// I/Os in the queue that are not returned yet.
    queued: usize,
    /// Completed I/Os on mapped files, returned by the next `wait`.
    taken: Vec<CompletedIo>,
}

impl MixedEngine {
    /// `open` creates the engine of this kind for the files that are not mapped.
    pub(super) fn new(
        setup: Setup,
        kind: EngineKind,
        open: impl FnOnce(Setup) -> Result<Box<dyn Engine>, EngineError>,
    ) -> Result<MixedEngine, EngineError> {
        let limits = Limits::for_setup(&setup, kind);
        let mut others: Vec<File> = Vec::new();
        let mut ways = Vec::with_capacity(setup.files.len());
        for file in setup.files {
            ways.push(match file.mapping {
                Some(_) => IoPath::Mapped(Box::new(Mapped::new(file)?)),
                None => {
                    others.push(file);
                    IoPath::Queue(others.len() as u32 - 1)
                }
            });
        }
        let taken = Vec::with_capacity(setup.depth as usize);
        let queue = open(Setup { files: others, ..setup })?;
        Ok(MixedEngine { limits, ways, thread: ThreadPriority::default(), queue, queued: 0, taken })
    }
}

impl Engine for MixedEngine {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        let room = self.limits.depth as usize - self.queued - self.taken.len();
        let batch = &batch[..batch.len().min(room)];
        for (count, io) in batch.iter().enumerate() {
            if !self.limits.allow(io) {
                self.limits.check(io)?;
            }
            match &mut self.ways[io.file as usize] {
                IoPath::Mapped(view) => {
                    let result = match io.op {
                        Operation::Read => view.read(io, self.queue.slot_mut(io), &mut self.thread)?,
                        Operation::Write => view.write(io, self.queue.slot(io), &mut self.thread)?,
                        other => view.run_aux_operation(other)?,
                    };
                    self.taken.push(CompletedIo { request: io.request, result });
                }
                IoPath::Queue(file) => {
                    if self.queue.submit(&[Io { file: *file, ..*io }])? == 0 {
                        return Ok(count);
                    }
                    self.queued += 1;
                }
            }
        }
        Ok(batch.len())
    }

    fn wait(
        &mut self,
        min: usize,
        timeout: Duration,
        done: &mut Vec<CompletedIo>,
    ) -> Result<(), EngineError> {
        let min = min.saturating_sub(self.taken.len());
        done.append(&mut self.taken);
        let before = done.len();
        self.queue.wait(min, timeout, done)?;
        self.queued -= done.len() - before;
        Ok(())
    }

    fn slot(&self, io: &Io) -> Option<Slot<'_>> {
        self.queue.slot(io)
    }

    fn memory_mut(&mut self) -> SlotMut<'_> {
        self.queue.memory_mut()
    }

    fn info(&self) -> EngineInfo<'_> {
        let mapped = self.ways.iter().filter(|way| matches!(way, IoPath::Mapped(_))).count();
        let EngineInfo { features, not_pinned } = self.queue.info();
        let features = format!("{features}; {mapped} of {} files mapped", self.ways.len());
        EngineInfo { features, not_pinned }
    }
}
