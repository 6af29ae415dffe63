//! Memory-mapped files: an I/O is a copy between the view of a file and the buffer, done at once by the
//! thread itself.

use super::asking::{negated, priority_refused};
use super::at_once::{AtOnce, Perform};
use super::{EngineError, EngineKind, File, Io, Setup, cannot};
use diskspd_model::access::IoPriority;
use diskspd_model::access::MapOptions;
use diskspd_model::operation::Operation;
use diskspd_sys::io_priority::ThreadIoPriority;
use diskspd_sys::mapping::View;
use diskspd_sys::memory::{Buffer, Slot, SlotMut};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// Every file is mapped.
pub(super) struct Mmap {
    views: Vec<Mapped>,
    thread: ThreadIoPriority,
}

impl Mmap {
    /// The engine, of these files.
    ///
    /// # Errors
    /// One of them can't be mapped as its options say.
    pub fn open(setup: Setup) -> Result<AtOnce<Mmap>, EngineError> {
        AtOnce::new(setup, EngineKind::Mmap, |files| {
            let views = files.into_iter().map(Mapped::new).collect::<Result<_, _>>()?;
            Ok(Mmap { views, thread: ThreadIoPriority::default() })
        })
    }
}

impl Perform for Mmap {
    #[inline]
    fn perform(&mut self, io: &Io, buffer: &mut Buffer) -> Result<i64, EngineError> {
        let (view, length) = (&mut self.views[io.file as usize], io.length as usize);
        match io.op {
            Operation::Read => view.read(io, buffer.slot_mut(io.buffer_offset, length), &mut self.thread),
            Operation::Write => view.write(io, buffer.slot(io.buffer_offset, length), &mut self.thread),
            other => view.other(other),
        }
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
        thread.set(self.priority).map_err(priority_refused)?;
        let Some(slot) = slot else { return Ok(-i64::from(libc::EFAULT)) };
        Ok(result(self.view.read(io.offset, slot)))
    }

    /// Writes to the file what was copied into its view; there is nothing else.
    pub(super) fn other(&mut self, op: Operation) -> Result<i64, EngineError> {
        match op {
            Operation::Flush => Ok(self.view.flush().map_or_else(|error| negated(&error), |()| 0)),
            other => Err(cannot(EngineKind::Mmap, other)),
        }
    }

    /// Does a write from its slot, which may be shared; otherwise as [`Mapped::read`].
    pub(super) fn write(
        &mut self,
        io: &Io,
        slot: Option<Slot>,
        thread: &mut ThreadIoPriority,
    ) -> Result<i64, EngineError> {
        thread.set(self.priority).map_err(priority_refused)?;
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

/// The path of an open file, as the kernel tells it.
fn name(file: &OwnedFd) -> String {
    let link = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
    link.map_or_else(|_| "a file".into(), |path| format!("'{}'", path.display()))
}

fn explain(name: &str, options: MapOptions, error: &std::io::Error) -> String {
    let why = match error.raw_os_error() {
        Some(libc::EOPNOTSUPP) => {
            "-Nn and -Ni need directly mapped persistent memory: a file on a file system mounted with -o dax \
             on a pmem device; use -Nv here"
        }
        None if error.kind() == std::io::ErrorKind::Unsupported => {
            "-Nn and -Ni are not possible on processors of this architecture; use -Nv"
        }
        Some(libc::ENODEV) => "its file system or device doesn't support mmap; leave out -Sm",
        Some(libc::EACCES | libc::EPERM) => {
            "it must be open for reading and writing, on a file system that allows mapping"
        }
        Some(libc::ENOMEM) => {
            "there is not enough address space, or too many mappings (vm.max_map_count): use fewer threads or targets"
        }
        _ => "the kernel refused",
    };
    let what = if options.flush == Default::default() { "mapped" } else { "mapped as -N asks for" };
    format!("{name} can't be {what}: {why}")
}
