//! A system whose kernel no engine asks yet: none of those that do can be had.

use super::unavailable::Unavailable;
use super::{Engine, EngineError, EngineKind, EngineRow, Setup};

/// Whether an engine works on this machine.
///
/// # Errors
/// Always.
pub(super) fn available(_: EngineKind) -> Result<(), Unavailable> {
    let (reason, remedy) = ("it asks Linux's kernel", "--engine sim and its like run here");
    Err(Unavailable { reason: reason.into(), remedy: remedy.into(), lacking: false })
}

/// Makes none.
///
/// # Errors
/// Always.
pub(super) fn create(row: &EngineRow, _: Setup) -> Result<Box<dyn Engine>, EngineError> {
    let why = available(row.kind).map_or_else(|why| why.to_string(), |()| String::new());
    Err(EngineError { what: format!("engine {} is not available: {why}", row.name), source: None })
}

/// The same.
///
/// # Errors
/// Always.
pub(super) fn create_unregistered(row: &EngineRow, setup: Setup) -> Result<Box<dyn Engine>, EngineError> {
    create(row, setup)
}
