//! Separate parts of the loop.

use super::Part;
use crate::harness::Failure;
use diskspd::clock::{Clock, monotonic};
use diskspd::engine::uring;
use diskspd::run::exact_loop::Cost;
use diskspd::stats::Histogram;
use diskspd::sys::memory::Buffer;
use diskspd::sys::ring::Ring;
use diskspd::sys::usage::{ThreadUsage, thread_usage};
use diskspd::workload::{Modulus, Random};
use std::hint::black_box;
use std::time::Duration;

/// Arbitrary size in blocks.
const BLOCKS: u64 = 1_000_000_007;

pub fn all() -> Vec<Part<'static>> {
    let clock = Clock::fastest();
    let mut random = Random::new(1);
    let range = Modulus::new(BLOCKS);
    let mut histogram = Histogram::new();
    let mut latencies = Random::new(2);
    let part = |name: &str, mut once: Box<dyn FnMut()>| Part {
        name: name.to_owned(),
        work: Box::new(move |ios| {
            timed(|| {
                (0..ios).for_each(|_| once());
                Ok(ios)
            })
        }),
    };
    vec![
        nops("ring, operations that do nothing, one by one", 1),
        nops("ring, operations that do nothing, 32 at once", 32),
        part("clock, read through the kernel's vDSO", Box::new(|| _ = black_box(monotonic()))),
        part(
            &format!("clock, read as the loop does: {}", clock.source()),
            Box::new(move || _ = black_box(clock.now())),
        ),
        part("random number in a range", Box::new(move || _ = black_box(range.reduce(random.next_u64())))),
        part(
            "histogram, record (a random number drawn for it)",
            Box::new(move || histogram.record(50_000 + (latencies.next_u64() & 0xffff))),
        ),
    ]
}

fn timed(work: impl FnOnce() -> Result<u64, Failure>) -> Result<Cost, Failure> {
    let (before, start) = (thread_usage()?, monotonic());
    let ios = work()?;
    let (elapsed, after) = (monotonic() - start, thread_usage()?);
    let cpu = ThreadUsage { user: after.user - before.user, system: after.system - before.system };
    Ok(Cost { ios, elapsed, cpu })
}

fn nops(name: &str, batch: u32) -> Part<'static> {
    let work = move |ios: u64| {
        let mut ring = Ring::new(batch, Vec::new(), Buffer::new(0)?, uring::RingOptions::default())?;
        timed(|| {
            let mut done = 0;
            while done < ios {
                ring.push_nops(batch);
                ring.enter(batch as usize, Duration::MAX)?;
                done += ring.reap(|_, result| _ = black_box(result)) as u64;
            }
            Ok(done)
        })
    };
    Part { name: name.to_owned(), work: Box::new(work) }
}
