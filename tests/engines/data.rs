//! The right bytes at the right places.

use crate::subjects::*;
use diskspd::engine::{Engine, Io, MAX_LENGTH};
use diskspd::sys::files::FileHandle;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

const FILES: u32 = 3;

fn stream(
    engine: &mut dyn Engine,
    depth: u32,
    ios: &[Io],
    before: impl Fn(&Io) -> Vec<u8>,
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
            put(engine, &io, &before(&io));
            assert_eq!(engine.submit(&[io]).expect("submit"), 1);
            flying[request as usize] = Some(io);
        }
        if flying.iter().all(Option::is_none) {
            return;
        }
        engine.wait(1, LONG, &mut done).expect("wait");
        for done in done.drain(..) {
            let io = flying[done.request as usize].take().expect("a request in flight");
            after(&io, done.result, &content(engine, &io));
            free.push(io.request);
        }
    }
}

fn write_and_read_back(
    open: impl Fn(&Path) -> Option<FileHandle>,
    subject: &Subject,
    block: u32,
    blocks: u64,
) {
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
        |io| filled(io.length, io.file, io.offset),
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
        |io| vec![0; io.length as usize],
        |io, result, slot| {
            assert_eq!(result, i64::from(block), "{}: {io:?}", subject.name);
            assert!(holds(slot, io.file, io.offset), "{}: {io:?}", subject.name);
            seen += 1;
        },
    );
    assert_eq!(seen, reads.len());
}

#[test]
fn written_data_is_read_back_by_all_engines() {
    for subject in real_engines() {
        write_and_read_back(|path| Some(open(path)), &subject, 4096, 64);
    }
}

#[test]
fn unaligned_ios_work_through_page_cache() {
    for subject in real_engines() {
        write_and_read_back(|path| Some(open(path)), &subject, 1000, 50);
    }
}

#[test]
fn written_data_is_read_back_unbuffered() {
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
fn maximum_io_is_2_gib_minus_a_page() {
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
        let io = write(0, 0, 4096, MAX_LENGTH);
        put(&mut *engine, &io, &filled(MAX_LENGTH, 0, 0));
        let done = perform(&mut *engine, &[io]);
        assert_eq!(done[0].result, i64::from(MAX_LENGTH), "{}", subject.name);
        let io = read(0, 0, 4096, MAX_LENGTH);
        put(&mut *engine, &io, &vec![0; MAX_LENGTH as usize]);
        let done = perform(&mut *engine, &[io]);
        assert_eq!(done[0].result, i64::from(MAX_LENGTH), "{}", subject.name);
        assert!(holds(&content(&*engine, &io), 0, 0), "{}", subject.name);
    }
}

#[test]
fn writes_use_the_shared_buffer_part() {
    let directory = directory();
    for subject in real_engines() {
        let path = file(directory.path(), "file", &[0; SOURCE_LENGTH]);
        let depth = subject.depth(4);
        let private = 4096 * depth as usize;
        let mut engine = subject.open(vec![open(&path)], private, depth);
        let place = with_source(private).1;
        let all = read(0, 0, 0, private as u32);
        put(&mut *engine, &all, &vec![7; private]);
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
        let seen = content(&*engine, &all);
        assert_eq!(seen[..1024], [7; 1024], "{}", subject.name);
        assert!(holds(&seen[1024..4096], SOURCE, 1024), "{}", subject.name);
        let source = Io { buffer_offset: place, ..write(0, 0, 0, SOURCE_LENGTH as u32) };
        assert!(holds(&content(&*engine, &source), SOURCE, 0), "{}", subject.name);
    }
}

#[test]
fn buffer_access_stays_within_its_memory() {
    let directory = directory();
    let path = file(directory.path(), "file", &[0; 4096]);
    for subject in every_engine() {
        let files = if subject.row.needs_files { vec![open(&path)] } else { vec![] };
        let mut engine = subject.open(files, 4096, 1);
        let source = with_source(4096).1;
        let io = read(0, 0, 0, 512);
        for (place, readable, writable) in [
            (0, true, true),
            (4096 - 512, true, true),
            (source - 511, true, false),
            (source, true, false),
            (source + SOURCE_LENGTH - 512, true, false),
            (source + SOURCE_LENGTH - 511, false, false),
            (usize::MAX, false, false),
        ] {
            let io = Io { buffer_offset: place, ..io };
            assert_eq!(engine.slot(&io).is_some(), readable, "{}: {io:?}", subject.name);
            assert_eq!(engine.slot_mut(&io).is_some(), writable, "{}: {io:?}", subject.name);
        }
    }
}

#[test]
fn memory_is_read_and_filled_during_io() {
    for subject in patient_engines() {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        let mut engine = subject.open(vec![reader.into()], 4 * 8, 4);
        let waiting = [read(0, 0, 0, 8), read(2, 0, 0, 8)];
        assert_eq!(engine.submit(&waiting).expect("submit"), 2);
        let mut done = vec![];
        engine.wait(0, Duration::ZERO, &mut done).expect("wait");
        // Next to them, and in them: what the kernel writes comes later, and stays.
        for request in 0..4 {
            let io = read(request, 0, 0, 8);
            put(&mut *engine, &io, &[request as u8; 8]);
            assert_eq!(content(&*engine, &io), [request as u8; 8], "{}", subject.name);
        }
        writer.write_all(&[7; 16]).expect("writing to the pipe");
        while done.len() < 2 {
            engine.wait(2, LONG, &mut done).expect("wait");
        }
        let seen: Vec<u8> = (0..4).map(|request| content(&*engine, &read(request, 0, 0, 8))[7]).collect();
        assert_eq!(seen, [7, 1, 7, 3], "{}", subject.name);
    }
}

#[test]
fn read_across_end_of_file_is_short() {
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
