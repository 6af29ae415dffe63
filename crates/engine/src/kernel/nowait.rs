//! I/Os with a first attempt that does not wait (`--nowait`). The engine wraps another one, which has each
//! such file twice: with the flag and without it. An I/O that the kernel refuses with the flag is submitted
//! again without it, and completes as one I/O.

use crate::{CompletedIo, Engine, EngineError, EngineInfo, File, Io, Setup};
use diskspd_sys::clock::{Nanos, monotonic};
use diskspd_sys::memory::{Slot, SlotMut};
use std::time::Duration;

pub(super) struct Nowait {
    inner: Box<dyn Engine>,
    /// Of each file, which one of the engine is the same without the flag; `None` = it has no flag.
    waiting: Vec<Option<u32>>,
    tried: Vec<NowaitAttempt>,
    found: Vec<CompletedIo>,
    again: Vec<Io>,
}

/// I/O of a request that is in flight or has just completed.
#[derive(Debug, Clone, Copy)]
struct NowaitAttempt {
    io: Io,
    /// Result of an incomplete first attempt; `None` = no result yet.
    first: Option<i64>,
    missed: bool,
}

impl Nowait {
    /// `open` creates the underlying engine.
    pub(super) fn new(
        setup: Setup,
        open: impl FnOnce(Setup) -> Result<Box<dyn Engine>, EngineError>,
    ) -> Result<Nowait, EngineError> {
        let depth = setup.depth as usize;
        let (files, waiting) = duplicate_files(setup.files)?;
        let none = NowaitAttempt { io: Io::NONE, first: None, missed: false };
        let inner = open(Setup { files, ..setup })?;
        let (found, again) = (Vec::with_capacity(depth), Vec::with_capacity(depth));
        Ok(Nowait { inner, waiting, tried: vec![none; depth], found, again })
    }

    /// Whether an I/O with this result was refused or shortened because of the flag, for the first time.
    fn is_refused(&self, done: &CompletedIo) -> bool {
        let Some(tried) = self.tried.get(done.request as usize) else { return false };
        let with_flag = self.waiting.get(tried.io.file as usize).is_some_and(Option::is_some);
        let short = 0 < done.result && done.result < i64::from(tried.io.length);
        let refused = done.result == -i64::from(libc::EAGAIN) || short;
        with_flag && tried.io.op.moves_data() && tried.first.is_none() && refused
    }

    /// Sorts the completions of a wait: I/Os refused because of the flag are added to `again`, the others to
    /// `done`.
    fn sort(&mut self, done: &mut Vec<CompletedIo>) {
        let mut found = std::mem::take(&mut self.found);
        for one in found.drain(..) {
            if self.is_refused(&one) {
                let tried = &mut self.tried[one.request as usize];
                tried.first = Some(one.result);
                let waiting = self.waiting[tried.io.file as usize].unwrap_or(tried.io.file);
                self.again.push(Io { file: waiting, ..tried.io });
                continue;
            }
            if let Some(tried) = self.tried.get_mut(one.request as usize) {
                // If it is equally short without the flag, the end is reached: it would not have waited.
                tried.missed = tried.first.is_some_and(|first| first != one.result);
            }
            done.push(one);
        }
        self.found = found;
    }

    fn repeat_refused(&mut self) -> Result<(), EngineError> {
        let mut left = &self.again[..];
        while !left.is_empty() {
            let taken = self.inner.submit(left)?;
            left = &left[taken..];
            if !left.is_empty() {
                self.inner.wait(0, Duration::ZERO, &mut self.found)?;
            }
        }
        self.again.clear();
        Ok(())
    }
}

/// The files, those with the flag a second time without it behind them; and of each of the first which it is.
fn duplicate_files(files: Vec<File>) -> Result<(Vec<File>, Vec<Option<u32>>), EngineError> {
    let mut all = files;
    let mut waiting = Vec::with_capacity(all.len());
    for index in 0..all.len() {
        if !all[index].ways.no_wait {
            waiting.push(None);
            continue;
        }
        let handle = all[index].handle.try_clone().map_err(|source| EngineError {
            what: "--nowait: needs a second file descriptor for each file; raise the limit (ulimit -n)"
                .to_owned(),
            source: Some(source),
        })?;
        let file = &mut all[index];
        let ways = file.ways.waiting();
        let again = File { handle, ways, ..*file };
        // A worker of the kernel always waits: it would take the flag for nothing.
        file.workers = false;
        waiting.push(Some(all.len() as u32));
        all.push(again);
    }
    Ok((all, waiting))
}

impl Engine for Nowait {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        let taken = self.inner.submit(batch)?;
        for io in &batch[..taken] {
            self.tried[io.request as usize] = NowaitAttempt { io: *io, first: None, missed: false };
        }
        Ok(taken)
    }

    fn wait(
        &mut self,
        min: usize,
        timeout: Duration,
        done: &mut Vec<CompletedIo>,
    ) -> Result<(), EngineError> {
        let before = done.len();
        let end = monotonic().saturating_add(Nanos::try_from(timeout.as_nanos()).unwrap_or(Nanos::MAX));
        let mut left = timeout;
        loop {
            let wanted = min.saturating_sub(done.len() - before);
            self.inner.wait(wanted, left, &mut self.found)?;
            self.sort(done);
            if self.again.is_empty() {
                return Ok(());
            }
            self.repeat_refused()?;
            left = Duration::from_nanos(end.saturating_sub(monotonic()));
        }
    }

    fn slot(&self, io: &Io) -> Option<Slot<'_>> {
        self.inner.slot(io)
    }

    fn memory_mut(&mut self) -> SlotMut<'_> {
        self.inner.memory_mut()
    }

    fn info(&self) -> EngineInfo<'_> {
        let EngineInfo { features, not_pinned } = self.inner.info();
        EngineInfo { features: format!("{features}; tried without waiting first"), not_pinned }
    }

    fn would_block(&self, request: u32) -> bool {
        self.tried.get(request as usize).is_some_and(|tried| tried.missed)
    }
}
