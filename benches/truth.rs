//! Benchmark of the checks on the figures: before the start signal, at the edges of the measured window,
//! and after it. `cargo bench --bench truth [-- FILE]`; without a file it creates one of 256 MiB in
//! /var/tmp and removes it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use diskspd::checks::judge;
use diskspd::formats::json;
use diskspd::host::{self, storage};
use diskspd::profile::RawText;
use diskspd::report::findings::{self, Detail};
use diskspd::results::{Record, SpanResults, summarize};
use diskspd::run::{self, Counters, Observer, Options, RunReporter};
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const ROUNDS: usize = 51;

const STEPS: [(char, &str); 9] = [
    ('S', "environment of machine and target"),
    ('S', "content of the target"),
    ('S', "devices below it, cost of the program's own steps, heat"),
    ('S', "what waits in memory"),
    ('W', "counters, opening edge"),
    ('W', "counters, closing edge"),
    ('E', "what waits in memory, heat"),
    ('E', "figures, verdicts, findings"),
    ('E', "the block for people, all of it"),
];

fn main() {
    let given = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let made = format!("/var/tmp/diskspd-bench-{}.dat", std::process::id());
    let file = given.clone().unwrap_or_else(|| made.clone());
    // A line with much to judge: reads and writes, latencies, intervals, eleven seconds for the steady state.
    let size = if given.is_none() { "-c256M " } else { "" };
    let out = format!("{made}.json");
    run(&format!("{size}-b4K -r -w25 -t2 -o32 -Su -L -D -W0 -d11 --out {out} {file}"));
    let record =
        json::read_from(BufReader::new(File::open(&out).expect("the run saved its record"))).unwrap();
    let _ = fs::remove_file(out);
    let mut times = vec![Vec::new(); STEPS.len()];
    for _ in 0..ROUNDS {
        let round = judge_once(&record, &file);
        times.iter_mut().zip(round).for_each(|(times, time)| times.push(time));
    }
    if given.is_none() {
        let _ = fs::remove_file(made);
    }
    println!("for '{file}', medians of {ROUNDS}:");
    let medians: Vec<f64> = times.iter_mut().map(|times| median(times)).collect();
    for ((when, what), time) in STEPS.iter().zip(&medians) {
        println!("  {time:8.3} ms  {when}  {what}");
    }
    for (phase, name) in [('S', "before the start"), ('W', "at the edges"), ('E', "at the end")] {
        let steps = STEPS.iter().zip(&medians).filter(|((when, _), _)| *when == phase);
        println!("  {:8.3} ms  in all {name}", steps.map(|(_, time)| time).sum::<f64>());
    }
}

/// Everything once; the time of each of [`STEPS`], ms.
fn judge_once(record: &Record, file: &str) -> Vec<f64> {
    let (profile, span) = (&record.profile, &record.profile.time_spans[0]);
    let (options, voice) = (Options::default(), RunReporter::quiet());
    let mut system = host::snapshot();
    let probes = run::Probes::default();
    let plan = run::probe_and_plan(profile, span, &system, &options, &probes).expect("the file can be used");
    let located = probes.targets_at(&[file.into()]);
    let counters: Vec<Counters> = plan.workers.iter().map(|_| Counters::new(false)).collect();
    // As many threads to ask the kernel for as the run had; here they are one and the same.
    counters.iter().for_each(|counters| counters.belongs_to(diskspd::sys::cpu::thread_number()));
    forget(Path::new(file));
    let mut times = Vec::new();
    let mut watch = Instant::now();
    let mut lap = || {
        times.push(watch.elapsed().as_secs_f64() * 1e3);
        watch = Instant::now();
    };
    diskspd::host::read_environment(&mut system, vec![storage::storage(&RawText::from(file))]);
    lap();
    let content = run::look_at_content(&plan, &located, &voice);
    lap();
    let mut observer = Observer::new(&plan, &located, &system, &options, None).expect("nothing is traced");
    lap();
    observer.measurement_is_near(&counters);
    lap();
    observer.measurement_begins(&counters);
    lap();
    observer.measurement_ended();
    lap();
    observer.measurement_is_over();
    let observed = observer.finish(&counters);
    lap();
    let judgement = judge(record, &summarize(record));
    lap();
    let text = findings::text(&judgement, Detail::Full);
    lap();
    assert!(observed.devices.is_some() && !content.is_empty() && !text.is_empty());
    let results: &SpanResults = &record.hosts[0].results.time_spans[0];
    assert!(results.was_measured());
    times
}

fn forget(file: &Path) {
    if let Ok(file) = File::open(file) {
        let _ = file.sync_all();
        let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed);
    }
}

fn run(line: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diskspd"));
    let status = command.args(line.split(' ')).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(status.is_ok_and(|status| status.success()), "diskspd {line} failed");
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
