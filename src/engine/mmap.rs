//! Memory-mapped files: an I/O is a copy between the view of a file and the buffer, done at once by the thread itself.

use super::{Direction, Done, Engine, EngineError, File, Io, Limits, Setup};
use crate::sys::io_priority::{IoPriority, ThreadIoPriority};
use crate::sys::mapping::{MapOptions, View};
use crate::sys::memory::Buffer;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::Duration;

/// Every file is mapped.
pub struct Mmap {
    limits: Limits,
    views: Vec<Mapped>,
    thread: ThreadIoPriority,
    buffer: Buffer,
    taken: Vec<Done>,
}

impl Mmap {
    pub(super) fn new(setup: Setup) -> Result<Mmap, EngineError> {
        let limits = Limits::of(&setup, true);
        let views = setup.files.into_iter().map(Mapped::new).collect::<Result<_, _>>()?;
        let taken = Vec::with_capacity(setup.depth as usize);
        Ok(Mmap { limits, views, thread: ThreadIoPriority::default(), buffer: setup.buffer, taken })
    }
}

impl Engine for Mmap {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        let room = self.limits.depth as usize - self.taken.len();
        let batch = &batch[..batch.len().min(room)];
        for io in batch {
            if !self.limits.allow(io) {
                return Err(self.limits.refuse(io));
            }
            let view = &mut self.views[io.file as usize];
            self.taken.push(view.perform(io, self.buffer.as_mut_slice(), &mut self.thread)?);
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

    /// Does one I/O. Pages that have to be read for it are read with the priority of the thread.
    pub(super) fn perform(
        &mut self,
        io: &Io,
        buffer: &mut [u8],
        thread: &mut ThreadIoPriority,
    ) -> Result<Done, EngineError> {
        thread.set(self.priority).map_err(super::priority_refused)?;
        let slot = &mut buffer[io.buffer_offset..io.buffer_offset + io.length as usize];
        let result = match io.direction {
            Direction::Read => self.view.read(io.offset, slot),
            Direction::Write => self.view.write(io.offset, slot),
        };
        let result = match result {
            Ok(bytes) => bytes as i64,
            Err(error) => -i64::from(error.raw_os_error().unwrap_or(libc::EIO)),
        };
        Ok(Done { request: io.request, result })
    }
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
