//! Completes at once, without any I/O: what is left is the cost of the program itself.

use super::at_once::{AtOnce, Perform};
use super::{EngineError, EngineKind, Io, Setup};
use diskspd_sys::memory::Buffer;

pub(super) struct Null;

impl Null {
    /// The engine.
    ///
    /// # Errors
    /// None.
    pub fn open(setup: Setup) -> Result<AtOnce<Null>, EngineError> {
        AtOnce::new(setup, EngineKind::Null, |_| Ok(Null))
    }
}

impl Perform for Null {
    #[inline]
    fn perform(&mut self, io: &Io, _: &mut Buffer) -> Result<i64, EngineError> {
        Ok(i64::from(io.length))
    }

    fn features(&self) -> String {
        "null: no I/O".to_string()
    }
}
