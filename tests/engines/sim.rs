//! The simulated device: the same seed gives the same times in every version and on every machine.

use crate::subjects::{LONG, read, write};
use diskspd::clock::{Clock, Nanos};
use diskspd::engine::sim::{Sim, SimDevice};
use diskspd::engine::{CompletedIo, Engine, Io, Setup};
use diskspd::sys::memory::Buffer;
use std::time::Duration;

fn device(depth: u32, seed: u64, device: SimDevice) -> (Sim, Clock) {
    let clock = Clock::simulated(1000);
    let buffer = Buffer::new(1 << 20).expect("memory");
    (Sim::new(Setup { files: vec![], buffer, depth, clock: clock.clone(), seed }, device), clock)
}

fn run(depth: u32, seed: u64, ios: usize) -> Vec<(Nanos, u32)> {
    let (mut sim, clock) = device(depth, seed, SimDevice::default());
    let io = |n: u32, i: usize| if i.is_multiple_of(3) { write(n, 0, 0, 4096) } else { read(n, 0, 0, 4096) };
    let mut batch: Vec<Io> = (0..depth).map(|n| io(n, n as usize)).collect();
    let mut history = vec![];
    let mut done = vec![];
    while history.len() < ios {
        assert_eq!(sim.submit(&batch).expect("submit"), batch.len());
        sim.wait(1, LONG, &mut done).expect("wait");
        batch.clear();
        for done in done.drain(..) {
            history.push((clock.now(), done.request));
            batch.push(io(done.request, history.len()));
        }
    }
    history
}

#[test]
fn simulation_depends_only_on_the_seed() {
    assert_eq!(run(8, 5, 5000), run(8, 5, 5000));
    assert_ne!(run(8, 5, 100), run(8, 6, 100));
}

#[test]
fn simulated_times_match_stored_reports() {
    let history = run(4, 0, 20_000);
    let fingerprint = history.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, (time, request)| {
        (hash ^ time ^ (u64::from(*request) << 48)).wrapping_mul(0x0100_0000_01b3)
    });
    assert_eq!(history[..3], [(13_285, 0), (20_026, 3), (99_376, 2)]);
    assert_eq!(fingerprint, 15_109_081_901_304_803_814);
}

#[test]
fn simulated_ios_complete_in_time_order() {
    let history = run(32, 1, 5000);
    assert!(history.is_sorted_by_key(|(time, _)| *time));
    let requests: Vec<u32> = history.iter().map(|(_, request)| *request).collect();
    assert!(!requests[..32].is_sorted(), "not in order of submission");
}

#[test]
fn simulated_depth_raises_throughput_until_saturation() {
    let iops = |depth| 20_000 * 1_000_000_000 / run(depth, 2, 20_000)[19_999].0;
    let (one, eight, all, more) = (iops(1), iops(8), iops(64), iops(256));
    assert!((10_000..25_000).contains(&one), "{one}");
    assert!((one * 7..one * 9).contains(&eight), "{one} {eight}");
    assert!(all > eight * 5, "{eight} {all}");
    assert!(more < all * 3 / 2, "{all} {more}");
}

#[test]
fn simulated_large_ios_are_limited_by_link() {
    let (mut sim, clock) = device(1024, 1, SimDevice::default());
    let batch: Vec<Io> = (0..1024).map(|n| Io { buffer_offset: 0, ..read(n, 0, 0, 1 << 20) }).collect();
    let start = clock.now();
    sim.submit(&batch).expect("submit");
    sim.wait(1024, LONG, &mut vec![]).expect("wait");
    let bytes_per_us = (1u64 << 30) * 1000 / (clock.now() - start);
    assert!((6500..7100).contains(&bytes_per_us), "{bytes_per_us} MB/s");
}

#[test]
fn simulated_wait_advances_clock_to_timeout() {
    let (mut sim, clock) = device(4, 1, SimDevice::default());
    let mut done = vec![];
    sim.submit(&[read(0, 0, 0, 4096), read(1, 0, 0, 4096)]).expect("submit");
    sim.wait(0, LONG, &mut done).expect("wait");
    assert_eq!((clock.now(), done.len()), (1000, 0), "a poll takes no time");
    sim.wait(1, Duration::from_nanos(500), &mut done).expect("wait");
    assert_eq!((clock.now(), done.len()), (1500, 0));
    sim.wait(1, Duration::MAX, &mut done).expect("wait");
    assert_eq!(done.len(), 1);
    let first = clock.now();
    clock.advance_to(first + 1_000_000_000);
    sim.wait(0, Duration::ZERO, &mut done).expect("wait");
    assert_eq!(done.len(), 2, "has ended while the worker did something else");
    assert_eq!(clock.now(), first + 1_000_000_000);
}

#[test]
fn faults_occur_at_set_intervals() {
    let (mut sim, _) = device(12, 1, SimDevice::faulty(5, 3));
    let batch: Vec<Io> = (0..12).map(|n| read(n, 0, 0, 4096)).collect();
    let mut done: Vec<CompletedIo> = vec![];
    sim.submit(&batch).expect("submit");
    sim.wait(12, LONG, &mut done).expect("wait");
    done.sort_by_key(|done| done.request);
    let results: Vec<i64> = done.iter().map(|done| done.result).collect();
    let (ok, short, error) = (4096, 2048, -i64::from(libc::EIO));
    assert_eq!(results, [ok, ok, short, ok, error, short, ok, ok, short, error, ok, short]);
}
