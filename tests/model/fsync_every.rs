//! Tests of `--fsync-every`: the writes followed by a flush, and the counting of flushes.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::in_process::{profile_and_options, run, target_rows};
use crate::common::{directory, side_by_side, skip};
use diskspd::engine::MakeEngine;
use diskspd::operation::Operation;
use diskspd::prelude::*;
use diskspd::profile::validate;
use diskspd::report::text;
use diskspd::report_formats::VerdictForm;
use diskspd::report_formats::format_named;

fn done(record: &Record) -> Vec<(u64, u64, u64)> {
    let flushes = |row: &diskspd::results::TargetResults| {
        row.aux_results(Operation::Flush).map_or(0, |flushes| flushes.ios)
    };
    target_rows(record).into_iter().map(|row| (row.read.ios, row.write.ios, flushes(row))).collect()
}

#[test]
fn nth_write_is_followed_by_a_flush() {
    for (line, every, depth) in [
        ("--fsync-every 1 -w100 -o1", 1, 1),
        ("--fsync-every 1 -w100 -o8", 1, 8),
        ("--fsync-every 3 -w50 -o1 -L -D", 3, 1),
        ("--fsync-every 7 -w30 -o16 -t3 -r", 7, 16),
        ("--fsync-every 4 -w100 -F2 -o2 b.dat", 4, 2),
        ("--fsync-every 4 -w100 -F2 -O5 b.dat", 4, 5),
        ("--fsync-every 2 -w100 -o4 -g500i", 2, 4),
        ("--fsync-every 2 -w100 -o4 --rate-total 900 -t2", 2, 4),
        ("--fsync-every 5 -w100 -o4 -i10 -j5", 5, 4),
        ("--fsync-every 1000000 -w100", 1_000_000, 2),
    ] {
        for engine in ["sim", "sim:stall"] {
            let line = format!("--engine {engine} -c1G -b4K -W0 -d1 {line} a.dat");
            for (_, writes, flushes) in done(&run(&line)) {
                // Each request of the thread may have been about to flush at the end.
                assert!(writes > 0 && flushes <= writes / every, "{line}: {flushes} for {writes} writes");
                assert!(flushes + depth >= writes / every, "{line}: {flushes} for {writes} writes");
            }
        }
    }
}

#[test]
fn warm_up_writes_count_towards_flushes_outside_figures() {
    let line = "--engine sim -c1G -b4K -w100 -o1 --fsync-every 10 -d1";
    let with = done(&run(&format!("{line} -W2 -C1 a.dat")))[0];
    assert!(with.2 > 0 && with.2.abs_diff(with.1 / 10) <= 1, "{with:?}");
}

#[test]
fn flushed_run_is_reproducible_and_default_never_flushes() {
    let line = "--engine sim -c1G -b4K -r -w40 -o4 -L -W0 -d1 a.dat";
    let with = run(&format!("--fsync-every 5 {line}"));
    let (profile, run_options) = (&with.profile, with.run_options.as_ref().unwrap());
    let again = execute(profile, run_options, &Session::default()).unwrap().record;
    assert_eq!(done(&with), done(&again));
    let without = run(line);
    assert!(
        without.host().results.time_spans[0].threads[0].targets[0].aux_results(Operation::Flush).is_none()
    );
    let ios = |record: &Record| done(record)[0].0 + done(record)[0].1;
    assert!(ios(&without) > ios(&with), "flushes take places in the queue");
    // Their time is no latency of an I/O: at most 100 times the mean, as a stall of the simulated device.
    let judged = JudgedRecord::new(&with);
    let table =
        judged.summary.time_spans[0].as_ref().unwrap().others.table(Operation::Flush).cloned().unwrap();
    assert!(table.total.times.p50.unwrap().ms() > 0.3, "{table:?}");
    let latency = judged.summary.time_spans[0].as_ref().unwrap().latency.clone().unwrap();
    assert!(latency.all.percentiles[1].write.unwrap().ms() < 0.1, "{latency:?}");
}

#[test]
fn flush_columns_follow_diskspd_columns() {
    let record = run("--engine sim -c1G -b4K -w100 -o2 -t2 --fsync-every 8 -L -W0 -d1 a.dat");
    let with = String::from_utf8(text::text(&record)).unwrap();
    let (before, section) = with.split_once("\n\nFlushes of timespan 1:\n").unwrap();
    assert!(before.contains("Total latency distribution:"), "{before}");
    let rows: Vec<&str> = section.lines().filter(|line| line.contains("a.dat")).collect();
    let cell = |row: &str, column: usize| row.split('|').nth(column).unwrap().trim().parse::<f64>().unwrap();
    let total = section.lines().find(|line| line.starts_with("total:")).unwrap();
    assert_eq!(rows.len(), 2, "{section}");
    assert_eq!(cell(rows[0], 1) + cell(rows[1], 1), cell(total, 1), "{section}");
    let xml = format_named("xml").unwrap();
    assert!(!String::from_utf8(xml.bytes(&record)).unwrap().contains("Flushes"));
    let more = String::from_utf8(xml.with_verdicts(VerdictForm::ALL).bytes(&record)).unwrap();
    assert_eq!(more.matches("<Flushes>").count(), 1, "{more}");
    let plain = String::from_utf8(text::text(&run("--engine sim -c1G -w100 -W0 -d1 a.dat"))).unwrap();
    assert!(!plain.contains("Flushes of"), "{plain}");
}

#[test]
fn every_engine_flushes_real_files() {
    let directory = directory();
    let engines = [
        ("uring", "-o8"),
        ("uring", "-o1 -Su"),
        ("sync", "-o1"),
        ("sync", "-o3"),
        ("aio", "-o8 -Su"),
        ("mmap", "-Sm -o2"),
    ];
    side_by_side(engines, |(engine, options)| {
        let file = directory.path().join(format!("{engine}{}.dat", options.replace(' ', "")));
        std::fs::write(&file, vec![1; 1 << 20]).unwrap();
        let line =
            format!("--engine {engine} {options} -b4K -r -w60 --fsync-every 4 -W0 -d1 {}", file.display());
        let kind = profile_and_options(&line).1.engine.unwrap();
        if let Err(why) = kind.row().available() {
            return skip(&why.to_string());
        }
        for (_, writes, flushes) in done(&run(&line)) {
            // Between the start signal and the begin of measuring a worker may have written already: each of its
            // requests may owe a flush then that is counted, of a write that isn't. At the end it is the other way around.
            let of_requests = 8;
            let expected = writes / 4;
            assert!(flushes <= expected + 1 + of_requests, "{line}: {flushes} for {writes}");
            assert!(flushes + of_requests >= expected, "{line}: {flushes} for {writes}");
        }
    });
}

#[test]
fn options_incompatible_with_flushes_are_refused() {
    for (line, rules) in [
        ("--fsync-every 1 a.dat", &["M9"][..]),
        ("--fsync-every 1 -w1 -x a.dat", &["M10"]),
        ("--fsync-every 1 -w1 --poll -Su a.dat", &["M11"]),
        ("--fsync-every 1 -w1 a.dat", &[]),
    ] {
        let (profile, run_options) = profile_and_options(line);
        let found: Vec<_> =
            validate::run_options(&run_options, &profile).iter().map(|finding| finding.name).collect();
        assert_eq!(found, rules, "{line}");
    }
}
