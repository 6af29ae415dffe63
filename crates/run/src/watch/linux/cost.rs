//! Cost of the program's own steps on this machine, measured before a run in one or two milliseconds.

use diskspd_base::engines::EngineKind;
use diskspd_base::operation::Operation;
use diskspd_engine::MakeEngine;
use diskspd_engine::{Io, Setup};
use diskspd_figures::stats::Histogram;
use diskspd_results::ToolCost;
use diskspd_sys::clock;
use diskspd_sys::memory::Buffer;
use diskspd_sys::noop::{self, Noops};
use std::hint::black_box;
use std::time::Duration;

/// Number of rounds of each step; the shortest counts, because others were interrupted.
const TIMED_ROUNDS: u32 = 8;
const STEPS_PER_ROUND: u32 = 64;

pub(crate) fn measure() -> ToolCost {
    let mut histogram = Histogram::new();
    ToolCost {
        clock: shortest_round(STEPS_PER_ROUND, || {
            (0..STEPS_PER_ROUND).for_each(|_| {
                let _ = black_box(clock::monotonic());
            })
        }),
        histogram: shortest_round(STEPS_PER_ROUND, || {
            (0..STEPS_PER_ROUND).for_each(|i| histogram.record(black_box(80_000 + 512 * u64::from(i))))
        }),
        io: null_io(),
        ring_noop: Noops::new().ok().and_then(|mut noops| {
            noops.round().ok()?;
            Some(shortest_round(noop::BATCH_SIZE, || drop(noops.round())))
        }),
    }
}

/// Returns the time of a step in the shortest round, in ns.
fn shortest_round(steps: u32, mut round: impl FnMut()) -> f64 {
    let times = (0..TIMED_ROUNDS).map(|_| {
        let start = clock::monotonic();
        round();
        clock::monotonic() - start
    });
    times.min().unwrap_or(0) as f64 / f64::from(steps)
}

/// Returns the time of an I/O through the null engine: submission and completion only.
fn null_io() -> Option<f64> {
    let buffer = Buffer::new(4096).ok()?;
    let setup =
        Setup { files: vec![], buffer, depth: STEPS_PER_ROUND, clock: clock::Clock::Monotonic, seed: 0 };
    let mut engine = EngineKind::Null.row().create(setup).ok()?;
    let io = |request| Io { request, file: 0, op: Operation::Read, offset: 0, length: 512, buffer_offset: 0 };
    let batch: Vec<Io> = (0..STEPS_PER_ROUND).map(io).collect();
    let mut done = Vec::with_capacity(STEPS_PER_ROUND as usize);
    Some(shortest_round(STEPS_PER_ROUND, || {
        let _ = engine.submit(black_box(&batch));
        let _ = engine.wait(1, Duration::ZERO, &mut done);
        done.clear();
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_costs_something() {
        let cost = measure();
        assert!(cost.clock > 0.0 && cost.histogram > 0.0 && cost.io.is_some_and(|io| io > 0.0), "{cost:?}");
    }
}
