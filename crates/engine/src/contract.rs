//! The interface of an engine: its setup, its I/Os and its methods.

#![warn(missing_docs)]

use super::{EngineKind, File};
use diskspd_base::operation::Operation;
use diskspd_sys::clock::Clock;
use diskspd_sys::memory::{Buffer, Slot, SlotMut};
use diskspd_sys::pin_error::PinError;
use std::time::Duration;

/// I/O to be performed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Io {
    /// The request of this I/O, below [`Setup::depth`]; returned in [`CompletedIo::request`]. At most one I/O
    /// of a request is in flight.
    pub request: u32,
    /// Index into [`Setup::files`].
    pub file: u32,
    /// Operation; must be supported by the engine (`EngineRow::supports`). Operations
    /// that modify data need a file that is open for writing.
    pub op: Operation,
    /// Byte offset in the file.
    pub offset: u64,
    /// Bytes to transfer, or affected by the operation; 0 for a flush.
    pub length: u32,
    /// Position of the data in [`Setup::buffer`] in bytes. `buffer_offset + length` is within the buffer; any
    /// value if no data is transferred.
    pub buffer_offset: usize,
}

impl Io {
    /// Placeholder of a request without a previous I/O.
    pub const NONE: Io =
        Io { request: 0, file: 0, op: Operation::Read, offset: 0, length: 0, buffer_offset: 0 };
}

/// Completed I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompletedIo {
    /// [`Io::request`] of the I/O.
    pub request: u32,
    /// Bytes transferred, or the negated `errno`. Any non-negative value means success if the operation
    /// moves no data.
    pub result: i64,
}

/// Configuration of an engine. The engine owns the files and the buffer until it is dropped.
#[derive(Debug)]
pub struct Setup {
    /// Open files, addressed by index. Empty slots are not allowed; `null` and `sim` ignore the list and
    /// take none.
    pub files: Vec<File>,
    /// Memory of all I/Os; the shared part is only a source of writes.
    pub buffer: Buffer,
    /// Maximum number of I/Os in flight, at least 1.
    pub depth: u32,
    /// Clock of the worker, advanced by the simulated engine.
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
/// `submit` may defer I/Os until the next `wait`, which submits them and waits in one system call. A
/// `wait` must therefore follow every `submit`, and the start stamp is read just before `submit`.
pub trait Engine {
    /// Takes I/Os from the front of the batch and returns their number. It takes fewer than all only if
    /// the queue is full; then call `wait`.
    ///
    /// # Errors
    /// Fails for an I/O that violates the rules of [`Io`] or that the engine does not support. Earlier
    /// I/Os of the batch may have been taken.
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError>;

    /// Appends completions to `done`. Waits until at least `min` I/Os have completed (0 = don't wait), or
    /// `timeout` has passed. Returns fewer after a signal or at the end of `timeout`, which is not an
    /// error.
    ///
    /// A `min` above the number in flight means all I/Os in flight; with none in flight it returns
    /// immediately. Never returns more than [`Setup::depth`] completions; that capacity in `done` avoids
    /// allocation here.
    fn wait(&mut self, min: usize, timeout: Duration, done: &mut Vec<CompletedIo>)
    -> Result<(), EngineError>;

    /// Returns the data of an I/O, for checks of read data. It is in the private memory or in the shared
    /// part after it. `None` if the range is outside both. (Neither slices nor the [`Buffer`] are handed
    /// out, because the kernel may access any part.)
    fn slot(&self, io: &Io) -> Option<Slot<'_>>;

    /// Returns the private memory for preparing the next write. Call it before submission; otherwise the
    /// I/O contains a mix of old and new data.
    fn memory_mut(&mut self) -> SlotMut<'_>;

    /// Returns the features and notes of the engine, fixed since its creation.
    fn info(&self) -> EngineInfo<'_>;

    /// Whether the last completed I/O of a request would have waited (`--nowait`), so it was refused and
    /// repeated. Valid until the request has another I/O.
    fn would_block(&self, _request: u32) -> bool {
        false
    }
}

impl dyn Engine + '_ {
    /// Returns the data of one I/O in its private memory; `None` if the range is outside.
    pub fn slot_mut(&mut self, io: &Io) -> Option<SlotMut<'_>> {
        self.memory_mut().part(io.buffer_offset, io.length as usize)
    }
}

/// Features and notes of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineInfo<'a> {
    /// Summary in one line for `-v` and the record.
    pub features: String,
    /// Reason for pinning the memory of each I/O separately, which is slower than possible with this kind of
    /// engine ([`EngineRow::pins_once`](super::EngineRow::pins_once)); `None` = memory is pinned once, or
    /// this kind cannot do that.
    pub not_pinned: Option<&'a PinError>,
}

impl EngineInfo<'_> {
    /// Describes an engine by its features, without notes.
    pub fn features(features: impl Into<String>) -> EngineInfo<'static> {
        EngineInfo { features: features.into(), not_pinned: None }
    }
}

/// Reason why an engine cannot continue. The run fails with it.
#[derive(Debug, thiserror::Error)]
#[error("{what}{}", source.as_ref().map(|source| format!(": {source}")).unwrap_or_default())]
pub struct EngineError {
    /// Failed action, with likely cause and remedy if known.
    pub what: String,
    /// Error of the kernel; `None` = described by the text.
    pub source: Option<std::io::Error>,
}

impl EngineError {
    /// Creates the error of a setup or I/O that violates the rules.
    pub(super) fn invalid(what: String) -> EngineError {
        EngineError { what, source: Some(std::io::ErrorKind::InvalidInput.into()) }
    }
}

/// Creates the error of an unsupported operation, which plans exclude.
#[cold]
pub(super) fn cannot(engine: EngineKind, op: Operation) -> EngineError {
    let (name, row) = (engine.row().name, op.row());
    let (what, option) = row.other.as_ref().map_or((row.name, ""), |other| (other.plural, other.option));
    EngineError::invalid(format!("engine {name} cannot do {what} ({option}): use --engine uring or sync"))
}
