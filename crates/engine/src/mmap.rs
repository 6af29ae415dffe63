//! Memory-mapped files: an I/O is a copy between the view of a file and the buffer, done at once by the
//! thread itself.

#[cfg_attr(windows, path = "windows/mapped.rs")]
mod advice;

use super::at_once::{SyncIo, SynchronousEngine};
use super::{EngineError, EngineKind, File, Io, Setup, cannot};
pub(super) use advice::ThreadPriority;
use advice::{NO_MEMORY, explain, name_of, negated};
use diskspd_base::access::IoPriority;
use diskspd_base::operation::Operation;
use diskspd_sys::mapping::View;
use diskspd_sys::memory::{Buffer, Slot, SlotMut};
use std::io;

pub(super) struct Mmap {
    views: Vec<Mapped>,
    thread: ThreadPriority,
}

impl Mmap {
    /// Creates the engine for these files.
    ///
    /// # Errors
    /// Fails if a file cannot be mapped with its options.
    pub(crate) fn open(setup: Setup) -> Result<SynchronousEngine<Mmap>, EngineError> {
        SynchronousEngine::new(setup, EngineKind::Mmap, |files| {
            let views = files.into_iter().map(Mapped::new).collect::<Result<_, _>>()?;
            Ok(Mmap { views, thread: ThreadPriority::default() })
        })
    }
}

impl SyncIo for Mmap {
    #[inline]
    fn perform(&mut self, io: &Io, buffer: &mut Buffer) -> Result<i64, EngineError> {
        let (view, length) = (&mut self.views[io.file as usize], io.length as usize);
        match io.op {
            Operation::Read => view.read(io, buffer.slot_mut(io.buffer_offset, length), &mut self.thread),
            Operation::Write => view.write(io, buffer.slot(io.buffer_offset, length), &mut self.thread),
            other => view.run_aux_operation(other),
        }
    }

    fn features(&self) -> String {
        "mmap: copies from and to the mapped files".to_string()
    }
}

pub(super) struct Mapped {
    view: View,
    priority: IoPriority,
}

impl Mapped {
    /// Maps the file with its options, or with defaults.
    pub(super) fn new(file: File) -> Result<Mapped, EngineError> {
        let options = file.mapping.unwrap_or_default();
        let name = name_of(&file.handle).map_or("a file".into(), |path| format!("'{}'", path.display()));
        let view = View::new(file.handle, options).map_err(|source| {
            let how = if options.flush == Default::default() { "mapped" } else { "mapped as -N asks for" };
            EngineError {
                what: format!("{name} cannot be {how}: {}", explain(&source)),
                source: Some(source),
            }
        })?;
        Ok(Mapped { view, priority: file.priority })
    }

    /// Does a read into its slot (`None` if part of the range is outside the private memory); returns
    /// `Done::result`. Pages are read with the I/O priority of the thread.
    pub(super) fn read(
        &mut self,
        io: &Io,
        slot: Option<SlotMut>,
        thread: &mut ThreadPriority,
    ) -> Result<i64, EngineError> {
        thread.set(self.priority)?;
        let Some(slot) = slot else { return Ok(-i64::from(NO_MEMORY)) };
        Ok(copy_result(self.view.read(io.offset, slot)))
    }

    /// Flushes the view to the file; other operations are not supported.
    pub(super) fn run_aux_operation(&mut self, op: Operation) -> Result<i64, EngineError> {
        match op {
            Operation::Flush => Ok(self.view.flush().map_or_else(|error| negated(&error), |()| 0)),
            other => Err(cannot(EngineKind::Mmap, other)),
        }
    }

    /// Writes from a slot, which may be shared; otherwise as [`Mapped::read`].
    pub(super) fn write(
        &mut self,
        io: &Io,
        slot: Option<Slot>,
        thread: &mut ThreadPriority,
    ) -> Result<i64, EngineError> {
        thread.set(self.priority)?;
        let Some(slot) = slot else { return Ok(-i64::from(NO_MEMORY)) };
        Ok(copy_result(self.view.write(io.offset, slot)))
    }
}

fn copy_result(copied: io::Result<usize>) -> i64 {
    match copied {
        Ok(bytes) => bytes as i64,
        Err(error) => negated(&error),
    }
}
