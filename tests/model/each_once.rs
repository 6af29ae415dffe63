//! Tests of `--each-once` and its requirements. Each block is used once before any is used twice.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::in_process::profile_and_options as parse;
use crate::common::io_log;
use diskspd::prelude::*;
use diskspd::profile::validate::{self, validate};
use std::collections::BTreeSet;

/// Returns thread, offset and length of the I/Os of a simulated run.
fn ios(line: &str) -> Vec<(u64, u64, u64)> {
    let ios = io_log::of_run(&format!("--engine sim -d1 -W0 {line} a.dat"));
    ios.iter().map(|io| (io.thread, io.offset, io.size)).collect()
}

#[test]
fn threads_complete_all_blocks_before_repeats() {
    for (line, base, stride, blocks) in [
        ("-b4K -c1M -r -o1", 0, 4096, 256),
        ("-b4K -B512K -c1M -r -o1 -w40", 512 << 10, 4096, 128),
        // What is left of the area is too short for a block.
        ("-b4K -c1030K -r16K -o1", 0, 16 << 10, 65),
        ("-b64K -c64K -r -o1", 0, 64 << 10, 1),
        ("-b4K -c1M -r -t2 -o1", 0, 4096, 256),
    ] {
        let all = ios(&format!("{line} --each-once"));
        let threads: BTreeSet<u64> = all.iter().map(|(thread, ..)| *thread).collect();
        let expected: BTreeSet<u64> = (0..blocks).map(|block| base + block * stride).collect();
        for thread in threads {
            let own: Vec<u64> = all.iter().filter(|io| io.0 == thread).map(|io| io.1).collect();
            assert!(own.len() >= 2 * blocks as usize, "{line}: {}", own.len());
            for round in own.chunks_exact(blocks as usize).take(2) {
                assert_eq!(round.iter().copied().collect::<BTreeSet<u64>>(), expected, "{line}");
            }
            assert!(blocks == 1 || own[..blocks as usize] != own[blocks as usize..2 * blocks as usize]);
        }
    }
}

#[test]
fn mixed_sizes_never_repeat_a_block() {
    // An area that ends with half of a large block.
    let all = ios("--bs-split 4K/60:64K/40 -c1056K -r4K -o1 --each-once");
    let (mut done, mut shortened, mut rounds) = (BTreeSet::new(), 0, 0);
    for (_, offset, length) in all {
        assert!(length > 0 && offset + length <= 1056 << 10, "{offset} {length}");
        for block in offset / 4096..(offset + length) / 4096 {
            assert!(done.insert(block), "block {block} twice in round {rounds}");
        }
        shortened += usize::from(length != 4096 && length != 65536);
        if done.len() == 264 {
            done.clear();
            rounds += 1;
        }
    }
    assert!(rounds > 2 && shortened > 0, "{rounds} {shortened}");
}

#[test]
fn incompatible_options_are_refused_and_named() {
    for (line, rule) in [
        ("-b4K -s", "O1"),
        ("-b4K -rs50", "O1"),
        ("-b4K -r --distribution zipf:1", "O2"),
        ("-b4K -r -rdpct10/90:90/10", "O2"),
        ("--mix 50:-r;50:-r", "O3"),
        ("-b8K -r4K", "O4"),
        ("--bs-split 4K/60:64K/40 -r", "O5"),
        ("--bs-split 4K/60:64K/40 -r8K", "O5"),
        ("-b64K -r --zoned", "O6"),
        ("-b64K -r --replay x.log", "O7"),
    ] {
        let (profile, run_options) = parse(&format!("{line} --each-once -c1G a.dat"));
        let found = validate(&profile, false).into_iter();
        let found: Vec<_> = found.chain(validate::run_options(&run_options, &profile)).collect();
        assert!(found.iter().any(|finding| finding.name == rule), "{line}: {found:?}");
    }
    for line in ["-b8K -r", "-b8K -r16K -w30 --trim 10", "--bs-split 4K/60:64K/40 -r4K"] {
        let (profile, _) = parse(&format!("{line} --each-once -c1G a.dat"));
        assert_eq!(validate(&profile, false), [], "{line}");
    }
}

#[test]
fn oversized_block_map_is_refused() {
    let (profile, run_options) = parse("--engine sim -b512 -r --each-once -t4 -c64T a.dat");
    let executed = execute(&profile, &run_options, &Session::default()).unwrap();
    assert!(executed.failures[0].contains("--each-once"), "{:?}", executed.failures);
}
