//! Engines: how an I/O reaches the storage.
//!
//! One engine is one queue, owned by one worker thread. It owns the buffers too and drains when dropped, so that the
//! kernel never writes into freed memory. Engines know nothing of profiles, patterns or statistics.

use crate::clock::Clock;
use crate::sys::memory::Buffer;
use std::os::fd::OwnedFd;
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
    pub files: Vec<OwnedFd>,
    /// Memory for all I/Os.
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
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError>;

    /// Appends what has completed to `done`: waits until at least `min` I/Os have (0 = don't wait), or `timeout` has
    /// passed. Interrupted by a signal or at the end of `timeout` it returns with fewer; that is no error.
    /// Never returns more than [`Setup::depth`] completions.
    fn wait(&mut self, min: usize, timeout: Duration, done: &mut Vec<Done>) -> Result<(), EngineError>;

    /// The memory of all I/Os, to prepare what is written next. Parts that are in flight must not be touched.
    fn buffer(&mut self) -> &mut Buffer;

    /// One line on what the engine makes use of, for `-v` and the record: `io_uring: single issuer, registered files`.
    fn features(&self) -> String;
}

/// The engines there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineKind {
    /// io_uring.
    Uring,
    /// `pread(2)`, `pwrite(2)`.
    Sync,
    /// Completes at once, without any I/O: measures the program itself.
    Null,
    /// A seeded model of a device on a virtual clock.
    Sim,
}

/// Why an engine can't go on. The run fails with it.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {source}")]
pub struct EngineError {
    /// What was being done, with likely cause and remedy where known.
    pub what: String,
    /// The kernel's answer.
    pub source: std::io::Error,
}
