//! Creation of the engines that use the Linux kernel.

pub mod aio;
mod nowait;
pub mod nvme;
mod resets;
mod sync;
pub mod uring;

use super::mixed::MixedEngine;
use super::mmap::Mmap;
use super::{AvailabilityError, Engine, EngineError, EngineKind, EngineRow, Setup};
use nowait::Nowait;
use resets::Resets;
use sync::Sync;
use uring::RingOptions;

/// Whether an engine works on this machine, in this process.
///
/// # Errors
/// Fails with the cause and a remedy.
pub(super) fn available(kind: EngineKind) -> Result<(), AvailabilityError> {
    match kind {
        EngineKind::Uring | EngineKind::Nvme => uring::probe(),
        EngineKind::Aio => aio::probe(),
        EngineKind::Port | EngineKind::Routines => {
            let (reason, remedy) = ("it needs Windows", "use --engine uring, aio or sync");
            Err(AvailabilityError { reason: reason.into(), remedy: remedy.into(), lacking: false })
        }
        _ => Ok(()),
    }
}

/// Creates an engine for the calling thread, regardless of its files.
pub(super) fn create(row: &EngineRow, setup: Setup) -> Result<Box<dyn Engine>, EngineError> {
    create_with(row, setup, RingOptions::default())
}

/// As [`create`], without registration of the buffer.
pub(super) fn create_unregistered(row: &EngineRow, setup: Setup) -> Result<Box<dyn Engine>, EngineError> {
    create_with(row, setup, RingOptions { registered_buffer: false, ..RingOptions::default() })
}

fn create_with(row: &EngineRow, setup: Setup, options: RingOptions) -> Result<Box<dyn Engine>, EngineError> {
    available_by_kind(row)?;
    if setup.files.iter().any(|file| file.ways.no_wait) {
        return Ok(Box::new(Nowait::new(setup, |doubled| open_all(row, doubled, options))?));
    }
    open_all(row, setup, options)
}

fn available_by_kind(row: &EngineRow) -> Result<(), EngineError> {
    match row.kind {
        EngineKind::Port | EngineKind::Routines => available(row.kind).map_err(|why| EngineError {
            what: format!("engine {} is not available: {why}", row.name),
            source: None,
        }),
        _ => Ok(()),
    }
}

/// Creates an engine for files, some of which may be mapped.
fn open_all(row: &EngineRow, setup: Setup, options: RingOptions) -> Result<Box<dyn Engine>, EngineError> {
    if row.kind != EngineKind::Mmap && setup.files.iter().any(|file| file.mapping.is_some()) {
        return Ok(Box::new(MixedEngine::new(setup, row.kind, |others| open(row, others, options))?));
    }
    beside_resets(row, setup, |setup| open(row, setup, options))
}

/// Makes an engine of files of which some may have zones, which it may have no queue entry to empty.
fn beside_resets(
    row: &EngineRow,
    setup: Setup,
    open: impl FnOnce(Setup) -> Result<Box<dyn Engine>, EngineError>,
) -> Result<Box<dyn Engine>, EngineError> {
    let queued = matches!(row.kind, EngineKind::Uring | EngineKind::Aio);
    match queued && setup.files.iter().any(|file| file.zoned) {
        true => Ok(Box::new(Resets::new(setup, open)?)),
        false => open(setup),
    }
}

fn open(row: &EngineRow, setup: Setup, options: RingOptions) -> Result<Box<dyn Engine>, EngineError> {
    Ok(match row.kind {
        EngineKind::Uring => Box::new(uring::Uring::new(setup, options)?),
        EngineKind::Aio => aio::Aio::open(setup)?,
        EngineKind::Mmap => Box::new(Mmap::open(setup)?),
        EngineKind::Nvme => Box::new(nvme::open(setup, options)?),
        _ if setup.files.iter().all(|file| file.ways.are_plain()) => Box::new(Sync::<false>::open(setup)?),
        _ => Box::new(Sync::<true>::open(setup)?),
    })
}
