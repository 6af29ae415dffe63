//! An engine that completes every I/O immediately without doing it, so only the program's overhead
//! remains.

use super::at_once::{SyncIo, SynchronousEngine};
use super::{CompletedIo, EngineError, EngineKind, Io, Setup};
use diskspd_sys::memory::Buffer;

pub(super) struct Null;

impl Null {
    pub(crate) fn open(setup: Setup) -> Result<SynchronousEngine<Null>, EngineError> {
        SynchronousEngine::new(setup, EngineKind::Null, |_| Ok(Null))
    }
}

impl SyncIo for Null {
    #[inline]
    fn perform(&mut self, io: &Io, _: &mut Buffer) -> Result<i64, EngineError> {
        Ok(i64::from(io.length))
    }

    // The length of the batch is known, so there is room for all of it.
    #[inline]
    fn perform_all(
        &mut self,
        batch: &[Io],
        _: &mut Buffer,
        taken: &mut Vec<CompletedIo>,
    ) -> Result<(), EngineError> {
        taken
            .extend(batch.iter().map(|io| CompletedIo { request: io.request, result: i64::from(io.length) }));
        Ok(())
    }

    fn features(&self) -> String {
        "null: no I/O".to_string()
    }
}
