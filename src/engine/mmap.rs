//! Memory-mapped files: an I/O is a copy between the view of a file and the buffer, done at once by the
//! thread itself.

use super::{AtOnce, Direction, Done, Engine, EngineError, File, Io, Setup};
use crate::sys::io_priority::{IoPriority, ThreadIoPriority};
use crate::sys::mapping::{MapOptions, View};
use crate::sys::memory::{Buffer, Slot, SlotMut};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::Duration;

/// Every file is mapped.
pub struct Mmap {
    ios: AtOnce,
    views: Vec<Mapped>,
    thread: ThreadIoPriority,
    buffer: Buffer,
}

impl Mmap {
    pub(super) fn new(setup: Setup) -> Result<Mmap, EngineError> {
        let ios = AtOnce::new(&setup, true);
        let views = setup.files.into_iter().map(Mapped::new).collect::<Result<_, _>>()?;
        Ok(Mmap { ios, views, thread: ThreadIoPriority::default(), buffer: setup.buffer })
    }
}

impl Engine for Mmap {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        let Mmap { ios, views, thread, buffer } = self;
        ios.submit(batch, |io| {
            let view = &mut views[io.file as usize];
            match io.direction {
                Direction::Read => {
                    view.read(io, buffer.slot_mut(io.buffer_offset, io.length as usize), thread)
                }
                Direction::Write => view.write(io, buffer.slot(io.buffer_offset, io.length as usize), thread),
            }
        })
    }

    fn flush(&mut self, request: u32, file: u32) -> Result<(), EngineError> {
        let Mmap { ios, views, .. } = self;
        ios.flush(request, file, || views[file as usize].flush())
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
        "mmap: copies from and to the mapped files".to_string()
    }
}

/// One mapped file.
pub(super) struct Mapped {
    view: View,
    priority: IoPriority,
}

impl Mapped {
    /// Maps the file, as its options say (without any, as by default).
    pub(super) fn new(file: File) -> Result<Mapped, EngineError> {
        let options = file.mapping.unwrap_or_default();
        let name = name(&file.handle);
        let view = View::new(file.handle, options)
            .map_err(|source| EngineError { what: explain(&name, options, &source), source: Some(source) })?;
        Ok(Mapped { view, priority: file.priority })
    }

    /// Does a read into its slot (`None` = not all of that is private memory); returns [`Done::result`].
    /// Pages that have to be read for it are read with the priority of the thread.
    pub(super) fn read(
        &mut self,
        io: &Io,
        slot: Option<SlotMut>,
        thread: &mut ThreadIoPriority,
    ) -> Result<i64, EngineError> {
        thread.set(self.priority).map_err(super::priority_refused)?;
        let Some(slot) = slot else { return Ok(-i64::from(libc::EFAULT)) };
        Ok(result(self.view.read(io.offset, slot)))
    }

    /// Writes to the file what was copied into its view.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.view.flush()
    }

    /// Does a write from its slot, which may be shared; otherwise as [`Mapped::read`].
    pub(super) fn write(
        &mut self,
        io: &Io,
        slot: Option<Slot>,
        thread: &mut ThreadIoPriority,
    ) -> Result<i64, EngineError> {
        thread.set(self.priority).map_err(super::priority_refused)?;
        let Some(slot) = slot else { return Ok(-i64::from(libc::EFAULT)) };
        Ok(result(self.view.write(io.offset, slot)))
    }
}

/// As [`Done::result`] has it.
fn result(copied: io::Result<usize>) -> i64 {
    match copied {
        Ok(bytes) => bytes as i64,
        Err(error) => negated(&error),
    }
}

/// The negated `errno` of an error.
pub(super) fn negated(error: &io::Error) -> i64 {
    -i64::from(error.raw_os_error().unwrap_or(libc::EIO))
}

/// The path of an open file, as the kernel tells it.
fn name(file: &OwnedFd) -> String {
    let link = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
    link.map_or_else(|_| "a file".into(), |path| format!("'{}'", path.display()))
}

fn explain(name: &str, options: MapOptions, error: &std::io::Error) -> String {
    let why = match error.raw_os_error() {
        Some(libc::EOPNOTSUPP) => {
            "-Nn and -Ni need persistent memory that is mapped directly: a file on a file system mounted with -o dax on \
             a pmem device, which this one is not; use -Nv"
        }
        None if error.kind() == std::io::ErrorKind::Unsupported => {
            "-Nn and -Ni are not possible on processors of this architecture; use -Nv"
        }
        Some(libc::ENODEV) => "its file system or device can't be mapped; leave out -Sm",
        Some(libc::EACCES | libc::EPERM) => {
            "it has to be open for reading and writing, on a file system that permits it"
        }
        Some(libc::ENOMEM) => {
            "there is not enough address space, or too many mappings (vm.max_map_count): use fewer threads or targets"
        }
        _ => "the kernel refused",
    };
    let what = if options.flush == Default::default() { "mapped" } else { "mapped as -N asks for" };
    format!("{name} can't be {what}: {why}")
}
