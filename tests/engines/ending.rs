//! Dropping an engine with I/Os in flight: afterwards the kernel writes nowhere, and files are closed.

use crate::subjects::*;
use diskspd::clock::Clock;
use diskspd::engine::MakeEngine;
use diskspd::engine::uring::{RingOptions, Uring};
use diskspd::engine::{Engine, Io, Setup};
use diskspd::engines::EngineKind;
use diskspd::sys::memory::Buffer;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{PipeReader, PipeWriter, Write};
use std::time::Duration;

fn is_abandoned(writer: &PipeWriter) -> bool {
    let mut watched = [PollFd::new(writer, PollFlags::empty())];
    poll(&mut watched, Some(&Timespec { tv_sec: 30, tv_nsec: 0 })).expect("poll");
    watched[0].revents().contains(PollFlags::ERR)
}

/// Whether something can be read now.
fn has_data(reader: &PipeReader) -> bool {
    let mut watched = [PollFd::new(reader, PollFlags::IN)];
    poll(&mut watched, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).expect("poll");
    watched[0].revents().contains(PollFlags::IN)
}

#[test]
fn hanging_ios_are_cancelled_and_files_closed() {
    for subject in patient_engines() {
        for (depth, in_flight) in [(1, 1), (64, 64), (64, 3), (5000, 5000)] {
            let (reader, mut writer) = std::io::pipe().expect("a pipe");
            let other = reader.try_clone().expect("another reader");
            let mut engine = subject.open(vec![reader.into()], depth as usize, depth);
            let batch: Vec<Io> = (0..in_flight).map(|n| read(n, 0, 0, 1)).collect();
            engine.submit(&batch).expect("submit");
            engine.wait(0, Duration::ZERO, &mut vec![]).expect("wait");
            drop(engine);
            writer.write_all(b"x").expect("writing to the pipe");
            assert!(has_data(&other), "{}, {in_flight} of {depth}: read after the drop", subject.name);
            drop(other);
            assert!(is_abandoned(&writer), "{}, {in_flight} of {depth}", subject.name);
        }
    }
}

#[test]
fn unsubmitted_requests_do_not_block_the_end() {
    let directory = directory();
    let path = file(directory.path(), "file", &[1; 4096]);
    for subject in every_engine() {
        let depth = subject.depth(16);
        let files = if subject.row.needs_files { vec![open(&path)] } else { vec![] };
        let mut engine = subject.open(files, 4096, depth);
        let batch: Vec<Io> = (0..depth).map(|n| Io { buffer_offset: 0, ..read(n, 0, 0, 4096) }).collect();
        engine.submit(&batch).expect("submit");
        drop(engine);
    }
}

#[test]
fn memory_is_reusable_after_engine_drop() {
    const LENGTH: u32 = 4 << 20;
    const DEPTH: u32 = 16;
    let directory = directory();
    let path = file(directory.path(), "file", &vec![0x11; LENGTH as usize]);
    for subject in queueing_engines() {
        let Some(direct) = open_direct(&path) else { return };
        let mut engine = subject.open(vec![direct], (LENGTH * DEPTH) as usize, DEPTH);
        let batch: Vec<Io> = (0..DEPTH).map(|n| read(n, 0, 0, LENGTH)).collect();
        engine.submit(&batch).expect("submit");
        engine.wait(0, Duration::ZERO, &mut vec![]).expect("wait");
        drop(engine);
        // The kernel tends to give the same addresses again.
        let mut reused = Buffer::new((LENGTH * DEPTH) as usize).expect("memory");
        reused.as_mut_slice().fill(0xee);
        // Whatever was still under way has ended when the device has answered to later reads.
        let mut later = subject.open(vec![open_direct(&path).expect("as before")], LENGTH as usize, 1);
        assert_eq!(perform(&mut *later, &[read(0, 0, 0, LENGTH)])[0].result, i64::from(LENGTH));
        let kept = reused.as_slice().chunks(1 << 16).all(|chunk| *chunk == [0xee; 1 << 16][..chunk.len()]);
        assert!(kept, "{}", subject.name);
    }
}

#[test]
fn slow_drain_leaks_memory_and_files_to_the_kernel() {
    if let Err(why) = EngineKind::Uring.row().available() {
        return crate::common::skip(&why.to_string());
    }
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    let setup = Setup {
        files: vec![std::os::fd::OwnedFd::from(reader).into()],
        buffer: Buffer::new(4096).expect("memory"),
        depth: 1,
        clock: Clock::Monotonic,
        seed: 0,
    };
    let options = RingOptions { drain_limit: Duration::ZERO, ..RingOptions::default() };
    let mut engine = Uring::new(setup, options).expect("io_uring");
    let memory = engine.slot(&read(0, 0, 0, 512)).expect("memory").as_ptr();
    engine.submit(&[read(0, 0, 0, 512)]).expect("submit");
    engine.wait(0, Duration::ZERO, &mut vec![]).expect("wait");
    drop(engine);
    writer.write_all(b"late").expect("the file is still open");
    assert!(crate::os::is_mapped(memory.addr()), "the memory is still mapped");
}

#[test]
fn used_and_unused_features_are_reported() {
    for subject in uring_variants() {
        let engine = subject.open(vec![open("/dev/null".as_ref())], 4096, 1);
        let told = engine.info().features;
        for what in ["files", "buffer"] {
            let wanted = !subject.name.contains(what) && !subject.name.contains("nothing");
            let stated = told.contains(&format!("registered {what}"));
            let excused = told.contains(&format!("{what} not registered ("));
            assert!(if wanted { stated != excused } else { !stated && !excused }, "{}: {told}", subject.name);
        }
    }
}
