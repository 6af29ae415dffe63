//! Tests of `--replay` in simulated time: recorded I/Os are repeated at their times and in order, without
//! unpermitted writes.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::in_process::profile_and_options;
use crate::common::{directory, directory_with};
use diskspd::operation::Operation;
use diskspd::prelude::*;
use diskspd::report::text;
use std::error::Error;
use std::path::Path;

/// The columns of each I/O of a log.
type Ios = Vec<Vec<String>>;

fn run(line: &str, log: &Path) -> Result<(Record, Ios), Box<dyn Error>> {
    let (profile, run_options) = profile_and_options(&format!("--engine sim -c1G {line} a.dat"));
    let session = Session::from(Options { io_log: Some(log.to_owned()), ..Options::default() });
    let executed = execute(&profile, &run_options, &session)?;
    if !executed.failures.is_empty() {
        return Err(executed.failures.join("; ").into());
    }
    let text = std::fs::read_to_string(log).unwrap();
    let mut ios: Ios =
        text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect();
    ios.sort_by_key(|io| io[5].parse::<u64>().unwrap());
    Ok((executed.record, ios))
}

/// Returns direction, offset and size.
fn what(ios: &[Vec<String>]) -> Vec<Vec<String>> {
    ios.iter().map(|io| io[2..5].to_vec()).collect()
}

fn times(ios: &[Vec<String>], column: usize) -> Vec<u64> {
    ios.iter().map(|io| io[column].parse().unwrap()).collect()
}

#[test]
fn replay_keeps_times_over_threads() {
    let directory = directory();
    let file = |name: &str| directory.path().join(name);
    let recorded = file("recorded.csv");
    let (_, first) = run("-W0 -d1 -g1000i -o4 -w30 -r -L --bs-split 4K/60:16K/40", &recorded).unwrap();
    assert!(first.len() > 990);
    let begin = times(&first, 5)[0];
    let expected: Vec<u64> = times(&first, 5).iter().map(|at| at - begin).collect();
    let replay = format!("--replay {} --replay-writes issue -L -o16", recorded.display());

    let (record, again) = run(&replay, &file("1x.csv")).unwrap();
    assert_eq!(what(&again), what(&first));
    assert_eq!((times(&again, 5), times(&again, 7)), (expected.clone(), expected.clone()), "none is late");
    let replayed = record.run_options.as_ref().and_then(|run_options| run_options.replay.as_ref()).unwrap();
    assert_eq!((replayed.ios, replayed.length_ns), (first.len() as u64, *expected.last().unwrap()));
    let judged = JudgedRecord::new(&record);
    let paced = judged.summary.time_spans[0].as_ref().unwrap().paced.as_ref().unwrap();
    assert_eq!((paced.ios, paced.late_starts, paced.not_submitted), (first.len() as u64, 0, 0));
    assert!((paced.offered_iops / 1000.0 - 1.0).abs() < 0.01, "{}", paced.offered_iops);
    let report = String::from_utf8(text::text(&record)).unwrap();
    assert!(report.contains("Lateness of timespan 1:"), "{report}");

    // What is stored is enough to do it once more.
    let session = Session::default();
    let once_more = execute(&record.profile, record.run_options.as_ref().unwrap(), &session).unwrap().record;
    assert_eq!(text::text(&once_more), text::text(&record), "the same report");

    let (_, twice) = run(&format!("{replay} -t3 --replay-speed 2x"), &file("2x.csv")).unwrap();
    assert_eq!(what(&twice), what(&first));
    assert_eq!(times(&twice, 7), expected.iter().map(|at| at / 2).collect::<Vec<_>>());
    let threads: Vec<u64> = times(&twice, 0);
    assert!(threads.iter().enumerate().all(|(n, thread)| *thread == n as u64 % 3), "each takes the next");

    let (record, fast) = run(&format!("{replay} --replay-speed max"), &file("max.csv")).unwrap();
    let sorted = |ios: &[Vec<String>]| {
        let mut ios = what(ios);
        ios.sort();
        ios
    };
    assert_eq!(sorted(&fast), sorted(&first));
    assert!(fast.iter().all(|io| io[7].is_empty()), "they have no times");
    assert!(times(&fast, 5).last() < times(&first, 5).last());
    assert_eq!(record.profile.time_spans[0].targets[0].throughput, None);

    // Reads alone; half of the time isn't measured.
    let line = format!("--replay {} --replay-writes skip -o16 -L", recorded.display());
    let (record, reads) = run(&line, &file("reads.csv")).unwrap();
    assert!(reads.iter().all(|io| io[2] == "read") && reads.len() > 600);
    assert_eq!(record.profile.time_spans[0].targets[0].write_ratio, 0, "nothing is opened for writing");

    // One request at a time can't keep to it: what comes too late is counted.
    let (record, _) = run(&replay.replace("-o16", "-o1 --replay-speed 1000x"), &file("late.csv")).unwrap();
    let judged = JudgedRecord::new(&record);
    let paced = judged.summary.time_spans[0].as_ref().unwrap().paced.as_ref().unwrap();
    assert!(paced.late_starts > 500, "{paced:?}");
}

#[test]
fn discards_are_replayed_with_permitted_writes() {
    let directory = directory();
    let file = |name: &str| directory.path().join(name);
    let recorded = file("recorded.csv");
    let (_, first) = run("-W0 -d1 -g1000i -o4 -b8K -w30 -r --trim 20", &recorded).unwrap();
    let count = |ios: &[Vec<String>], what: &str| ios.iter().filter(|io| io[2] == what).count() as u64;
    let replay = format!("--replay {} -o16 -L", recorded.display());
    let (record, again) = run(&format!("{replay} --replay-writes issue"), &file("again.csv")).unwrap();
    assert_eq!((what(&again), times(&again, 7).len()), (what(&first), first.len()));
    let row = &record.host().results.time_spans[0].threads[0].targets[0];
    let discards = row.aux_results(Operation::Discard).unwrap();
    assert_eq!((discards.ios, discards.bytes / 8192), (count(&first, "discard"), discards.ios));
    assert_eq!((row.read.ios, row.write.ios), (count(&first, "read"), count(&first, "write")));
    let report = String::from_utf8(text::text(&record)).unwrap();
    let all = format!("recorded I/Os that were started: {}", first.len());
    assert!(report.contains("Discards of timespan 1:") && report.contains(&all), "{report}");
    let rows = report.split("started after they were due").nth(1).unwrap().lines().skip(2).take(7);
    let shown: u64 = rows.map(|row| row.split('|').nth(1).unwrap().trim().parse::<u64>().unwrap()).sum();
    assert_eq!(shown, first.len() as u64, "the table of lateness has every one: {report}");

    let (record, reads) = run(&format!("{replay} --replay-writes skip"), &file("reads.csv")).unwrap();
    assert_eq!(count(&reads, "read"), reads.len() as u64);
    let target = &record.profile.time_spans[0].targets[0];
    assert_eq!((target.write_ratio, target.shares.sum()), (0, 0), "nothing is opened for writing");
}

#[test]
fn replay_with_discards_ends_with_the_last_discard() {
    let directory = directory();
    let (target, log) = (directory.path().join("target.dat"), directory.path().join("log"));
    // Discards alone, one of them longer than anything is told at once; in the target, and without times.
    let text = "fio version 2 iolog\na add\na open\na trim 65536 65536\na trim 0 2147483648\n\
        a trim 2147483648 1610612736\na close\n";
    std::fs::write(&log, text).unwrap();
    for engine in ["sync -o1", "uring -o2"] {
        std::fs::write(&target, vec![1; 1 << 20]).unwrap();
        std::fs::File::options().write(true).open(&target).unwrap().set_len(4 << 30).unwrap();
        let line = format!(
            "--engine {engine} --replay {} --replay-writes issue {}",
            log.display(),
            target.display()
        );
        let (profile, run_options) = profile_and_options(&line);
        let record = execute(&profile, &run_options, &Session::default()).unwrap().record;
        let row = &record.host().results.time_spans[0].threads[0].targets[0];
        let discards = row.aux_results(Operation::Discard).unwrap();
        // 64 KiB, 2 of 1 GiB, 1 GiB and a half.
        assert_eq!((discards.ios, discards.bytes), (5, 65536 + (2 << 30) + (3 << 29)), "{engine}");
        let left = std::os::unix::fs::MetadataExt::blocks(&std::fs::metadata(&target).unwrap());
        assert_eq!(left, 0, "{engine}: nothing is left of it");
    }
}

#[test]
fn recorded_ios_are_all_counted() {
    let directory = directory();
    let file = |name: &str| directory.path().join(name);
    let target = file("target.dat");
    std::fs::write(&target, vec![1; 1 << 20]).unwrap();
    let ios: String = (0..256).map(|n| format!("{n} a read {} 4096\n", n % 256 * 4096)).collect();
    std::fs::write(file("log"), format!("fio version 3 iolog\n0 a add\n0 a open\n{ios}256 a close\n"))
        .unwrap();
    for options in ["--engine sync -o1", "--engine uring -o8", "--engine sync -o1 -t2 --replay-speed max"] {
        let line = format!("--replay {} {options} {}", file("log").display(), target.display());
        let (profile, run_options) = profile_and_options(&line);
        let record = execute(&profile, &run_options, &Session::default()).unwrap().record;
        let threads = record.hosts[0].results.time_spans[0].threads.iter();
        let counted: u64 = threads.flat_map(|thread| &thread.targets).map(|target| target.read.ios).sum();
        assert_eq!(counted, 256, "{line}");
    }
}

/// Returns planned and actual start times of the I/Os of all threads in real time, in ns after the start
/// signal, sorted by the planned time.
fn logged(line: &str, log: &Path) -> Vec<(u64, u64)> {
    let (profile, run_options) = profile_and_options(line);
    let session = Session::from(Options { io_log: Some(log.to_owned()), ..Options::default() });
    let executed = execute(&profile, &run_options, &session).unwrap();
    assert!(executed.failures.is_empty(), "{executed:?}");
    let text = std::fs::read_to_string(log).unwrap();
    let ios = text.lines().skip(1).filter(|line| !line.starts_with('#'));
    let ios: Vec<Vec<&str>> = ios.map(|line| line.split(',').collect()).collect();
    let threads: std::collections::BTreeSet<&str> = ios.iter().map(|io| io[0]).collect();
    assert!(threads.len() > 1, "{line}: several threads do I/O");
    let time = |io: &Vec<&str>, column: usize| io[column].parse().unwrap();
    let mut times: Vec<(u64, u64)> = ios.iter().map(|io| (time(io, 7), time(io, 5))).collect();
    times.sort_unstable();
    times
}

#[test]
fn replay_times_of_threads_share_an_origin() {
    let directory = directory();
    let file = |name: &str| directory.path().join(name);
    let ios: String = (0..300).map(|n| format!("{n}000 a read {} 4096\n", n * 4096)).collect();
    std::fs::write(file("trace"), format!("fio version 3 iolog\n0 a add\n0 a open\n{ios}300000 a close\n"))
        .unwrap();
    let trace = file("trace");
    for (line, first) in [
        (format!("--replay {} -t3", trace.display()), None),
        (format!("--replay {} -t4 -o4 -W1 -d1", trace.display()), Some(0)),
        ("-b4K -W0 -d1 -t4 -o1 --rate-total 1000,uniform".into(), Some(1_000_000)),
        ("-b4K -W0 -d1 -t3 -o1 -g200i".into(), Some(5_000_000)),
    ] {
        let mut times = logged(&format!("--engine null -c4M {line} a.dat"), &file("log"));
        times.dedup_by_key(|(due, _)| *due);
        assert!(first.is_none_or(|first| times[0].0 == first), "{line}: {:?}", times[0]);
        let step = first.filter(|first| *first > 0).unwrap_or(1_000_000);
        let uneven = times.windows(2).find(|pair| (pair[1].0 - pair[0].0) % step != 0);
        assert_eq!(uneven, None, "{line}: all are due at whole steps of {step} ns");
        assert!(times.iter().all(|(due, start)| start >= due), "{line}: none starts early");
    }
}

#[test]
fn unrepeatable_records_are_refused() {
    let (directory, log) = directory_with("none.csv");
    let trace = directory.path().join("trace");
    let path = trace.display();
    let write = "fio version 3 iolog\n0 /a read 0 512\n5 /a write 1073741312 1024\n9 /a write 0 512\n";
    let read = "fio version 3 iolog\n0 /a read 0 512\n5 /a read 1073741312 1024\n";
    let only_writes = "fio version 3 iolog\n0 /a write 0 512\n";
    let discards = "fio version 3 iolog\n0 /a read 0 512\n5 /a trim 0 512\n";
    let both = format!("{discards}9 /a write 0 512\n");
    for (text, line, why) in [
        (write, format!("--replay {path}"), "holds writes (2 of 3 I/Os), which would overwrite"),
        (
            only_writes,
            format!("--replay {path} --replay-writes skip"),
            "it holds writes (1 of 1 I/Os) and no reads",
        ),
        (discards, format!("--replay {path}"), "holds discards (1 of 2 I/Os), which would overwrite"),
        (
            &both,
            format!("--replay {path}"),
            "holds 1 writes and 1 discards (of 3 I/Os), which would overwrite",
        ),
        (discards, format!("--replay {path} --trim 5"), "--replay defines the workload"),
        (read, format!("--replay {path}"), "in line 3 of --replay ends at 1073742336; use a larger target"),
        ("x\n", format!("--replay {path}"), "line 1: unknown format of recorded I/Os"),
        (read, format!("--replay {path}.none"), "cannot be opened"),
        (read, format!("--replay {path} --stream-of /b"), "has no read or write on /b"),
        (read, "--replay-speed max".into(), "need --replay with a file"),
        (read, format!("--replay {path} b.dat"), "needs exactly one target"),
        (read, format!("--replay {path} -w30"), "--replay defines the workload"),
        (read, format!("--replay {path} -b4K"), "--replay defines the workload"),
        (read, format!("--replay {path} -g5i"), "--replay defines the workload"),
        (read, format!("--replay {path} --rate-total 5"), "leave out --rate-total"),
        (read, format!("--replay {path} --verify"), "--replay and --verify exclude"),
        (read, format!("--replay {path} -x"), "completion routines"),
        (read, format!("--replay {path} -Z1M"), "-Z<size>"),
        (read, format!("--replay {path} --replay-speed max -W1"), "leave out -W"),
    ] {
        std::fs::write(&trace, text).unwrap();
        let refused = run(&line, &log).unwrap_err().to_string();
        assert!(refused.contains(why), "{line}: {refused}");
    }
    assert!(!log.exists(), "nothing was begun");
}
