//! `--mix` and `--bs-split`: several patterns and sizes at once on a target.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::{directory_with, io_log};
use diskspd::cli::{self, Invocation};
use diskspd::engines::Direction;
use diskspd::prelude::*;
use diskspd::profile::validate::validate;
use diskspd::report::text;
use diskspd::report_formats::VerdictForm;
use diskspd::report_formats::format_named;
use diskspd::results::{PartResults, TargetResults};
use diskspd::workload::{Assignment, Pattern, TargetWorkload, ThreadWorkload, WorkPortion};
use std::ffi::OsString;
use std::sync::Arc;

const MIX: &str = "70:-b8K -r -w0; 20:-b64K -s -w100; 10:-b512K -r -w50";

fn parse(options: &[&str]) -> (Profile, RunOptions) {
    let words = ["diskspd"].into_iter().chain(options.iter().copied());
    let arguments: Vec<OsString> = words.map(Into::into).collect();
    let request = match cli::parse(&arguments) {
        Ok(Invocation::Run(request)) => request,
        other => panic!("{options:?}: {other:?}"),
    };
    (request.profile, request.run_options)
}

fn run(line: &str, shape: [&str; 2], session: &Session) -> Record {
    let line = format!("--engine sim -c1G -W0 -d1 {line}");
    let (options, targets) = line.rsplit_once(" a.dat").unwrap();
    let words: Vec<&str> =
        options.split_whitespace().chain(shape).chain(["a.dat"]).chain(targets.split_whitespace()).collect();
    let (profile, run_options) = parse(&words);
    assert_eq!(validate(&profile, false).iter().filter(|f| f.name.starts_with(['V', 'X'])).count(), 0);
    let executed = execute(&profile, &run_options, session).unwrap_or_else(|why| panic!("{line}: {why}"));
    assert!(executed.failures.is_empty(), "{line}: {:?}", executed.failures);
    executed.record
}

fn targets(record: &Record) -> Vec<&TargetResults> {
    record.host().results.time_spans[0].threads.iter().flat_map(|thread| &thread.targets).collect()
}

fn ios(part: &PartResults) -> u64 {
    part.read.ios + part.write.ios
}

/// Asserts that the parts sum to the whole in I/Os, bytes and latencies.
fn sums_match(target: &TargetResults) {
    for direction in [Direction::Read, Direction::Write] {
        let whole = if direction == Direction::Read { &target.read } else { &target.write };
        let of = |part: &PartResults| {
            let of = if direction == Direction::Read { &part.read } else { &part.write };
            (of.ios, of.bytes, of.latency.as_ref().map_or(0, |all| all.moments().count()))
        };
        let sum = target.parts.iter().map(of).fold((0, 0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2));
        assert_eq!(
            sum,
            (whole.ios, whole.bytes, whole.latency.as_ref().map_or(0, |all| all.moments().count()))
        );
    }
}

#[test]
fn parts_of_mix_have_their_shares_with_any_option() {
    for line in [
        "-o3 -L a.dat",
        "-o1 a.dat",
        "-o3 -t3 -T1M -D -L a.dat",
        "-o2 -F2 -L a.dat b.dat",
        "-F2 -O5 a.dat b.dat",
        "-o2 -g2000i -L a.dat",
        "-o2 --rate-total 3000 -t2 -L a.dat b.dat",
        "-o3 --fsync-every 4 a.dat",
        "-o3 -x a.dat",
        "-o3 -Zr a.dat",
        "-o3 --compress 50 a.dat",
    ] {
        for shape in [["--mix", MIX], ["--bs-split", "8K/70:64K/20:512K/10"]] {
            let line = if shape[0] == "--mix" { line.to_owned() } else { format!("-rs50 -w50 {line}") };
            let line = line.replace("-T1M ", if shape[0] == "--mix" { "-T1M " } else { "" });
            let record = run(&line, shape, &Session::default());
            assert_eq!(record.check(), Ok(()));
            for target in targets(&record) {
                sums_match(target);
                let all = (target.read.ios + target.write.ios) as f64;
                assert_eq!(target.parts.len(), 3, "{line}");
                for (part, (share, size)) in target.parts.iter().zip([(0.7, 8), (0.2, 64), (0.1, 512)]) {
                    assert_eq!(part.block_size, size << 10);
                    assert_eq!(part.read.bytes + part.write.bytes, ios(part) * u64::from(part.block_size));
                    // Five deviations, and what was in flight at the end.
                    let slack = 5.0 * (all * share * (1.0 - share)).sqrt() + 16.0;
                    assert!(
                        all > 50.0 && (ios(part) as f64 - all * share).abs() <= slack,
                        "{line} {shape:?}"
                    );
                }
                if shape[0] == "--mix" {
                    let [reads, writes, both] = &target.parts[..] else { panic!() };
                    assert_eq!((reads.write.ios, writes.read.ios), (0, 0));
                    assert!(both.read.ios > 0 && both.write.ios > 0, "{line}");
                }
            }
        }
    }
}

/// Returns offset and size of each I/O of a thread.
fn logged(line: &str, shape: [&str; 2]) -> Vec<(u64, u64)> {
    let (_directory, log) = directory_with("log");
    run(line, shape, &Session::from(Options { io_log: Some(log.clone()), ..Options::default() }));
    io_log::read(&log).iter().map(|io| (io.offset, io.size)).collect()
}

#[test]
fn sequential_parts_have_separate_positions() {
    let all = logged("-o1 a.dat", ["--mix", "5:-b8K -r; 3:-b64K -s -w100 -B512M; 2:-b4K -s16K -f1M"]);
    for (size, step, base, end) in [(65536, 65536, 512 << 20, 1 << 30), (4096, 16384, 0, 1 << 20)] {
        let own: Vec<u64> = all.iter().filter(|io| io.1 == size).map(|io| io.0).collect();
        assert!(own.len() > 100, "{size}");
        for (number, offset) in (0u64..).zip(own) {
            assert_eq!(offset, base + number * step % (end - base), "I/O {number} of {size} bytes");
        }
    }
    assert!(all.iter().filter(|io| io.1 == 8192).all(|io| io.0 % 8192 == 0));
}

#[test]
fn sizes_start_at_permitted_offsets() {
    for (options, alignment) in [("", None), ("-s4K", Some(4096)), ("-s512", Some(512))] {
        let all = logged(&format!("-o1 -f64M {options} a.dat"), ["--bs-split", "4K/60:8K/30:64K/10"]);
        let mut end = 0u64;
        for (offset, size) in all {
            let next = end.next_multiple_of(alignment.unwrap_or(size));
            let expected = if next + size > 64 << 20 { 0 } else { next };
            assert_eq!(offset, expected, "{options}: {size} bytes after {end}");
            end = offset + size;
        }
    }
    for (offset, size) in logged("-o8 -r -B4K -f100M a.dat", ["--bs-split", "4K/1:1000/1:1M/1"]) {
        assert!((offset - 4096) % size == 0 && offset + size <= 100 << 20, "{offset} {size}");
    }
}

#[test]
fn shares_hold_over_a_million_draws() {
    const DRAWS: u32 = 1_000_000;
    let shares = [0.69, 0.2, 0.1, 0.01];
    let portion = |(part, share): (u32, f64)| TargetWorkload {
        block_size: 512 << part,
        stride: 512 << part,
        base: 0,
        region: 1 << 30,
        first: 0,
        pattern: if part == 1 { Pattern::Sequential } else { Pattern::Random },
        write_ratio: 30,
        distribution: None,
        spread: None,
        weight: 1,
        each_once: false,
        portion: Some(WorkPortion { is_first: part == 0, part, share, is_split: false }),
    };
    let workloads: Vec<TargetWorkload> = (0..).zip(shares).map(portion).collect();
    let assign = |(number, workload)| Assignment {
        workload,
        requests: if number == 0 { 4 } else { 0 },
        interlocked: Arc::default(),
    };
    let mut thread = ThreadWorkload::new(
        5,
        false,
        &workloads.iter().enumerate().map(|(n, w)| assign((n, w))).collect::<Vec<_>>(),
    );
    let mut counts = [0u32; 4];
    (0..DRAWS).for_each(|io| counts[thread.next(io % 4).target as usize] += 1);
    for (count, share) in counts.into_iter().zip(shares) {
        let slack = 5.0 * (f64::from(DRAWS) * share * (1.0 - share)).sqrt();
        assert!((f64::from(count) - f64::from(DRAWS) * share).abs() <= slack, "{share}: {count}");
    }
}

#[test]
fn part_tables_follow_diskspd_tables() {
    let record = run("-o4 -t2 -L a.dat", ["--mix", MIX], &Session::default());
    let report = String::from_utf8(text::text(&record)).unwrap();
    let (before, section) = report.split_once("\n\nParts of timespan 1:\n").unwrap();
    assert!(before.contains("mix of 3 parts") && before.contains("70: -b8192 -r -w0"), "{before}");
    assert_eq!(section.lines().filter(|line| line.ends_with("a.dat")).count(), 3, "{section}");
    let xml = format_named("xml").unwrap();
    let plain = String::from_utf8(xml.bytes(&record)).unwrap();
    assert!(plain.contains("<Part Share=\"70\">") && !plain.contains("<Parts>"));
    let more = String::from_utf8(xml.with_verdicts(VerdictForm::ALL).bytes(&record)).unwrap();
    assert_eq!(more.matches("<Parts>").count(), 1);
}

#[test]
fn options_incompatible_with_mixes_are_refused() {
    let sizes = ["--bs-split", "4K/1:8K/1"];
    for (line, shape, rules) in [
        ("", ["--mix", MIX], &[] as &[&str]),
        ("-p -o2", sizes, &["X2"]),
        ("-si -t2", sizes, &["X1"]),
        ("-Z64K", ["--mix", "1:-b8K -w1; 1:-b64K"], &[]),
        ("-Z64K", ["--mix", "1:-b8K -w1; 1:-b68K"], &["V18"]),
        ("-Z4K", sizes, &["V18"]),
        ("-g5", sizes, &["X4"]),
        ("-g5i", sizes, &[]),
        ("--compress 5", ["--mix", "1:-b8K -w1; 1:-b500"], &["X7"]),
        ("--compress 5", ["--mix", "1:-b8K"], &["C2"]),
        ("", ["--mix", "1:-b8K --distribution zipf:1"], &["V36"]),
    ] {
        let words: Vec<&str> = line.split_whitespace().chain(shape).chain(["a.dat"]).collect();
        let (profile, _) = parse(&words);
        let found = validate(&profile, false);
        assert_eq!(found.iter().map(|found| found.name).collect::<Vec<_>>(), rules, "{line} {shape:?}");
    }
}
