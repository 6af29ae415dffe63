//! Zone resets for engines whose queue does not support them: io_uring and Linux AIO. The thread resets each
//! zone itself and waits for it. Other I/Os in flight continue.

use crate::errno::negated;
use crate::{CompletedIo, Engine, EngineError, EngineInfo, Io, Setup};
use diskspd_base::operation::Operation;
use diskspd_sys::memory::{Slot, SlotMut};
use diskspd_sys::operation::perform;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

pub(super) struct Resets {
    inner: Box<dyn Engine>,
    /// Second descriptor of each file; `None` = no zones.
    devices: Vec<Option<OwnedFd>>,
    /// Completed resets that are not returned yet.
    ended: Vec<CompletedIo>,
}

impl Resets {
    /// `open` creates the underlying engine.
    pub(super) fn new(
        setup: Setup,
        open: impl FnOnce(Setup) -> Result<Box<dyn Engine>, EngineError>,
    ) -> Result<Resets, EngineError> {
        let again = |file: &crate::File| file.zoned.then(|| file.handle.try_clone()).transpose();
        let devices: Result<Vec<_>, _> = setup.files.iter().map(again).collect();
        let devices = devices.map_err(|source| EngineError {
            what: "--zoned: needs a second file descriptor for each device; raise the limit (ulimit -n)"
                .to_owned(),
            source: Some(source),
        })?;
        let ended = Vec::with_capacity(setup.depth as usize);
        Ok(Resets { inner: open(setup)?, devices, ended })
    }

    /// The result of a reset. The engine itself refuses other operations, and files that are not on zoned
    /// devices.
    fn reset(&self, io: &Io) -> Option<i64> {
        let device = self.devices.get(io.file as usize)?.as_ref()?;
        let answer = perform(io.op, device.as_fd(), true, io.offset, io.length.into());
        Some(answer.map_or_else(|error| negated(&error), |()| 0))
    }
}

impl Engine for Resets {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        let others = batch.iter().position(|io| io.op == Operation::ZoneReset).unwrap_or(batch.len());
        if others > 0 {
            return self.inner.submit(&batch[..others]);
        }
        let Some(io) = batch.first() else { return Ok(0) };
        match self.reset(io) {
            Some(result) => self.ended.push(CompletedIo { request: io.request, result }),
            None => return self.inner.submit(&batch[..1]),
        }
        Ok(1)
    }

    fn wait(
        &mut self,
        min: usize,
        timeout: Duration,
        done: &mut Vec<CompletedIo>,
    ) -> Result<(), EngineError> {
        let min = min.saturating_sub(self.ended.len());
        done.append(&mut self.ended);
        self.inner.wait(min, timeout, done)
    }

    fn slot(&self, io: &Io) -> Option<Slot<'_>> {
        self.inner.slot(io)
    }

    fn memory_mut(&mut self) -> SlotMut<'_> {
        self.inner.memory_mut()
    }

    fn info(&self) -> EngineInfo<'_> {
        self.inner.info()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ENGINES, EngineKind, File, MakeEngine};
    use diskspd_sys::clock::Clock;
    use diskspd_sys::memory::Buffer;

    /// An engine of depth 2 over the zero device, once with zones (file 0) and once without (file 1).
    fn test_engine(kind: EngineKind) -> Option<Box<dyn Engine>> {
        let zero = || OwnedFd::from(std::fs::File::open("/dev/zero").unwrap());
        let files = vec![File { zoned: true, ..File::from(zero()) }, File::from(zero())];
        let setup =
            Setup { files, buffer: Buffer::new(4096).unwrap(), depth: 2, clock: Clock::Monotonic, seed: 0 };
        kind.row().available().map_err(|why| eprintln!("skipped: {why}")).ok()?;
        Some(kind.row().create(setup).unwrap())
    }

    fn sample_io(request: u32, file: u32, op: Operation) -> Io {
        Io { request, file, op, offset: 0, length: 512, buffer_offset: 0 }
    }

    #[test]
    fn reset_waits_for_device_while_other_ios_continue() {
        for kind in [EngineKind::Uring, EngineKind::Aio] {
            let Some(mut test_engine) = test_engine(kind) else { continue };
            let batch = [sample_io(0, 1, Operation::Read), sample_io(1, 0, Operation::ZoneReset)];
            assert_eq!(test_engine.submit(&batch).unwrap(), 1, "{kind:?}: what comes before it goes first");
            assert_eq!(test_engine.submit(&batch[1..]).unwrap(), 1);
            let mut done = Vec::new();
            while done.len() < 2 {
                test_engine.wait(2, Duration::from_secs(1), &mut done).unwrap();
            }
            done.sort_by_key(|done| done.request);
            // No device with zones is here: it has no such request.
            let refused = CompletedIo { request: 1, result: -i64::from(libc::ENOTTY) };
            assert_eq!(done[1], refused, "{kind:?}");
            assert!(
                test_engine.submit(&[sample_io(0, 1, Operation::ZoneReset)]).is_err(),
                "{kind:?}: it has no zones"
            );
        }
    }

    #[test]
    fn all_kernel_queue_engines_reset_zones() {
        for row in ENGINES.iter().filter(|row| row.real_io) {
            // Those of Windows have no zones.
            let none = [EngineKind::Mmap, EngineKind::Port, EngineKind::Routines];
            assert_eq!(row.supports(Operation::ZoneReset), !none.contains(&row.kind), "{}", row.name);
        }
    }
}
