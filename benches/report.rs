//! Benchmark of a large result: memory of the results, and time and memory of judging them. It also covers
//! text, XML, JSON and CSV output, and reading the JSON back.
//!
//! `cargo bench --bench report [-- THREADS TARGETS INTERVALS]`. Every thread works on every target, as in
//! a pool. `-- 256 64 3600`, an hour of seconds, gives 59 million intervals with I/O and the same number
//! without. It needs 19 GiB of XML, and temporarily 5 GiB of JSON on the disk. The additional memory for
//! reporting must not grow with the results.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use diskspd::checks::JudgedRecord;
use diskspd::formats::json;
use diskspd::machine::System;
use diskspd::profile::{Profile, Target, TargetId, TimeSpan};
use diskspd::report_formats::FORMATS;
use diskspd::results::{DirectionResults, Record, Results, SpanResults, TargetResults, ThreadResults};
use diskspd::stats::{Histogram, Series};
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::time::Instant;

/// Counts and forgets.
struct Sink(u64);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn main() {
    let numbers: Vec<u32> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let [threads, targets, intervals] = numbers[..] else {
        measure(1, 1, 10);
        return measure(256, 64, 36);
    };
    measure(threads, targets, intervals);
}

fn measure(threads: u32, targets: u32, intervals: u32) {
    forget_peak();
    let record = record(threads, targets, intervals);
    println!(
        "{threads} threads x {targets} targets x {intervals} intervals: results take {} MiB",
        resident()
    );
    let began = Instant::now();
    let judged = JudgedRecord::new(&record);
    println!(
        "  judging {:8.1} ms, {} time span",
        began.elapsed().as_secs_f64() * 1e3,
        judged.summary.time_spans.len()
    );
    let mut all = peak();
    for format in FORMATS {
        let before = resident();
        all = all.max(peak());
        forget_peak();
        let (began, mut sink) = (Instant::now(), Sink(0));
        (format.write)(&judged, &mut sink).expect("a sink takes everything");
        println!(
            "  {:7} {:8.1} ms, {:6} MiB written, at most {:5} MiB more memory",
            format.name,
            began.elapsed().as_secs_f64() * 1e3,
            sink.0 >> 20,
            peak().saturating_sub(before)
        );
    }
    all = all.max(peak());
    read_back(record);
    println!("  at most {} MiB in all (VmHWM)\n", peak().max(all));
}

/// Writes the record to a file and reads it again, without the first one in memory.
fn read_back(record: Record) {
    let path = std::env::temp_dir().join(format!("diskspd-bench-{}.json", std::process::id()));
    let mut file = BufWriter::new(File::create(&path).expect("a file for the record"));
    json::write(&JudgedRecord::new(&record), &mut file).expect("room for the record");
    file.flush().expect("room for the record");
    drop(record);
    let before = resident();
    forget_peak();
    let length = std::fs::metadata(&path).map_or(0, |file| file.len());
    let began = Instant::now();
    let index = File::open(&path).map(json::read_index).expect("the record that was written");
    assert!(index.is_ok_and(|index| index.is_some()));
    println!("  index   {:8.3} ms, of {} MiB", began.elapsed().as_secs_f64() * 1e3, length >> 20);
    let began = Instant::now();
    let file = File::open(&path).expect("the record that was written");
    let record = json::read_from(BufReader::with_capacity(1 << 18, file)).expect("a record");
    println!(
        "  reading {:8.1} ms, {:.0} MB/s, the record takes {} MiB, at most {} MiB on the way",
        began.elapsed().as_secs_f64() * 1e3,
        length as f64 / 1e6 / began.elapsed().as_secs_f64(),
        resident().saturating_sub(before),
        peak().saturating_sub(before)
    );
    drop(record);
    let _ = std::fs::remove_file(path);
}

fn record(threads: u32, targets: u32, intervals: u32) -> Record {
    let target =
        |number: u32| Target { path: format!("/data/{number}").as_str().into(), ..Target::default() };
    let span = TimeSpan {
        duration: intervals,
        measure_latency: true,
        calculate_iops_std_dev: true,
        thread_count: threads,
        targets: (0..targets).map(target).collect(),
        ..TimeSpan::default()
    };
    let thread = |thread: u32| ThreadResults {
        targets: (0..targets).map(|target| results(TargetId(target), thread, intervals)).collect(),
        ..ThreadResults::default()
    };
    let results = SpanResults {
        measured: u64::from(intervals) * 1_000_000_000,
        threads: (0..threads).map(thread).collect(),
        ..SpanResults::default()
    };
    let profile = Profile { time_spans: vec![span], ..Profile::default() };
    Record::new(profile, System::default(), Results { time_spans: vec![results] })
}

/// I/Os of a thread on a target in an interval.
const IOS: u32 = 8;

fn results(target: TargetId, thread: u32, intervals: u32) -> TargetResults {
    let direction = || DirectionResults {
        latency: Some(Box::new(Histogram::new())),
        series: Some(Box::new(Series::new(1000, intervals))),
        ..DirectionResults::default()
    };
    let (mut read, write) = (direction(), direction());
    for interval in 0..intervals {
        for io in 0..IOS {
            let nanos = 80_000 + u64::from((interval * 7919 + io * 6007 + thread * 104_729) % 40_000);
            read.ios += 1;
            read.bytes += 65536;
            read.latency.iter_mut().for_each(|latency| latency.record(nanos));
            let since_start = u64::from(interval) * 1_000_000_000 + u64::from(io) * 100_000;
            read.series.iter_mut().for_each(|series| series.record(since_start, nanos));
        }
    }
    TargetResults { target, size: 1 << 30, read, write, ..TargetResults::default() }
}

/// A line of `/proc/self/status`, MiB.
fn status(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() >> 10
}

fn resident() -> u64 {
    status("VmRSS:")
}

fn peak() -> u64 {
    status("VmHWM:")
}

fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
