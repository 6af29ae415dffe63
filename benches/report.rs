//! What a large result costs to report: time and memory of summary, text, XML, JSON and CSV.
//!
//! `cargo bench --bench report [-- THREADS TARGETS INTERVALS]`. Every thread works on every target, as a pool does:
//! 256 threads, 64 targets and 3600 intervals are 59 million intervals of threads and targets: by the figures for 360
//! intervals some 6 GB of raw results and 19 GiB of XML. What reporting takes on top of the results is what counts: it must not grow with them.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use diskspd::profile::{Profile, Target, TimeSpan};
use diskspd::report::FORMATS;
use diskspd::results::{
    DirectionResults, Record, Results, SpanResults, TargetResults, ThreadResults, summarize,
};
use diskspd::stats::{Histogram, Series};
use diskspd::system::System;
use std::io::Write;
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
    let record = record(threads, targets, intervals);
    println!(
        "{threads} threads x {targets} targets x {intervals} intervals: results take {} MiB",
        resident()
    );
    let began = Instant::now();
    let summary = summarize(&record);
    println!(
        "  summary {:8.1} ms, {} time span",
        began.elapsed().as_secs_f64() * 1e3,
        summary.time_spans.len()
    );
    drop(summary);
    for format in FORMATS {
        let before = resident();
        forget_peak();
        let (began, mut sink) = (Instant::now(), Sink(0));
        (format.write)(&record, &mut sink).expect("a sink takes everything");
        println!(
            "  {:7} {:8.1} ms, {:6} MiB written, at most {:5} MiB more memory",
            format.name,
            began.elapsed().as_secs_f64() * 1e3,
            sink.0 >> 20,
            peak().saturating_sub(before)
        );
    }
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
        targets: span.targets.iter().map(|target| results(target, thread, intervals)).collect(),
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

fn results(target: &Target, thread: u32, intervals: u32) -> TargetResults {
    let (mut latency, mut series) = (Histogram::default(), Series::new(1000, intervals));
    for interval in 0..intervals {
        let nanos = 80_000 + u64::from((interval * 7919 + thread * 104_729) % 40_000);
        latency.record(nanos);
        series.record(u64::from(interval) * 1_000_000_000, nanos);
    }
    let read = DirectionResults {
        bytes: u64::from(intervals) * 65536,
        ios: u64::from(intervals),
        short: 0,
        latency: Some(latency),
        series: Some(series),
    };
    TargetResults { path: target.path.clone(), size: 1 << 30, read, ..TargetResults::default() }
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

/// From here on the peak is counted anew.
fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
