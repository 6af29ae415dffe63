//! Mapped files beside others in one thread: an I/O on a mapped file is done at once, the others go to the
//! queue.

use super::mmap::Mapped;
use super::{Direction, Done, Engine, EngineError, File, Io, Limits, NotPinned, Setup};
use diskspd_model::access::TrimWay;
use diskspd_sys::io_priority::ThreadIoPriority;
use diskspd_sys::memory::{Slot, SlotMut};
use std::time::Duration;

/// Where the I/Os of a file go.
enum Way {
    /// To its view.
    Mapped(Box<Mapped>),
    /// To this file of the queue.
    Queue(u32),
}

/// See the module.
pub struct Mixed {
    limits: Limits,
    ways: Vec<Way>,
    thread: ThreadIoPriority,
    queue: Box<dyn Engine>,
    /// I/Os that the queue has taken and not yet given back.
    queued: usize,
    /// I/Os on mapped files, to be given back by the next `wait`.
    taken: Vec<Done>,
}

impl Mixed {
    /// `open` makes the engine of the files that aren't mapped.
    pub(super) fn new(
        setup: Setup,
        open: impl FnOnce(Setup) -> Result<Box<dyn Engine>, EngineError>,
    ) -> Result<Mixed, EngineError> {
        let limits = Limits::of(&setup, true);
        let mut others: Vec<File> = Vec::new();
        let mut ways = Vec::with_capacity(setup.files.len());
        for file in setup.files {
            ways.push(match file.mapping {
                Some(_) => Way::Mapped(Box::new(Mapped::new(file)?)),
                None => {
                    others.push(file);
                    Way::Queue(others.len() as u32 - 1)
                }
            });
        }
        let taken = Vec::with_capacity(setup.depth as usize);
        let queue = open(Setup { files: others, ..setup })?;
        Ok(Mixed { limits, ways, thread: ThreadIoPriority::default(), queue, queued: 0, taken })
    }
}

impl Engine for Mixed {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        let room = self.limits.depth as usize - self.queued - self.taken.len();
        let batch = &batch[..batch.len().min(room)];
        for (count, io) in batch.iter().enumerate() {
            if !self.limits.allow(io) {
                return Err(self.limits.refuse(io));
            }
            match &mut self.ways[io.file as usize] {
                Way::Mapped(view) => {
                    let result = match io.direction {
                        Direction::Read => view.read(io, self.queue.slot_mut(io), &mut self.thread)?,
                        Direction::Write => view.write(io, self.queue.slot(io), &mut self.thread)?,
                    };
                    self.taken.push(Done { request: io.request, result });
                }
                Way::Queue(file) => {
                    if self.queue.submit(&[Io { file: *file, ..*io }])? == 0 {
                        return Ok(count);
                    }
                    self.queued += 1;
                }
            }
        }
        Ok(batch.len())
    }

    fn flush(&mut self, request: u32, file: u32) -> Result<(), EngineError> {
        self.limits.allow_flush(request, file)?;
        match &mut self.ways[file as usize] {
            Way::Mapped(view) => {
                let result = view.flush().map_or_else(|error| super::negated(&error), |()| 0);
                self.taken.push(Done { request, result });
            }
            Way::Queue(file) => {
                self.queue.flush(request, *file)?;
                self.queued += 1;
            }
        }
        Ok(())
    }

    fn trim(&mut self, io: &Io, way: TrimWay) -> Result<(), EngineError> {
        self.limits.allow_trim(io)?;
        let Way::Queue(file) = &self.ways[io.file as usize] else { return Err(super::no_discards("mmap")) };
        self.queue.trim(&Io { file: *file, ..*io }, way)?;
        self.queued += 1;
        Ok(())
    }

    fn wait(&mut self, min: usize, timeout: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
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

    fn use_workers(&mut self, file: u32) {
        if let Some(Way::Queue(file)) = self.ways.get(file as usize) {
            self.queue.use_workers(*file);
        }
    }

    fn not_pinned(&self) -> Option<&NotPinned> {
        self.queue.not_pinned()
    }

    fn features(&self) -> String {
        let mapped = self.ways.iter().filter(|way| matches!(way, Way::Mapped(_))).count();
        format!("{}; {mapped} of {} files mapped", self.queue.features(), self.ways.len())
    }
}
