//! The right bytes at the right places.

use crate::subjects::*;
use diskspd::engine::{Engine, Io, MAX_LENGTH};
use std::os::fd::OwnedFd;
use std::path::Path;

const FILES: u32 = 3;

/// Runs the I/Os through all slots, each as soon as a slot is free; `before` prepares a slot, `after` looks at it.
fn stream(
    engine: &mut dyn Engine,
    depth: u32,
    ios: &[Io],
    before: impl Fn(&Io, &mut [u8]),
    mut after: impl FnMut(&Io, i64, &[u8]),
) {
    let mut free: Vec<u32> = (0..depth).collect();
    let mut flying = vec![None; depth as usize];
    let mut done = vec![];
    let mut next = ios.iter();
    loop {
        while let Some(request) = free.pop() {
            let Some(io) = next.next() else { break };
            let io = Io { request, buffer_offset: request as usize * io.length as usize, ..*io };
            before(&io, &mut engine.buffer()[io.buffer_offset..][..io.length as usize]);
            assert_eq!(engine.submit(&[io]).expect("submit"), 1);
            flying[request as usize] = Some(io);
        }
        if flying.iter().all(Option::is_none) {
            return;
        }
        engine.wait(1, LONG, &mut done).expect("wait");
        for done in done.drain(..) {
            let io = flying[done.request as usize].take().expect("a request in flight");
            after(&io, done.result, &engine.buffer()[io.buffer_offset..][..io.length as usize]);
            free.push(io.request);
        }
    }
}

/// Writes `blocks` blocks to each file in random order, looks at the files, reads in another order.
fn write_and_read_back(open: impl Fn(&Path) -> Option<OwnedFd>, subject: &Subject, block: u32, blocks: u64) {
    let directory = directory();
    // A mapping has the length that the file has when it's made.
    let content = vec![0; if subject.is_mapped() { blocks * u64::from(block) } else { 0 } as usize];
    let paths: Vec<_> = (0..FILES).map(|n| file(directory.path(), &n.to_string(), &content)).collect();
    let Some(files) = paths.iter().map(|path| open(path)).collect::<Option<Vec<_>>>() else { return };
    let depth = subject.depth(8);
    let mut engine = subject.open(files, (block * depth) as usize, depth);
    let mut places: Vec<(u32, u64)> =
        (0..FILES).flat_map(|n| (0..blocks).map(move |i| (n, i * u64::from(block)))).collect();
    let mut dice = Dice::new(3);

    dice.shuffle(&mut places);
    let writes: Vec<Io> = places.iter().map(|(n, offset)| write(0, *n, *offset, block)).collect();
    stream(
        &mut *engine,
        depth,
        &writes,
        |io, slot| fill(slot, io.file, io.offset),
        |io, result, _| assert_eq!(result, i64::from(block), "{}: {io:?}", subject.name),
    );
    for (n, path) in (0..).zip(&paths) {
        let content = std::fs::read(path).expect("reading a test file");
        assert_eq!(content.len() as u64, blocks * u64::from(block));
        assert!(holds(&content, n, 0), "{}: file {n} as written", subject.name);
    }

    dice.shuffle(&mut places);
    let reads: Vec<Io> = places.iter().map(|(n, offset)| read(0, *n, *offset, block)).collect();
    let mut seen = 0;
    stream(
        &mut *engine,
        depth,
        &reads,
        |_, slot| slot.fill(0),
        |io, result, slot| {
            assert_eq!(result, i64::from(block), "{}: {io:?}", subject.name);
            assert!(holds(slot, io.file, io.offset), "{}: {io:?}", subject.name);
            seen += 1;
        },
    );
    assert_eq!(seen, reads.len());
}

#[test]
fn what_is_written_is_read_back() {
    for subject in real_engines() {
        write_and_read_back(|path| Some(open(path)), &subject, 4096, 64);
    }
}

#[test]
fn odd_sizes_and_offsets_work_through_the_page_cache() {
    for subject in real_engines() {
        write_and_read_back(|path| Some(open(path)), &subject, 1000, 50);
    }
}

#[test]
fn what_is_written_is_read_back_without_the_page_cache() {
    for subject in real_engines() {
        write_and_read_back(open_direct, &subject, 4096, 64);
    }
}

#[test]
fn blocks_of_several_mebibytes_are_one_io() {
    for subject in real_engines() {
        write_and_read_back(|path| Some(open(path)), &subject, 5 << 20, 3);
        write_and_read_back(open_direct, &subject, 5 << 20, 3);
    }
}

#[test]
#[ignore = "needs 2 GiB of memory and as much on disk for each engine"]
fn the_longest_io_is_2_gib_less_a_page() {
    let directory = directory();
    let path = file(directory.path(), "long", &[]);
    for subject in real_engines() {
        // A mapping has the length that the file has when it's made.
        std::fs::OpenOptions::new()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_len(4096 + u64::from(MAX_LENGTH)))
            .expect("a long file");
        let mut engine = subject.open(vec![open(&path)], MAX_LENGTH as usize, 1);
        fill(engine.buffer(), 0, 0);
        let done = perform(&mut *engine, &[write(0, 0, 4096, MAX_LENGTH)]);
        assert_eq!(done[0].result, i64::from(MAX_LENGTH), "{}", subject.name);
        engine.buffer().fill(0);
        let done = perform(&mut *engine, &[read(0, 0, 4096, MAX_LENGTH)]);
        assert_eq!(done[0].result, i64::from(MAX_LENGTH), "{}", subject.name);
        assert!(holds(engine.buffer(), 0, 0), "{}", subject.name);
    }
}

#[test]
fn writes_are_taken_from_the_shared_part_of_the_buffer_too() {
    let directory = directory();
    for subject in real_engines() {
        let path = file(directory.path(), "file", &[0; SOURCE_LENGTH]);
        let depth = subject.depth(4);
        let private = 4096 * depth as usize;
        let mut engine = subject.open(vec![open(&path)], private, depth);
        let place = engine.content().len() - SOURCE_LENGTH;
        assert_eq!(engine.buffer().len(), private);
        engine.buffer().fill(7);
        let pieces: Vec<u64> = (0..SOURCE_LENGTH as u64).step_by(1024).collect();
        for part in pieces.chunks(depth as usize) {
            let io = |(slot, &at): (u32, &u64)| Io {
                buffer_offset: place + at as usize,
                ..write(slot, 0, at, 1024)
            };
            let batch: Vec<Io> = (0..).zip(part).map(io).collect();
            let done = perform(&mut *engine, &batch);
            assert!(done.iter().all(|done| done.result == 1024), "{}: {done:?}", subject.name);
        }
        assert!(holds(&std::fs::read(&path).expect("the file"), SOURCE, 0), "{}", subject.name);
        // A write of private bytes beside them, and a read that leaves the shared ones alone.
        assert_eq!(perform(&mut *engine, &[write(0, 0, 0, 1024)])[0].result, 1024, "{}", subject.name);
        assert_eq!(perform(&mut *engine, &[read(0, 0, 0, 4096)])[0].result, 4096, "{}", subject.name);
        assert_eq!(engine.buffer()[..1024], [7; 1024], "{}", subject.name);
        assert!(holds(&engine.buffer()[1024..4096], SOURCE, 1024), "{}", subject.name);
        assert!(holds(&engine.content()[place..], SOURCE, 0), "{}", subject.name);
    }
}

#[test]
fn a_read_across_the_end_of_the_file_is_short() {
    let directory = directory();
    let path = file(directory.path(), "short", &[5; 6000]);
    for subject in real_engines() {
        let mut engine = subject.open(vec![open_to_read(&path)], 4096, 1);
        for (offset, expected) in [(0, 4096), (4096, 1904), (5999, 1), (6000, 0), (1 << 40, 0)] {
            let done = perform(&mut *engine, &[read(0, 0, offset, 4096)]);
            assert_eq!(done[0].result, expected, "{} at {offset}", subject.name);
        }
    }
}
