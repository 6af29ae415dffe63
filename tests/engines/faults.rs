//! Tests of error reporting: storage errors as results, caller errors as rejections.

use crate::subjects::*;
use diskspd::clock::Clock;
use diskspd::engine::MakeEngine;
use diskspd::engine::{Io, MAX_LENGTH, Setup};
use diskspd::engines::{ENGINES, EngineKind};
use diskspd::sys::memory::Buffer;
use std::io::ErrorKind;
use std::path::Path;

#[test]
fn error_completes_in_its_slot() {
    let directory = directory();
    let path = file(directory.path(), "file", &[1; 8192]);
    let full = Path::new("/dev/full");
    for subject in calling_engines() {
        // Linux AIO does not write to this device at all; it's a refusal of the kernel all the same.
        let full_device = if subject.row.kind == EngineKind::Aio { libc::EINVAL } else { libc::ENOSPC };
        let expected = [4096, -libc::EBADF, -full_device, -libc::EINVAL].map(i64::from);
        let depth = subject.depth(4);
        let mut engine = subject.open(vec![open_to_read(&path), open(full)], 4 * 4096, depth);
        for turn in 0..4 {
            // The faulty I/Os wander through the slots.
            let ios = [
                read(0, 0, 4096, 4096),
                write(0, 0, 0, 4096),
                write(0, 1, 0, 4096),
                read(0, 0, i64::MAX as u64, 4096),
            ];
            let batch: Vec<Io> =
                (0..4).map(|slot| Io { request: slot as u32 % depth, ..ios[(slot + turn) % 4] }).collect();
            let mut results = vec![];
            for part in batch.chunks(depth as usize) {
                results.extend(perform(&mut *engine, part).iter().map(|done| done.result));
            }
            let expected: Vec<i64> = (0..4).map(|slot| expected[(slot + turn) % 4]).collect();
            assert_eq!(results, expected, "{}", subject.name);
        }
    }
}

#[test]
fn io_outside_of_setup_is_refused() {
    let directory = directory();
    let path = file(directory.path(), "file", &[1; 8192]);
    for subject in every_engine() {
        let files = if subject.row.needs_files { vec![open(&path)] } else { vec![] };
        let depth = subject.depth(4);
        let mut engine = subject.open(files, 8192, depth);
        let good = read(0, 0, 0, 4096);
        let end = with_source(8192).1 + SOURCE_LENGTH;
        let mut bad = vec![
            Io { request: depth, ..good },
            Io { buffer_offset: end - 4095, ..good },
            Io { buffer_offset: usize::MAX, ..good },
            Io { length: MAX_LENGTH + 1, ..good },
            Io { offset: u64::MAX, ..good },
        ];
        if subject.row.needs_files {
            bad.push(Io { file: 1, ..good });
        }
        for io in bad {
            let error = engine.submit(&[io]).expect_err("an I/O that breaks the rules");
            let kind = error.source.as_ref().map(std::io::Error::kind);
            assert_eq!(kind, Some(ErrorKind::InvalidInput), "{}: {io:?}", subject.name);
            assert!(error.what.contains("request"), "{}: {error}", subject.name);
        }
        let done = perform(&mut *engine, &[good]);
        assert_eq!(done[0].result, 4096, "{}: goes on working", subject.name);
    }
}

#[test]
fn unsupported_engine_setup_is_explained() {
    for row in &ENGINES {
        let attempt = |depth, clock| {
            let buffer = Buffer::new(4096).expect("memory");
            match row.create(Setup { files: vec![], buffer, depth, clock, seed: 0 }) {
                Ok(_) => panic!("{}: a depth of {depth} was accepted", row.name),
                Err(error) => error.to_string(),
            }
        };
        let clock = || Clock::simulated(0);
        let told = attempt(0, clock());
        assert!(told.contains(row.name) && told.contains("at least 1"), "{told}");
        let told = attempt(row.max_depth + 1, clock());
        assert!(told.contains(&format!("at most {}", row.max_depth)) && told.contains("-o"), "{told}");
        if row.virtual_time {
            let told = attempt(1, Clock::Monotonic);
            assert!(told.contains("virtual clock"), "{told}");
        }
    }
}
