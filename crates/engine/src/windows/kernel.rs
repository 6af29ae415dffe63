//! Engines of Windows' kernel, and their construction. Linux's engines are unavailable.

#[path = "overlapped.rs"]
pub(super) mod overlapped;

use super::at_once::SynchronousEngine;
use super::mixed::MixedEngine;
use super::mmap::Mmap;
use super::unavailable::AvailabilityError;
use super::{Engine, EngineError, EngineKind, EngineRow, Setup};
use diskspd_sys::overlapped::CompletionNotice;
use overlapped::{FileCalls, Overlapped};

/// Checks that an engine works on this machine.
///
/// # Errors
/// Fails for an engine of Linux.
pub(super) fn available(kind: EngineKind) -> Result<(), AvailabilityError> {
    match kind {
        EngineKind::Port | EngineKind::Routines | EngineKind::Sync | EngineKind::Mmap => Ok(()),
        _ => {
            let (reason, remedy) = ("it needs Linux", "leave out --engine, or use iocp, apc or sync");
            Err(AvailabilityError { reason: reason.into(), remedy: remedy.into(), lacking: false })
        }
    }
}

/// Makes one for the calling thread.
///
/// # Errors
/// Fails with the system's error, or for an engine of Linux.
pub(super) fn create(row: &EngineRow, setup: Setup) -> Result<Box<dyn Engine>, EngineError> {
    available(row.kind).map_err(|why| EngineError {
        what: format!("engine {} is not available: {why}", row.name),
        source: None,
    })?;
    // Mapped files among others are served beside the queue.
    if row.kind != EngineKind::Mmap && setup.files.iter().any(|file| file.mapping.is_some()) {
        return Ok(Box::new(MixedEngine::new(setup, row.kind, |others| open(row, others))?));
    }
    open(row, setup)
}

fn open(row: &EngineRow, setup: Setup) -> Result<Box<dyn Engine>, EngineError> {
    Ok(match row.kind {
        EngineKind::Mmap => Box::new(Mmap::open(setup)?),
        EngineKind::Port => Box::new(Overlapped::open(setup, row.kind, CompletionNotice::AtPort)?),
        EngineKind::Routines => Box::new(Overlapped::open(setup, row.kind, CompletionNotice::ByRoutine)?),
        _ => Box::new(SynchronousEngine::new(setup, row.kind, |files| Ok(FileCalls::new(files)))?),
    })
}

/// As [`create`], because no engine registers its buffer on Windows.
pub(super) fn create_unregistered(row: &EngineRow, setup: Setup) -> Result<Box<dyn Engine>, EngineError> {
    create(row, setup)
}
