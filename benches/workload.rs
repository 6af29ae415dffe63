//! What one call of `ThreadWorkload::next` costs: it is on the path of every I/O, so it has to stay at a few
//! nanoseconds. `cargo bench --bench workload` prints ns per I/O, the fastest of many short
//! rounds, one of which finds the machine quiet.

use diskspd::profile::{Distribution, DistributionKind, DistributionRange};
use diskspd::workload::{Assignment, Pattern, Random, TargetWorkload, ThreadWorkload};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const IOS: u32 = 500_000;
const ROUNDS: u32 = 60;
const REQUESTS: u32 = 32;

const BASIS: TargetWorkload = TargetWorkload {
    block_size: 4096,
    stride: 4096,
    base: 0,
    region: 1 << 40,
    first: 0,
    pattern: Pattern::Random,
    write_ratio: 0,
    distribution: None,
    weight: 1,
};
/// A size of no particular beauty.
const ODD: u64 = 1_000_000_007;

fn main() {
    let ranges = [(90, 10), (0, 10), (5, 20)].map(|(io, span)| DistributionRange { io, span });
    let hot = Distribution::with_tail(DistributionKind::Percent, ranges.to_vec());
    let mixed = Pattern::Mixed { random: 50 };
    let cases = [
        ("sequential", TargetWorkload { pattern: Pattern::Sequential, ..BASIS }),
        ("interlocked", TargetWorkload { pattern: Pattern::Interlocked, region: ODD, ..BASIS }),
        ("parallel", TargetWorkload { pattern: Pattern::ParallelAsync, ..BASIS }),
        ("random, 1 TiB", BASIS),
        ("random, odd size", TargetWorkload { region: ODD, ..BASIS }),
        ("random, odd size and alignment", TargetWorkload { region: ODD, stride: 1000, ..BASIS }),
        ("random, odd size, -w30", TargetWorkload { region: ODD, write_ratio: 30, ..BASIS }),
        ("random, -rdpct90/10:0/10:5/20", TargetWorkload { distribution: Some(hot), ..BASIS }),
        ("mixed, -rs50", TargetWorkload { pattern: mixed, region: ODD, ..BASIS }),
        ("mixed, -rs50 -w30", TargetWorkload { pattern: mixed, write_ratio: 30, region: ODD, ..BASIS }),
    ];
    for (name, workload) in &cases {
        report(name, false, &[workload]);
    }
    let (random, odd) = (&cases[3].1, &cases[4].1);
    report("random, three targets", false, &[random, odd, random]);
    report("random, three targets, floating", true, &[random, odd, random]);
    let weighted = TargetWorkload { weight: 3, ..BASIS };
    report("random, three targets, weighted", true, &[random, odd, &weighted]);
    for block in [512, 4096, 65536] {
        fresh(block);
    }
}

/// Content of writes with `-Zr`, GiB/s of one core.
fn fresh(block: usize) {
    let mut random = Random::new(0);
    let mut buffer = vec![0; block];
    let mut fastest = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let writes = (16 << 20) / block;
        for _ in 0..writes {
            random.fill_expanded(black_box(&mut buffer[..]));
        }
        fastest = fastest.min(start.elapsed().as_secs_f64() / (writes * block) as f64);
    }
    let rate = 1.0 / fastest / f64::from(1 << 30);
    println!("-Zr, writes of {block:<19} {:6.1} ns, {rate:.1} GiB/s", fastest * 1e9 * block as f64);
}

fn report(name: &str, floating: bool, targets: &[&TargetWorkload]) {
    let assign = |workload| Assignment { workload, requests: REQUESTS, interlocked: Arc::default() };
    let targets: Vec<Assignment<'_>> = targets.iter().copied().map(assign).collect();
    let mut thread = ThreadWorkload::new(0, floating, &targets);
    let mut fastest = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for i in 0..IOS {
            black_box(thread.next(i % REQUESTS));
        }
        fastest = fastest.min(start.elapsed().as_nanos() as f64 / f64::from(IOS));
    }
    println!("{name:<34} {fastest:6.2} ns");
}
