//! Walks: sequential, interlocked, parallel. Sizes in bytes.

use super::command::Command;
use diskspd::workload::NextIo;

#[rustfmt::skip]
const WALKS: &[(&str, u32, &[u64])] = &[
    ("-c4000 -B1000 -b1000 -s500", 0, &[1000, 1500, 2000, 2500, 3000, 1000, 1500]),
    ("-c3000 -B1000 -b1000 -s500", 0, &[1000, 1500, 2000, 1000, 1500, 2000, 1000]),
    ("-c3000 -b1000 -s500 -t2 -T250", 0, &[0, 500, 1000, 1500, 2000, 0, 500]),
    ("-c3000 -b1000 -s500 -t2 -T250", 1, &[250, 750, 1250, 1750, 250, 750]),
    ("-c3000 -b1000 -s500 -t2 -T750", 1, &[750, 1250, 1750, 250, 750, 1250]),
    ("-c3000 -b1000 -s250 -t2 -T500", 1, &[500, 750, 1000, 1250, 1500, 1750, 2000, 0, 250, 500]),
    ("-c3000 -b200 -s200 -t2 -T500", 1,
     &[500, 700, 900, 1100, 1300, 1500, 1700, 1900, 2100, 2300, 2500, 2700, 100, 300, 500]),
    ("-c1000 -b1000 -s18446744073709551615", 0, &[0, 0, 0]),
    ("-c1000 -b1000", 0, &[0, 0, 0]),
    ("-c1001 -b1000 -s1", 0, &[0, 1, 0, 1]),
];

#[test]
fn sequential_walks_match_vectors() {
    for (options, thread, offsets) in WALKS {
        assert_eq!(Command::parse(options).offsets(*thread, offsets.len()), *offsets, "{options}, {thread}");
    }
}

#[test]
fn walk_of_first_thread_covers_its_region() {
    let walk: Vec<u64> = (0..=2800).step_by(200).chain([0]).collect();
    assert_eq!(Command::parse("-c3000 -b200 -s200 -t2 -T500").offsets(0, walk.len()), walk);
}

#[test]
fn interlocked_threads_alternate_on_one_stream() {
    let mut threads = Command::parse("-c3000 -B1000 -b1000 -si500 -t2").threads();
    let offsets: Vec<u64> = (0..7).map(|i| threads[i % 2].next().unwrap().offset).collect();
    assert_eq!(offsets, [1000, 1500, 2000, 1000, 1500, 2000, 1000]);
}

/// Concurrent threads neither skip nor repeat a shared position.
#[test]
fn concurrent_interlocked_threads_share_all_blocks() {
    const EACH: usize = 20_000;
    // 21 positions, which neither the number of I/Os nor 2^64 is a multiple of.
    let threads = Command::parse("-c2100 -b100 -si -t4").threads();
    let ios: Vec<NextIo> = std::thread::scope(|scope| {
        let run = |thread: super::command::Thread| scope.spawn(move || thread.take(EACH).collect::<Vec<_>>());
        let running: Vec<_> = threads.into_iter().map(run).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let mut counts = [0usize; 21];
    ios.iter().for_each(|io| counts[io.offset as usize / 100] += 1);
    let expected: Vec<usize> = (0..21).map(|i| (4 * EACH + 20 - i) / 21).collect();
    assert_eq!(counts.to_vec(), expected);
}

#[test]
fn interlocked_targets_have_separate_positions() {
    let mut threads = Command::parse("-c1M -b64K -si -F2 -o1 one two").threads();
    let ios: Vec<(u32, u64)> =
        (0..8).map(|i| threads[i / 2 % 2].next().unwrap()).map(|io| (io.target, io.offset / 65536)).collect();
    assert_eq!(ios, [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2), (0, 3), (1, 3)]);
}

#[test]
fn parallel_requests_have_separate_positions() {
    let ios = Command::parse("-c3000 -B1000 -b1000 -s500 -p -o4").offsets(0, 20);
    let expected = [1000, 1500, 2000, 1000, 1500].into_iter().flat_map(|offset| [offset; 4]);
    assert_eq!(ios, expected.collect::<Vec<u64>>());
}

#[test]
fn parallel_requests_start_at_the_thread_stride() {
    let ios = Command::parse("-c3000 -b1000 -s500 -p -o2 -t2 -T750").offsets(1, 10);
    assert_eq!(ios, [750, 750, 1250, 1250, 1750, 1750, 250, 250, 750, 750]);
}
