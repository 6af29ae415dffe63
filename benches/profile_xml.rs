//! Benchmark of reading and writing a profile of 1000 targets, and of reading a document of nearly the
//! largest size. `cargo bench --bench profile_xml` prints milliseconds, the fastest of several rounds.

use diskspd::profile::xml::{MAX_BYTES, read};
use diskspd::profile::{Distribution, DistributionKind, DistributionRange, Profile, Target, TimeSpan};
use diskspd::report::profile_xml::write_profile;
use std::hint::black_box;
use std::time::Instant;

const TARGETS: usize = 1000;
const ROUNDS: usize = 20;

fn main() {
    let profile = profile(TARGETS);
    let text = written(&profile);
    println!("{TARGETS} targets, {} KiB", text.len() >> 10);
    println!("write {:8.2} ms", fastest(|| written(&profile).len()));
    println!("read  {:8.2} ms", fastest(|| targets(&text)));
    let per_target = text.len() / TARGETS;
    let largest = written(&self::profile(MAX_BYTES as usize / 10 * 9 / per_target));
    println!("{} targets, {} KiB", targets(&largest), largest.len() >> 10);
    println!("read  {:8.2} ms", fastest(|| targets(&largest)));
}

/// Targets that differ and name as many elements as a target can.
fn profile(targets: usize) -> Profile {
    let ranges = [(90, 10), (5, 20)].map(|(io, span)| DistributionRange { io, span });
    let distribution = Distribution::with_tail(DistributionKind::Percent, ranges.to_vec());
    let target = |number: usize| Target {
        path: format!("/data/{number}/<test> & more.dat").as_str().into(),
        block_size: 4096 + number as u32,
        random_ratio: 50,
        distribution: Some(distribution.clone()),
        burst_size: Some(1),
        think_time: Some(1),
        file_size: Some(1 << 30),
        ..Target::default()
    };
    let span = TimeSpan { targets: (0..targets).map(target).collect(), ..TimeSpan::default() };
    Profile { time_spans: vec![span], ..Profile::default() }
}

fn written(profile: &Profile) -> Vec<u8> {
    let mut out = Vec::new();
    write_profile(&mut out, profile, 0);
    out
}

fn targets(text: &[u8]) -> usize {
    read(text).map_or(0, |profile| profile.time_spans[0].targets.len())
}

fn fastest(work: impl Fn() -> usize) -> f64 {
    let mut fastest = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        black_box(work());
        fastest = fastest.min(start.elapsed().as_secs_f64() * 1e3);
    }
    fastest
}
