//! DISKSPD's own traces (`tests/data/traces`): the command line in `*.cmd`, the first 1000 I/Os of each thread in
//! `*.txt`. Threads interleave as timing had it, so they are compared one by one.

use super::command::{Command, is_write};
use diskspd::workload::NextIo;
use std::collections::BTreeMap;
use std::path::Path;

type Traced = (u32, u32, bool, u64);

fn traced(io: &NextIo) -> Traced {
    (io.target, io.length, is_write(io), io.offset)
}

/// Parses `t[thread:target] issuing SIZE read/write @ OFFSET)`: thread and I/O.
fn parse(line: &str) -> Option<(u32, Traced)> {
    let (who, io) = line.strip_prefix("t[")?.split_once("] issuing ")?;
    let (thread, target) = who.split_once(':')?;
    let (length, io) = io.split_once(' ')?;
    let (direction, offset) = io.strip_suffix(')')?.split_once(" @ ")?;
    let write = match direction {
        "write" => true,
        "read" => false,
        _ => return None,
    };
    let io = (target.parse().ok()?, length.parse().ok()?, write, offset.parse().ok()?);
    Some((thread.parse().ok()?, io))
}

/// Returns the command line, and the I/Os by thread.
fn load(name: &str) -> (Command, BTreeMap<u32, Vec<Traced>>) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/traces");
    let command = std::fs::read_to_string(dir.join(format!("{name}.cmd"))).unwrap();
    let mut threads: BTreeMap<u32, Vec<Traced>> = BTreeMap::new();
    for line in std::fs::read_to_string(dir.join(format!("{name}.txt"))).unwrap().lines() {
        let (thread, io) = parse(line).unwrap_or_else(|| panic!("{name}: line {line:?}"));
        threads.entry(thread).or_default().push(io);
    }
    (Command::parse(&command), threads)
}

fn names() -> Vec<String> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/traces");
    let files = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let commands = files.filter(|path| path.extension().is_some_and(|e| e == "cmd"));
    let mut names: Vec<String> =
        commands.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

const INTERLOCKED: &str = "19_si96K";

#[test]
fn thread_addresses_match_diskspd_traces() {
    let names = names();
    assert_eq!(names.len(), 15, "{names:?}");
    for name in names.iter().filter(|&name| name != INTERLOCKED) {
        let (command, threads) = load(name);
        assert_eq!(threads.len() as u32, command.thread_count(), "{name}");
        for (thread, expected) in threads {
            assert_eq!(expected.len(), 1000, "{name}");
            let ios = command.ios(thread, expected.len());
            for (i, (io, expected)) in ios.iter().map(traced).zip(expected).enumerate() {
                assert_eq!(io, expected, "{name}, thread {thread}, I/O {i}");
            }
        }
    }
}

/// Checks that the two threads' I/Os are one divided stream. `reached[j]` means that the first i I/Os of
/// thread 0 and the first j of thread 1 are the stream's first i + j, in an order that preserves each
/// thread's own.
#[test]
fn interlocked_threads_share_one_stream() {
    let (command, traces) = load(INTERLOCKED);
    let [one, two] = [&traces[&0], &traces[&1]];
    let mut threads = command.threads();
    let stream: Vec<Traced> =
        (0..one.len() + two.len()).map(|i| traced(&threads[i % 2].next().unwrap())).collect();

    let mut reached: Vec<bool> = vec![true];
    for j in 0..two.len() {
        reached.push(reached[j] && two[j] == stream[j]);
    }
    // The trace of a thread ends after 1000 I/Os; what the other one did from then on can't be checked.
    let mut complete = reached[two.len()];
    for i in 0..one.len() {
        reached[0] &= one[i] == stream[i];
        for j in 0..two.len() {
            let next = &stream[i + j + 1];
            reached[j + 1] = reached[j + 1] && one[i] == *next || reached[j] && two[j] == *next;
        }
        complete |= reached[two.len()];
    }
    assert!(complete || reached.contains(&true), "the threads did not share one stream");
}
