//! An engine of your own, which fails every tenth I/O of another engine. A test of error handling uses it
//! in place of a broken disk.

use diskspd::clock::Clock;
use diskspd::engine::{
    CompletedIo, ENGINES, Engine, EngineError, EngineInfo, EngineKind, Io, MakeEngine, Operation, Setup,
};
use diskspd::sys::memory::{Buffer, Slot, SlotMut};
use std::error::Error;
use std::io::Write;
use std::time::Duration;

const DEPTH: u32 = 8;
const BLOCK: u32 = 4096;
/// Error number of a failed I/O (`EIO`).
const EIO: i64 = 5;

struct Flaky {
    engine: Box<dyn Engine>,
    completed: u64,
}

impl Engine for Flaky {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        self.engine.submit(batch)
    }

    fn wait(
        &mut self,
        min: usize,
        timeout: Duration,
        done: &mut Vec<CompletedIo>,
    ) -> Result<(), EngineError> {
        let earlier = done.len();
        self.engine.wait(min, timeout, done)?;
        for ended in &mut done[earlier..] {
            self.completed += 1;
            if self.completed.is_multiple_of(10) {
                ended.result = -EIO;
            }
        }
        Ok(())
    }

    fn slot(&self, io: &Io) -> Option<Slot<'_>> {
        self.engine.slot(io)
    }

    fn memory_mut(&mut self) -> SlotMut<'_> {
        self.engine.memory_mut()
    }

    fn info(&self) -> EngineInfo<'_> {
        self.engine.info()
    }
}

/// The tested code: reads blocks in order, and counts failures.
fn read_all(engine: &mut dyn Engine, blocks: u64) -> Result<u64, EngineError> {
    let (mut failed, mut done) = (0, Vec::with_capacity(DEPTH as usize));
    for block in 0..blocks {
        let request = (block % u64::from(DEPTH)) as u32;
        let buffer_offset = request as usize * BLOCK as usize;
        let offset = block * u64::from(BLOCK);
        engine.submit(&[Io {
            request,
            file: 0,
            op: Operation::Read,
            offset,
            length: BLOCK,
            buffer_offset,
        }])?;
        engine.wait(1, Duration::MAX, &mut done)?;
        failed += done.drain(..).filter(|ended| ended.result < 0).count() as u64;
    }
    Ok(failed)
}

pub fn run(output: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let null = ENGINES.iter().find(|row| row.kind == EngineKind::Null).ok_or("no such engine")?;
    let buffer = Buffer::new((DEPTH * BLOCK) as usize)?;
    let setup = Setup { files: Vec::new(), buffer, depth: DEPTH, clock: Clock::fastest(), seed: 0 };
    let mut flaky = Flaky { engine: null.create(setup)?, completed: 0 };
    let failed = read_all(&mut flaky, 100)?;
    Ok(writeln!(output, "{failed} of 100 reads failed")?)
}
