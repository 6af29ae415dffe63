//! Runs a simulated device and reads a percentile: `cargo run --example percentile`.

use diskspd::prelude::*;
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let target = Target { path: "a target".into(), file_size: Some(1 << 30), ..Target::default() };
    let span = TimeSpan {
        targets: vec![target],
        duration: 1,
        warmup: 0,
        measure_latency: true,
        ..TimeSpan::default()
    };
    let profile = Profile { time_spans: vec![span], ..Profile::default() };
    let run_options = RunOptions { engine: Some(EngineKind::Sim), ..RunOptions::default() };
    let record = execute(&profile, &run_options, &Session::default())?.record;
    let reads = &record.host().results.time_spans[0].threads[0].targets[0].read;
    let p99_ns = reads.latency.as_ref().and_then(|latency| latency.percentile(0.99));
    writeln!(std::io::stdout(), "{} reads, 99 % of them within {} ns", reads.ios, p99_ns.unwrap_or(0))?;
    Ok(())
}
