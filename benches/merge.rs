//! Benchmark of merging many hosts: time and memory of `diskspd merge`, which reads the records from disk.
//!
//! `cargo bench --bench merge [-- HOSTS]`. Each host is a ten-second run of the simulated device with one
//! thread and `-L -D`. Memory must grow only by the amount that the merged record keeps of each host.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use diskspd::cli::{self, Invocation};
use diskspd::formats::json;
use diskspd::merge::Merge;
use diskspd::prelude::*;
use diskspd::report_formats::TEXT;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::PathBuf;
use std::time::Instant;

const RUNS: usize = 20;

fn main() {
    let most = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(1000);
    let folder = tempfile::tempdir().expect("a folder for the records");
    let runs: Vec<Record> = (0..RUNS).map(run).collect();
    let files: Vec<PathBuf> = (0..most)
        .map(|host| {
            let mut record = runs[host % RUNS].clone();
            record.host_mut().name = format!("node{host:04}");
            let path = folder.path().join(format!("{host:04}.json"));
            fs::write(&path, json::bytes(&record)).expect("room for the records");
            path
        })
        .collect();
    drop(runs);
    let bytes: u64 = files.iter().map(|file| file.metadata().map_or(0, |data| data.len())).sum();
    println!("{most} records, {} KiB each", bytes / 1024 / most.max(1) as u64);
    for hosts in [most / 10, most] {
        measure(&files[..hosts]);
    }
}

fn run(number: usize) -> Record {
    let line = format!("diskspd --engine sim -c1G -b4K -r -w30 -o8 -L -D -W0 -d10 -g1000i -z{number} a.dat");
    let arguments: Vec<OsString> = line.split_whitespace().map(Into::into).collect();
    let Ok(Invocation::Run(request)) = cli::parse(&arguments) else { panic!("{line}") };
    execute(&request.profile, &request.run_options, &Session::default()).expect("a simulated run").record
}

fn measure(files: &[PathBuf]) {
    let before = status("VmRSS:");
    let _ = fs::write("/proc/self/clear_refs", "5");
    let began = Instant::now();
    let mut merge = Merge::default();
    for file in files {
        let record = json::read_from(BufReader::new(File::open(file).unwrap())).unwrap();
        merge.add(record, "host").unwrap();
    }
    let record = merge.finish().unwrap();
    let merged = began.elapsed();
    let memory = status("VmHWM:").saturating_sub(before);
    let began = Instant::now();
    let text = TEXT.bytes(&record).len();
    let reported = began.elapsed();
    let began = Instant::now();
    let stored = json::bytes(&record).len();
    println!(
        "{:5} hosts: read and merged in {:7.1} ms, at most {:6} KiB more memory ({:.1} KiB a host); text {:6.1} ms, {} KiB; \
         record {:6.1} ms, {} KiB",
        files.len(),
        merged.as_secs_f64() * 1e3,
        memory,
        memory as f64 / files.len() as f64,
        reported.as_secs_f64() * 1e3,
        text / 1024,
        began.elapsed().as_secs_f64() * 1e3,
        stored / 1024
    );
}

/// A line of `/proc/self/status`, KiB.
fn status(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
