//! Tests of polled completion. The machine may lack poll queues, and the kernel then rejects every I/O. In
//! both cases each request ends once, and the wait does not depend on a missing interrupt.

use crate::subjects::*;
use diskspd::clock::Clock;
use diskspd::engine::MakeEngine;
use diskspd::engine::{CompletedIo, Engine, File, Io, Setup};
use diskspd::engines::EngineKind;
use diskspd::sys::memory::Buffer;
use std::path::Path;
use std::time::{Duration, Instant};

const DEPTH: u32 = 8;
const BLOCK: u32 = 4096;

/// Returns a polled queue for one uncached file; `None` with a printed reason if that is impossible.
fn polled(path: &Path) -> Option<Box<dyn Engine>> {
    let row = EngineKind::Uring.row();
    if let Err(why) = row.available() {
        crate::common::skip(&format!("no io_uring: {why}"));
        return None;
    }
    let file = File { polled: true, ..File::from(open_direct(path)?) };
    let buffer = Buffer::new((DEPTH * BLOCK) as usize).expect("memory");
    let setup = Setup { files: vec![file], buffer, depth: DEPTH, clock: Clock::Monotonic, seed: 0 };
    Some(row.create(setup).expect("an engine"))
}

fn batch() -> Vec<Io> {
    (0..DEPTH).map(|n| read(n, 0, u64::from(n * BLOCK), BLOCK)).collect()
}

/// Asserts that all reads completed, or that the device does not support polling.
fn assert_ended(mut done: Vec<CompletedIo>) {
    done.sort_by_key(|done| done.request);
    assert_eq!(done.iter().map(|done| done.request).collect::<Vec<_>>(), (0..DEPTH).collect::<Vec<_>>());
    let refused = -i64::from(libc::EOPNOTSUPP);
    assert!(done.iter().all(|done| [i64::from(BLOCK), refused].contains(&done.result)), "{done:?}");
}

#[test]
fn polled_requests_complete_once() {
    let directory = directory();
    let path = file(directory.path(), "file", &[1; (DEPTH * BLOCK) as usize]);
    let short = Duration::from_micros(50);
    for (min, timeout) in [(0, Duration::ZERO), (1, short), (1, LONG), (DEPTH as usize, LONG)] {
        let Some(mut engine) = polled(&path) else { return };
        assert!(engine.info().features.contains("polled completion"), "{}", engine.info().features);
        let mut done = vec![];
        engine.wait(1, LONG, &mut done).expect("with nothing in flight");
        assert_eq!(engine.submit(&batch()).expect("submit"), DEPTH as usize);
        let start = Instant::now();
        while done.len() < DEPTH as usize && start.elapsed() < LONG {
            engine.wait(min, timeout, &mut done).expect("wait");
        }
        assert_ended(done);
    }
}

#[test]
fn engine_drop_completes_ios_in_flight() {
    let directory = directory();
    let path = file(directory.path(), "file", &[1; (DEPTH * BLOCK) as usize]);
    for submitted in [false, true] {
        let Some(mut engine) = polled(&path) else { return };
        engine.submit(&batch()).expect("submit");
        if submitted {
            engine.wait(0, Duration::ZERO, &mut vec![]).expect("wait");
        }
        let start = Instant::now();
        drop(engine);
        assert!(start.elapsed() < LONG, "the drain found nothing to wait for");
    }
}
