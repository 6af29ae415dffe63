//! Submitting and waiting.

#[cfg(target_os = "linux")]
use crate::os::Thread;
use crate::os::allocations;
use crate::subjects::*;
use diskspd::engine::{CompletedIo, Io, Operation};
use std::io::Write;
#[cfg(target_os = "linux")]
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use std::time::{Duration, Instant};

#[test]
fn queue_rejects_ios_above_its_depth() {
    let directory = directory();
    let path = file(directory.path(), "file", &[1; 4096]);
    for subject in every_engine() {
        for depth in [1, 3, 8].map(|depth| subject.depth(depth)) {
            let files = if subject.row.needs_files { vec![open(&path)] } else { vec![] };
            let mut engine = subject.open(files, 512 * 16, depth);
            let batch: Vec<Io> = (0..depth + 5).map(|n| read(n % depth, 0, 0, 512)).collect();
            assert_eq!(engine.submit(&[]).expect("submit"), 0);
            assert_eq!(engine.submit(&batch).expect("submit"), depth as usize, "{}", subject.name);
            assert_eq!(engine.submit(&batch).expect("submit"), 0, "{}: is full", subject.name);
            let mut done = vec![];
            engine.wait(1, LONG, &mut done).expect("wait");
            assert!((1..=depth as usize).contains(&done.len()), "{}", subject.name);
            let again = engine.submit(&batch).expect("submit");
            assert_eq!(again, done.len(), "{}: as much as has ended", subject.name);
        }
    }
}

#[test]
fn requests_complete_once_in_any_order() {
    let directory = directory();
    let path = file(directory.path(), "file", &[1; 64 * 4096]);
    for subject in every_engine() {
        let mut dice = Dice::new(11);
        for depth in [1, 5, 32].map(|depth| subject.depth(depth)) {
            let files = if subject.row.needs_files { vec![open_to_read(&path)] } else { vec![] };
            let mut engine = subject.open(files, 4096 * depth as usize, depth);
            let mut idle: Vec<u32> = (0..depth).collect();
            let mut queue: Vec<Io> = vec![];
            let mut done: Vec<CompletedIo> = vec![];
            let mut ended = 0;
            let mut rounds = 0;
            while ended < 2000 {
                rounds += 1;
                assert!(rounds < 1_000_000, "{}: gets nowhere", subject.name);
                for _ in 0..dice.roll(u64::from(depth) + 1) {
                    let Some(request) = idle.pop() else { break };
                    queue.push(read(request, 0, dice.roll(64) * 4096, 4096));
                }
                let taken = engine.submit(&queue).expect("submit");
                queue.drain(..taken);
                let min = dice.roll(u64::from(depth) + 2) as usize;
                let timeout =
                    [Duration::ZERO, Duration::from_micros(50), LONG, Duration::MAX][dice.roll(4) as usize];
                engine.wait(min, timeout, &mut done).expect("wait");
                assert!(done.len() <= depth as usize);
                for done in done.drain(..) {
                    assert_eq!(done.result, 4096, "{}", subject.name);
                    assert!(!idle.contains(&done.request), "{}: ended twice", subject.name);
                    assert!(
                        queue.iter().all(|io| io.request != done.request),
                        "{}: ended early",
                        subject.name
                    );
                    idle.push(done.request);
                    ended += 1;
                }
            }
        }
    }
}

#[test]
fn poll_finds_completions_without_submitting() {
    let directory = directory();
    let path = file(directory.path(), "file", &[1; 4096]);
    for subject in real_engines() {
        let Some(direct) = open_direct(&path) else { return };
        let mut engine = subject.open(vec![direct], 4096, 1);
        engine.submit(&[read(0, 0, 0, 4096)]).expect("submit");
        let mut done = vec![];
        let start = Instant::now();
        while done.is_empty() && start.elapsed() < LONG {
            engine.wait(0, Duration::ZERO, &mut done).expect("wait");
        }
        assert_eq!(done, [CompletedIo { request: 0, result: 4096 }], "{}", subject.name);
    }
}

#[test]
fn waiting_for_nothing_returns_at_once() {
    let directory = directory();
    let path = file(directory.path(), "file", &[1; 4096]);
    for subject in every_engine() {
        let files = if subject.row.needs_files { vec![open(&path)] } else { vec![] };
        let mut engine = subject.open(files, 4096, 1);
        let mut done = vec![];
        engine.wait(5, Duration::MAX, &mut done).expect("wait");
        engine.wait(0, Duration::ZERO, &mut done).expect("wait");
        assert_eq!(done, []);
        // More than what is in flight means all of it.
        engine.submit(&[read(0, 0, 0, 512)]).expect("submit");
        engine.wait(5, Duration::MAX, &mut done).expect("wait");
        assert_eq!(done.len(), 1, "{}", subject.name);
    }
}

#[test]
fn wait_ends_at_its_timeout() {
    for subject in patient_engines() {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        let mut engine = subject.open(vec![reader.into()], 4096, 4);
        let mut done = vec![];
        engine.submit(&[read(0, 0, 0, 512), read(1, 0, 0, 512)]).expect("submit");
        for timeout in [Duration::ZERO, Duration::from_millis(5), Duration::from_millis(20)] {
            let start = Instant::now();
            engine.wait(1, timeout, &mut done).expect("a timeout is no error");
            assert_eq!(done, [], "{}", subject.name);
            assert!(start.elapsed() >= timeout, "{}", subject.name);
        }
        writer.write_all(b"abc").expect("writing to the pipe");
        engine.wait(2, Duration::from_millis(5), &mut done).expect("one of two");
        engine.wait(1, Duration::ZERO, &mut done).expect("none");
        let (first, second) = (done[0].request, 1 - done[0].request);
        assert_eq!(done, [CompletedIo { request: first, result: 3 }], "{}", subject.name);
        drop(writer);
        engine.wait(1, LONG, &mut done).expect("the end of the pipe");
        assert_eq!(done[1..], [CompletedIo { request: second, result: 0 }], "{}", subject.name);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn signal_ends_wait_without_error() {
    let caught = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGUSR1, caught.clone()).expect("a signal handler");
    for subject in patient_engines() {
        caught.store(false, Ordering::SeqCst);
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        let mut engine = subject.open(vec![reader.into()], 4096, 1);
        let over = AtomicBool::new(false);
        let waiter = Thread::current();
        let mut done = vec![];
        engine.submit(&[read(0, 0, 0, 512)]).expect("submit");
        // Once before, so that the signal can't meet a wait that would submit first.
        engine.wait(0, Duration::ZERO, &mut done).expect("wait");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::SeqCst) {
                    waiter.interrupt();
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
            let start = Instant::now();
            engine.wait(1, LONG, &mut done).expect("a signal is no error");
            over.store(true, Ordering::SeqCst);
            assert!(start.elapsed() < LONG, "{}: slept through", subject.name);
        });
        assert!(caught.load(Ordering::SeqCst));
        assert_eq!(done, [], "{}", subject.name);
        writer.write_all(b"x").expect("writing to the pipe");
        while done.is_empty() {
            engine.wait(1, LONG, &mut done).expect("wait");
        }
        assert_eq!(done, [CompletedIo { request: 0, result: 1 }], "{}: goes on working", subject.name);
    }
}

#[test]
fn ten_thousand_ios_are_in_flight_at_once() {
    const DEPTH: u32 = 10_000;
    for subject in patient_engines() {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        let mut engine = subject.open(vec![reader.into()], DEPTH as usize, DEPTH);
        let batch: Vec<Io> = (0..DEPTH).map(|n| read(n, 0, 0, 1)).collect();
        assert_eq!(engine.submit(&batch).expect("submit"), DEPTH as usize);
        let mut done = vec![];
        engine.wait(1, Duration::from_millis(1), &mut done).expect("wait");
        assert_eq!(done, [], "{}: all are waiting", subject.name);
        writer.write_all(&[7; DEPTH as usize]).expect("writing to the pipe");
        while done.len() < DEPTH as usize {
            let before = done.len();
            engine.wait(DEPTH as usize, LONG, &mut done).expect("wait");
            assert!(done.len() > before, "{}: {before} of {DEPTH}", subject.name);
        }
        done.sort_by_key(|done| done.request);
        assert!(
            done.iter().zip(0..).all(|(done, n)| *done == CompletedIo { request: n, result: 1 }),
            "{}",
            subject.name
        );
        assert_eq!(content(&*engine, &read(0, 0, 0, DEPTH)), [7; DEPTH as usize], "{}", subject.name);
    }
}

#[test]
fn maximum_depth_is_supported() {
    let directory = directory();
    let path = file(directory.path(), "file", &[1; 4096]);
    for subject in every_engine() {
        let depth = subject.row.max_depth;
        let files = if subject.row.needs_files { vec![open(&path)] } else { vec![] };
        let mut engine = subject.open(files, 512, depth);
        // The kernel's queues are filled; where there is none, a million are done one after the other, all alike.
        let kernel = subject.row.max_depth < 1 << 20;
        let batch = (0..depth).filter(|n| kernel || *n < 1000 || depth - n <= 1000);
        let batch: Vec<Io> = batch.map(|n| Io { buffer_offset: 0, ..read(n, 0, 0, 512) }).collect();
        assert_eq!(perform(&mut *engine, &batch).len(), batch.len(), "{}", subject.name);
    }
}

#[test]
fn measured_loop_does_not_allocate() {
    const IOS: usize = 100_000;
    let directory = directory();
    let path = file(directory.path(), "file", &[1; 64 * 512]);
    for subject in every_engine() {
        let depth = subject.depth(32);
        let files = if subject.row.needs_files { vec![open_to_read(&path)] } else { vec![] };
        let mut engine = subject.open(files, 512 * depth as usize, depth);
        let mut batch: Vec<Io> = (0..depth).map(|n| read(n, 0, u64::from(n) * 512, 512)).collect();
        let mut done: Vec<CompletedIo> = Vec::with_capacity(depth as usize);
        let mut ended = 0;
        let before = allocations();
        while ended < IOS {
            let taken = engine.submit(&batch).expect("submit");
            batch.drain(..taken);
            engine.wait(1, LONG, &mut done).expect("wait");
            ended += done.len();
            batch
                .extend(done.drain(..).map(|done| read(done.request, 0, u64::from(done.request) * 512, 512)));
        }
        assert_eq!(allocations() - before, 0, "{}", subject.name);
    }
    let before = allocations();
    drop(std::hint::black_box(Box::new(1)));
    assert_eq!(allocations() - before, 1, "the counter counts");
}

#[test]
fn flush_completes_next_to_other_ios() {
    let directory = directory();
    let path = file(directory.path(), "file", &[1; 8192]);
    for subject in every_engine() {
        let depth = subject.depth(4);
        let files = if subject.row.needs_files { vec![open(&path)] } else { vec![] };
        let mut engine = subject.open(files, 4096 * depth as usize, depth);
        assert_eq!(perform(&mut *engine, &[write(0, 0, 0, 4096)])[0].result, 4096, "{}", subject.name);
        let flush = Io { op: Operation::Flush, length: 0, buffer_offset: 0, ..read(depth - 1, 0, 0, 0) };
        assert_eq!(engine.submit(&[flush]).expect("flush"), 1, "{}", subject.name);
        let others = if depth > 1 { vec![write(0, 0, 4096, 4096)] } else { vec![] };
        assert_eq!(engine.submit(&others).expect("submit"), others.len(), "{}", subject.name);
        let mut done = vec![];
        while done.len() < 1 + others.len() {
            engine.wait(1, LONG, &mut done).expect("wait");
        }
        let ended = done.iter().find(|ended| ended.request == depth - 1);
        assert_eq!(ended.map(|ended| ended.result), Some(0), "{}", subject.name);
        assert_eq!(perform(&mut *engine, &[write(0, 0, 0, 4096)])[0].result, 4096, "{}", subject.name);
        engine.submit(&[Io { request: depth, ..flush }]).expect_err("there is no such request");
        if subject.row.needs_files {
            engine.submit(&[Io { file: 1, request: 0, ..flush }]).expect_err("there is no such file");
        }
    }
}

#[test]
fn discard_completes_next_to_other_ios_and_leaves_zeros() {
    let directory = directory();
    for (number, subject) in every_engine().into_iter().enumerate() {
        let path = file(directory.path(), &format!("file{number}"), &[1; 12_288]);
        let depth = subject.depth(4);
        let files = if subject.row.needs_files { vec![open(&path)] } else { vec![] };
        let mut engine = subject.open(files, 4096 * depth as usize, depth);
        let io = Io { op: Operation::Discard, ..write(depth - 1, 0, 4096, 4096) };
        assert_eq!(subject.row.supports(io.op), !matches!(subject.row.name, "aio" | "mmap" | "iocp" | "apc"));
        // Windows' synchronous I/O has none either: such a run is refused before.
        if !subject.row.supports(io.op) || (cfg!(windows) && subject.row.real_io) {
            let refused = engine.submit(&[io]).expect_err("it has none").to_string();
            assert!(refused.contains(subject.row.name) && refused.contains("--engine uring"), "{refused}");
            continue;
        }
        assert_eq!(engine.submit(&[io]).expect("a discard"), 1, "{}", subject.name);
        let others = if depth > 1 { vec![write(0, 0, 8192, 4096)] } else { vec![] };
        assert_eq!(engine.submit(&others).expect("submit"), others.len(), "{}", subject.name);
        let mut done = vec![];
        while done.len() < 1 + others.len() {
            engine.wait(1, LONG, &mut done).expect("wait");
        }
        let ended = done.iter().find(|ended| ended.request == depth - 1);
        assert!(ended.is_some_and(|ended| ended.result >= 0), "{}", subject.name);
        engine.submit(&[Io { request: depth, ..io }]).expect_err("there is no such request");
        engine.submit(&[Io { offset: 1 << 63, ..io }]).expect_err("there is no such offset");
        if subject.row.needs_files {
            engine.submit(&[Io { file: 1, ..io }]).expect_err("there is no such file");
            let content = std::fs::read(&path).expect("the file");
            assert_eq!(content.len(), 12_288, "{}: its size stays", subject.name);
            assert_eq!([content[4095], content[4096], content[8191]], [1, 0, 0], "{}", subject.name);
        }
    }
}
