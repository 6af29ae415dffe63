//! What an engine is given, and what it does.

#![warn(missing_docs)]

use super::{EngineKind, File};
use diskspd_model::operation::Operation;
use diskspd_sys::clock::Clock;
use diskspd_sys::memory::{Buffer, Slot, SlotMut};
use std::time::Duration;

/// One I/O to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Io {
    /// The request this I/O belongs to; comes back in [`Done::request`]. Below [`Setup::depth`], and at
    /// most one I/O of a request is in flight.
    pub request: u32,
    /// Index into [`Setup::files`].
    pub file: u32,
    /// What is done; one of those that the engine can do
    /// ([`EngineRow::can`](super::EngineRow::can)). What changes something needs a file that is open for
    /// writing.
    pub op: Operation,
    /// Byte offset in the file.
    pub offset: u64,
    /// Bytes to transfer, or that the operation concerns; 0 of a flush.
    pub length: u32,
    /// Where in [`Setup::buffer`] the data lies, bytes from its start. `buffer_offset + length` is within it;
    /// anything where no data moves.
    pub buffer_offset: usize,
}

impl Io {
    /// No I/O: what a request has that never had one.
    pub const NONE: Io =
        Io { request: 0, file: 0, op: Operation::Read, offset: 0, length: 0, buffer_offset: 0 };
}

/// One I/O that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Done {
    /// [`Io::request`] of the I/O.
    pub request: u32,
    /// Bytes transferred, or the negated `errno`. Where no data moves, whatever isn't negative means that it
    /// went well.
    pub result: i64,
}

/// What an engine is made of. It takes over files and buffer for its life.
#[derive(Debug)]
pub struct Setup {
    /// Open files, addressed by index. Empty slots are not allowed; `null` and `sim` ignore the list and
    /// take none.
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
/// `submit` may keep what it took until the next `wait`, which hands it to the kernel and waits in one
/// system call. That is why a `wait` must follow every `submit`, and why the start stamp is read just
/// before `submit`.
pub trait Engine {
    /// Takes I/Os from the front of the batch, whatever they do; returns how many. Less than all only when
    /// the queue is full; then wait.
    ///
    /// # Errors
    /// An I/O that breaks the rules of [`Io`], or that the engine can't do; those before it in the batch may
    /// have been taken.
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError>;

    /// Appends what has completed to `done`: waits until at least `min` I/Os have (0 = don't wait), or
    /// `timeout` has passed. Interrupted by a signal or at the end of `timeout` it returns with fewer; that
    /// is no error. A `min` above what is in flight means all of that: with nothing in flight it returns at
    /// once. Never returns more than [`Setup::depth`] completions; room for so many in `done` avoids
    /// allocation here.
    fn wait(&mut self, min: usize, timeout: Duration, done: &mut Vec<Done>) -> Result<(), EngineError>;

    /// The data of an I/O, to look at what was read: in the private memory or in the shared part behind it.
    /// `None` = it doesn't lie within them. (Neither slices nor the [`Buffer`] are handed out: the kernel
    /// may be at any part.)
    fn slot(&self, io: &Io) -> Option<Slot<'_>>;

    /// The private memory, to prepare what is written next; before it's submitted, else it carries old
    /// and new data mixed.
    fn memory_mut(&mut self) -> SlotMut<'_>;

    /// What it makes use of, known since it was made.
    fn about(&self) -> AboutEngine<'_>;

    /// Whether the I/O of a request, which has ended and whose request has no other one yet, would have
    /// waited (`--nowait`): it was refused, and done again.
    fn missed(&self, _request: u32) -> bool {
        false
    }
}

impl dyn Engine + '_ {
    /// The data of one I/O in its private memory; `None` = it doesn't lie within.
    pub fn slot_mut(&mut self, io: &Io) -> Option<SlotMut<'_>> {
        self.memory_mut().part(io.buffer_offset, io.length as usize)
    }
}

/// What an engine makes use of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AboutEngine<'a> {
    /// One line for `-v` and the record.
    pub features: String,
    /// Why the kernel has to pin the memory of every single I/O, which is slower than an engine of this
    /// kind can be ([`EngineRow::pins_once`](super::EngineRow::pins_once)); `None` = it hasn't, or that's
    /// how all such engines are.
    pub not_pinned: Option<&'a NotPinned>,
}

impl AboutEngine<'_> {
    /// That of an engine that pins as all of its kind do.
    pub fn features(features: impl Into<String>) -> AboutEngine<'static> {
        AboutEngine { features: features.into(), not_pinned: None }
    }
}

/// Why the memory of all I/Os isn't pinned once for all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotPinned {
    /// The limit of locked memory is too small.
    Limit,
    /// It is larger than the kernel pins at once.
    TooLarge,
    /// The kernel's answer.
    Refused(String),
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
    pub(super) fn invalid(what: String) -> EngineError {
        EngineError { what, source: Some(std::io::ErrorKind::InvalidInput.into()) }
    }
}

/// An operation that the engine doesn't have: plans know that.
#[cold]
pub(super) fn cannot(engine: EngineKind, op: Operation) -> EngineError {
    let (name, row) = (engine.row().name, op.row());
    let (what, option) = row.other.as_ref().map_or((row.name, ""), |other| (other.plural, other.option));
    EngineError::invalid(format!("engine {name} can't do {what} ({option}): use --engine uring or sync"))
}
