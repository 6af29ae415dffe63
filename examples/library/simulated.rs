//! Builds a profile, runs it on a simulated device, and reads a percentile.

use diskspd::prelude::*;
use std::error::Error;
use std::io::Write;

/// Random reads of 4 KiB for one second.
pub fn profile(queue_depth: u32, seed: u32) -> Profile {
    let target = Target {
        path: "a target".into(),
        block_size: 4096,
        random_ratio: 100,
        request_count: queue_depth,
        file_size: Some(1 << 30),
        ..Target::default()
    };
    let span = TimeSpan {
        targets: vec![target],
        duration: 1,
        warmup: 0,
        rand_seed: seed,
        measure_latency: true,
        ..TimeSpan::default()
    };
    Profile { time_spans: vec![span], ..Profile::default() }
}

/// Runs in virtual time, so the result is the same on every machine.
pub fn simulate(profile: &Profile) -> Result<Record, RunError> {
    let run_options = RunOptions { engine: Some(EngineKind::Sim), ..RunOptions::default() };
    Ok(execute(profile, &run_options, &Session::default())?.record)
}

pub fn run(output: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let record = simulate(&profile(8, 0))?;
    let reads = &record.host().results.time_spans[0].threads[0].targets[0].read;
    let p99_ns = reads.latency.as_ref().and_then(|latency| latency.percentile(0.99));
    Ok(writeln!(output, "{} reads, 99 % of them within {} ns", reads.ios, p99_ns.unwrap_or(0))?)
}
