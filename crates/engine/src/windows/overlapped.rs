//! The engines of Windows: overlapped I/O, and one I/O at a time.

use crate::at_once::SyncIo;
use crate::errno::negated;
use crate::{CompletedIo, Engine, EngineError, EngineInfo, EngineKind, File, Io, Limits, Setup, cannot};
use diskspd_base::operation::Operation;
use diskspd_sys::memory::{Buffer, Slot, SlotMut};
use diskspd_sys::overlapped::{CompletionNotice, Queue};
use std::io;
use std::os::windows::fs::FileExt;
use std::time::Duration;

/// How long dropping an engine waits for I/Os in flight: longer than the time after which Windows' drivers
/// give up on a command, by default at most 60 s (`TimeoutValue`).
const DRAIN_LIMIT: Duration = Duration::from_secs(70);

/// Engine with many I/Os in flight per thread.
pub(super) struct Overlapped {
    queue: Queue,
    limits: Limits,
    told: CompletionNotice,
}

impl Overlapped {
    pub(crate) fn open(
        setup: Setup,
        kind: EngineKind,
        told: CompletionNotice,
    ) -> Result<Overlapped, EngineError> {
        let limits = Limits::for_setup(&setup, kind);
        let files = setup.files.into_iter().map(|file| file.handle).collect();
        let queue = Queue::new(told, setup.depth, files, setup.buffer, DRAIN_LIMIT).map_err(|source| {
            let what = "a file can't be used with a completion port".to_owned();
            EngineError { what, source: Some(source) }
        })?;
        Ok(Overlapped { queue, limits, told })
    }
}

impl Engine for Overlapped {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        let room = (self.limits.depth - self.queue.taken()) as usize;
        let batch = &batch[..batch.len().min(room)];
        for io in batch {
            // Its priority is that of the file, which has it since it was opened.
            if !self.queue.push(&io.transfer(&[])) {
                return Err(self.limits.refuse(io));
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
        let ended = |request, result| done.push(CompletedIo { request, result });
        self.queue.wait(min, timeout, ended).map_err(|source| EngineError {
            what: "the completion port is not responding".to_owned(),
            source: Some(source),
        })
    }

    fn slot(&self, io: &Io) -> Option<Slot<'_>> {
        self.queue.slot(io.buffer_offset, io.length as usize)
    }

    fn memory_mut(&mut self) -> SlotMut<'_> {
        self.queue.memory_mut()
    }

    fn info(&self) -> EngineInfo<'_> {
        EngineInfo::features(match self.told {
            CompletionNotice::AtPort => "overlapped I/O: completion port",
            CompletionNotice::ByRoutine => "overlapped I/O: completion routines",
        })
    }
}

/// Engine with one I/O at a time, for which the thread waits.
pub(super) struct FileCalls {
    files: Vec<std::fs::File>,
}

impl FileCalls {
    pub(crate) fn new(files: Vec<File>) -> FileCalls {
        FileCalls { files: files.into_iter().map(|file| file.handle.into()).collect() }
    }
}

impl SyncIo for FileCalls {
    fn perform(&mut self, io: &Io, buffer: &mut Buffer) -> Result<i64, EngineError> {
        let file = &self.files[io.file as usize];
        let done = match io.op {
            Operation::Read => {
                let data = buffer.as_mut_slice().get_mut(io.place());
                data.map_or(Err(io::ErrorKind::InvalidInput.into()), |data| file.seek_read(data, io.offset))
            }
            Operation::Write => {
                let data = buffer.with_copies().get(io.place());
                data.map_or(Err(io::ErrorKind::InvalidInput.into()), |data| file.seek_write(data, io.offset))
            }
            Operation::Flush => file.sync_all().map(|()| 0),
            other => return Err(cannot(EngineKind::Sync, other)),
        };
        Ok(done.map_or_else(|error| negated(&error), |bytes| bytes as i64))
    }

    fn features(&self) -> String {
        "sync: ReadFile and WriteFile".to_string()
    }
}
