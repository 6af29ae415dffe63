//! Engines: how an I/O reaches the storage.
//!
//! One engine is one queue, owned by one worker thread. It owns the buffers too and drains when dropped, so that the
//! kernel never writes into freed memory. Engines know nothing of profiles, patterns or statistics.

pub mod aio;
mod at_once;
mod file;
mod limits;
mod mixed;
mod mmap;
mod null;
pub mod sim;
mod sync;
pub mod uring;

use crate::clock::Clock;
use crate::sys::io_priority::IoPriority;
use crate::sys::memory::{Buffer, Slot, SlotMut};
/// Most bytes of one I/O; engines refuse anything longer.
pub use crate::sys::transfer::MAX_LENGTH;
use crate::sys::transfer::Transfer;
use at_once::AtOnce;
pub use file::File;
use limits::Limits;
use std::ops::Range;
use std::time::Duration;

/// Direction of an I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From the target into the buffer.
    Read,
    /// From the buffer to the target.
    Write,
}

/// One I/O to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Io {
    /// The request this I/O belongs to; comes back in [`Done::request`]. Below [`Setup::depth`], and at most one I/O
    /// of a request is in flight.
    pub request: u32,
    /// Index into [`Setup::files`].
    pub file: u32,
    /// Read or write.
    pub direction: Direction,
    /// Byte offset in the file.
    pub offset: u64,
    /// Bytes to transfer.
    pub length: u32,
    /// Where in [`Setup::buffer`] the data lies, bytes from its start. `buffer_offset + length` is within it.
    pub buffer_offset: usize,
}

impl Io {
    /// No I/O: what a request has that never had one.
    pub const NONE: Io =
        Io { request: 0, file: 0, direction: Direction::Read, offset: 0, length: 0, buffer_offset: 0 };

    /// Its data in the memory.
    #[inline]
    fn place(&self) -> Range<usize> {
        self.buffer_offset..self.buffer_offset + self.length as usize
    }

    /// For the queues of the kernel; priorities by file.
    #[inline]
    fn transfer(&self, priorities: &[IoPriority]) -> Transfer {
        Transfer {
            write: self.direction == Direction::Write,
            file: self.file,
            offset: self.offset,
            start: self.buffer_offset,
            length: self.length,
            tag: self.request,
            priority: priorities.get(self.file as usize).copied().unwrap_or_default(),
        }
    }
}

/// One I/O that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Done {
    /// [`Io::request`] of the I/O.
    pub request: u32,
    /// Bytes transferred, or the negated `errno`.
    pub result: i64,
}

/// What an engine is made of. It takes over files and buffer for its life.
#[derive(Debug)]
pub struct Setup {
    /// Open files, addressed by index. Empty slots are not allowed; `null` and `sim` ignore the list and take none.
    pub files: Vec<File>,
    /// Memory for all I/Os; what is shared of it is only written from.
    pub buffer: Buffer,
    /// Largest number of I/Os in flight; at least 1.
    pub depth: u32,
    /// The clock of the worker; the simulated engine moves it.
    pub clock: Clock,
    /// Seed of the simulated device; other engines ignore it.
    pub seed: u64,
}

/// One queue of I/Os.
///
/// ```text
/// stamp start ─▶ submit(batch) ─▶ wait(1, ..) ─▶ stamp end ─▶ account ─▶ refill ─▶ ...
/// ```
///
/// `submit` may keep what it took until the next `wait`, which hands it to the kernel and waits in one system call.
/// That is why a `wait` must follow every `submit`, and why the start stamp is read just before `submit`.
pub trait Engine {
    /// Takes I/Os from the front of the batch; returns how many. Less than all only when the queue is full; then wait.
    ///
    /// # Errors
    /// An I/O that breaks the rules of [`Io`]; those before it in the batch may have been taken.
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError>;

    /// Appends what has completed to `done`: waits until at least `min` I/Os have (0 = don't wait), or `timeout` has
    /// passed. Interrupted by a signal or at the end of `timeout` it returns with fewer; that is no error.
    /// A `min` above what is in flight means all of that: with nothing in flight it returns at once.
    /// Never returns more than [`Setup::depth`] completions; room for so many in `done` avoids allocation here.
    fn wait(&mut self, min: usize, timeout: Duration, done: &mut Vec<Done>) -> Result<(), EngineError>;

    /// The data of an I/O, to look at what was read: in the private memory or in the shared part behind it. `None` = it
    /// doesn't lie within them. (Neither slices nor the [`Buffer`] are handed out: the kernel may be at any part.)
    fn slot(&self, io: &Io) -> Option<Slot<'_>>;

    /// The private memory, to prepare what is written next; before it's handed over, else it carries old and new data mixed.
    fn memory_mut(&mut self) -> SlotMut<'_>;

    /// The data of one I/O in it; `None` = it doesn't lie within the private memory.
    fn slot_mut(&mut self, io: &Io) -> Option<SlotMut<'_>> {
        self.memory_mut().part(io.buffer_offset, io.length as usize)
    }

    /// The I/Os on this file ([`Io::file`]) block in the call that hands them over unless workers of the kernel do them. To be
    /// said before the first of them; engines without such workers make nothing of it.
    fn use_workers(&mut self, _file: u32) {}

    /// Why the kernel has to pin the memory of every single I/O, which is slower than an engine of this kind can be;
    /// `None` = it hasn't, or that's how all such engines are.
    fn unregistered(&self) -> Option<&uring::Unregistered> {
        None
    }

    /// One line on what the engine makes use of, for `-v` and the record: `io_uring: single issuer, registered files`.
    fn features(&self) -> String;
}

/// The engines there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineKind {
    /// io_uring.
    Uring,
    /// Linux AIO (libaio's interface).
    Aio,
    /// `pread(2)`, `pwrite(2)`.
    Sync,
    /// Copies from and to mapped files (`-Sm`).
    Mmap,
    /// Completes at once, without any I/O: measures the program itself.
    Null,
    /// A seeded model of a device on a virtual clock.
    Sim,
    /// The same, with a fast cache for writes that fills up.
    SimCliff,
    /// The same, with a rate that it only exceeds for a while.
    SimThrottle,
    /// The same, growing slower for a minute.
    SimDrift,
    /// The same, standing still for a second now and then.
    SimStall,
}

impl EngineKind {
    /// The engine of that name, as `--engine` takes it.
    pub fn from_name(name: &str) -> Option<EngineKind> {
        ENGINES.iter().find(|row| row.name == name).map(|row| row.kind)
    }

    /// Whether the thread itself does the I/O, before [`Engine::wait`], so that there is nothing to wait for.
    pub fn is_synchronous(self) -> bool {
        self.row().one_at_a_time
    }

    /// Its row in [`ENGINES`].
    pub fn row(self) -> &'static EngineRow {
        match self {
            EngineKind::Uring => &ENGINES[0],
            EngineKind::Aio => &ENGINES[1],
            EngineKind::Sync => &ENGINES[2],
            EngineKind::Mmap => &ENGINES[3],
            EngineKind::Null => &ENGINES[4],
            EngineKind::Sim => &ENGINES[5],
            EngineKind::SimCliff => &ENGINES[6],
            EngineKind::SimThrottle => &ENGINES[7],
            EngineKind::SimDrift => &ENGINES[8],
            EngineKind::SimStall => &ENGINES[9],
        }
    }
}

/// One engine: what it is, what it can do, and how to get one.
#[derive(Debug)]
pub struct EngineRow {
    /// Which one.
    pub kind: EngineKind,
    /// What `--engine` calls it.
    pub name: &'static str,
    /// One line for the help.
    pub description: &'static str,
    /// Largest [`Setup::depth`].
    pub max_depth: u32,
    /// Whether data moves at all.
    pub real_io: bool,
    /// Whether [`Setup::files`] is needed.
    pub needs_files: bool,
    /// Whether an I/O has ended when it has been handed over: a thread then does them one by one, in the order of its
    /// requests, and more outstanding I/Os are only more places in the buffer.
    pub one_at_a_time: bool,
    /// Whether time is simulated: [`Setup::clock`] must then be a [`Clock::Virtual`].
    pub virtual_time: bool,
    probe: fn() -> Result<(), Unavailable>,
    open: fn(Setup) -> Result<Box<dyn Engine>, EngineError>,
}

/// Every engine, in the order of the help.
pub const ENGINES: [EngineRow; 10] = [
    EngineRow {
        kind: EngineKind::Uring,
        name: "uring",
        description: "io_uring: many I/Os in flight from one thread",
        max_depth: uring::MAX_DEPTH,
        real_io: true,
        needs_files: true,
        one_at_a_time: false,
        virtual_time: false,
        probe: uring::probe,
        open: |setup| Ok(Box::new(uring::Uring::new(setup, uring::Options::default())?)),
    },
    EngineRow {
        kind: EngineKind::Aio,
        name: "aio",
        description: "Linux AIO, the interface of libaio: many I/Os in flight from one thread, but only without the \
                      cache (-Su, -Sh); through the cache the kernel does them one after the other, in io_submit",
        max_depth: aio::MAX_DEPTH,
        real_io: true,
        needs_files: true,
        one_at_a_time: false,
        virtual_time: false,
        probe: aio::probe,
        open: aio::Aio::open,
    },
    EngineRow {
        kind: EngineKind::Sync,
        name: "sync",
        description: "pread and pwrite: one I/O at a time, whatever -o says",
        max_depth: MODEL_DEPTH,
        real_io: true,
        needs_files: true,
        one_at_a_time: true,
        virtual_time: false,
        probe: always,
        open: |setup| Ok(Box::new(sync::Sync::new(setup))),
    },
    EngineRow {
        kind: EngineKind::Mmap,
        name: "mmap",
        description: "copies from and to memory-mapped files, one at a time: for -Sm, and chosen by it",
        max_depth: MODEL_DEPTH,
        real_io: true,
        needs_files: true,
        one_at_a_time: true,
        virtual_time: false,
        probe: always,
        open: |setup| Ok(Box::new(mmap::Mmap::new(setup)?)),
    },
    EngineRow {
        kind: EngineKind::Null,
        name: "null",
        description: "completes at once without any I/O: measures the program itself",
        max_depth: MODEL_DEPTH,
        real_io: false,
        needs_files: false,
        one_at_a_time: false,
        virtual_time: false,
        probe: always,
        open: |setup| Ok(Box::new(null::Null::new(setup))),
    },
    EngineRow {
        kind: EngineKind::Sim,
        name: "sim",
        description: "a seeded model of an NVMe drive on a virtual clock: the same figures on every machine",
        open: |setup| Ok(Box::new(sim::Sim::new(setup, sim::SimDevice::default()))),
        ..SIMULATED
    },
    EngineRow {
        kind: EngineKind::SimCliff,
        name: "sim:cliff",
        description: "the same with a fast write cache of 64 GiB for each thread; what is written after that takes five \
                      times as long",
        open: |setup| Ok(Box::new(sim::Sim::new(setup, sim::SimDevice::cliff()))),
        ..SIMULATED
    },
    EngineRow {
        kind: EngineKind::SimThrottle,
        name: "sim:throttle",
        description: "the same, limited to 3000 I/Os per second and thread once 150,000 more than that have been done",
        open: |setup| Ok(Box::new(sim::Sim::new(setup, sim::SimDevice::throttle()))),
        ..SIMULATED
    },
    EngineRow {
        kind: EngineKind::SimDrift,
        name: "sim:drift",
        description: "the same, every I/O taking longer and longer for the first minute, twice as long in the end",
        open: |setup| Ok(Box::new(sim::Sim::new(setup, sim::SimDevice::drift()))),
        ..SIMULATED
    },
    EngineRow {
        kind: EngineKind::SimStall,
        name: "sim:stall",
        description: "the same, beginning no I/O for one second of every six",
        open: |setup| Ok(Box::new(sim::Sim::new(setup, sim::SimDevice::stall()))),
        ..SIMULATED
    },
];

/// What simulated devices have in common.
const SIMULATED: EngineRow = EngineRow {
    kind: EngineKind::Sim,
    name: "",
    description: "",
    max_depth: MODEL_DEPTH,
    real_io: false,
    needs_files: false,
    one_at_a_time: false,
    virtual_time: true,
    probe: always,
    open: |setup| Ok(Box::new(sim::Sim::new(setup, sim::SimDevice::default()))),
};

/// Depth of the engines without a kernel queue: bounds their memory, 64 MiB at most.
const MODEL_DEPTH: u32 = 1 << 20;

fn always() -> Result<(), Unavailable> {
    Ok(())
}

impl EngineRow {
    /// Whether the engine works on this machine, in this process.
    ///
    /// # Errors
    /// Why not, and what to do about it.
    pub fn available(&self) -> Result<(), Unavailable> {
        (self.probe)()
    }

    /// Makes one, for the calling thread. Files that are mapped among others that aren't are served beside the engine.
    ///
    /// # Errors
    /// A setup that the engine can't serve, or what the kernel refused. Never another engine instead.
    pub fn create(&self, setup: Setup) -> Result<Box<dyn Engine>, EngineError> {
        if setup.depth == 0 {
            return Err(EngineError::invalid(format!(
                "engine {}: queue depth 0, at least 1 is needed",
                self.name
            )));
        }
        if setup.depth > self.max_depth {
            return Err(EngineError::invalid(format!(
                "engine {}: queue depth {}, at most {} is possible; use a smaller -o with more threads (-t)",
                self.name, setup.depth, self.max_depth
            )));
        }
        if self.virtual_time && !matches!(setup.clock, Clock::Virtual(_)) {
            return Err(EngineError::invalid(format!("engine {} needs a virtual clock", self.name)));
        }
        if self.real_io && self.kind != EngineKind::Mmap && setup.files.iter().any(|f| f.mapping.is_some()) {
            return Ok(Box::new(mixed::Mixed::new(setup, self)?));
        }
        (self.open)(setup)
    }
}

/// The text of `--engine help`: every engine, and whether it works here.
pub fn describe_all() -> String {
    let mut text =
        "auto   the default: for each thread the engine that suits its work and its targets;\n       \
                    --dry-run, -v and the record (--out FILE.json) say which, and why\n"
            .to_string();
    for row in &ENGINES {
        let state = match row.available() {
            Ok(()) => format!("available, queue depth up to {}", row.max_depth),
            Err(why) => format!("not available: {why}"),
        };
        text += &format!("{:<12} {}\n             {state}\n", row.name, row.description);
    }
    text
}

/// Why an engine does not work here. Prints as `reason; remedy`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}; {remedy}")]
pub struct Unavailable {
    /// What is in the way.
    pub reason: String,
    /// What to do about it.
    pub remedy: String,
    /// Whether it is a matter of resources, which may be there another time or for fewer threads. Else the machine has no
    /// such engine, or forbids it.
    pub lacking: bool,
}

/// Why an engine can't go on. The run fails with it.
#[derive(Debug, thiserror::Error)]
#[error("{what}{}", source.as_ref().map(|source| format!(": {source}")).unwrap_or_default())]
pub struct EngineError {
    /// What was being done, with likely cause and remedy where known.
    pub what: String,
    /// The kernel's answer; `None` = it has been put in words already.
    pub source: Option<std::io::Error>,
}

impl EngineError {
    /// A setup or an I/O that breaks the rules.
    fn invalid(what: String) -> EngineError {
        EngineError { what, source: Some(std::io::ErrorKind::InvalidInput.into()) }
    }
}

/// The kernel refused to give the thread an I/O priority.
#[cold]
fn priority_refused(source: std::io::Error) -> EngineError {
    let what = "the I/O priority (-I) can't be set for this thread; leave out -I".to_string();
    EngineError { what, source: Some(source) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_row_and_name() {
        for row in &ENGINES {
            assert_eq!(row.kind.row().name, row.name);
            assert_eq!(EngineKind::from_name(row.name), Some(row.kind));
            assert!(describe_all().contains(row.description));
        }
        assert_eq!(EngineKind::from_name("Uring"), None);
        assert_eq!(EngineKind::from_name(""), None);
    }
}
