//! Benchmark of one call of `ThreadWorkload::next`. It is on the path of every I/O, so it must stay at a
//! few nanoseconds. `cargo bench --bench workload` prints ns per I/O, the fastest of many short rounds.

use diskspd::profile::{AddressSpread, ContentShape, Distribution, DistributionKind, DistributionRange};
use diskspd::workload::{
    Assignment, Pattern, Random, ReducibleContent, TargetWorkload, ThreadWorkload, WorkPortion,
};
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
    spread: None,
    weight: 1,
    each_once: false,
    portion: None,
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
        ("random, zipf:1.1", spread("zipf:1.1")),
        ("random, normal:10%", spread("normal:10%")),
        ("random, hot:10%/90%", spread("hot:10%/90%")),
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
    let portion = |part, share| Some(WorkPortion { is_first: part == 0, part, share, is_split: false });
    let parts = [
        TargetWorkload { portion: portion(0, 0.7), ..BASIS },
        TargetWorkload { portion: portion(1, 0.2), pattern: Pattern::Sequential, ..BASIS },
        TargetWorkload { portion: portion(2, 0.1), ..BASIS },
    ];
    report("mix of three, one of them sequential", false, &parts.each_ref());
    for block in [512, 4096, 65536] {
        let mut random = Random::new(0);
        content("-Zr", block, |buffer| random.fill_expanded(buffer));
    }
    for (compress, dedupe) in [(0, 0), (60, 25)] {
        for block in [512, 4096, 65536] {
            let mut made = ReducibleContent::new(ContentShape { compress, dedupe }, 0, 0);
            let name = format!("--compress {compress} --dedupe {dedupe}");
            content(&name, block, |buffer| made.fill(buffer));
        }
    }
}

fn spread(spread: &str) -> TargetWorkload {
    TargetWorkload { spread: AddressSpread::parse(spread).ok(), ..BASIS }
}

/// Content of writes, GiB/s of one core.
fn content(name: &str, block: usize, mut fill: impl FnMut(&mut [u8])) {
    let mut buffer = vec![0; block];
    let mut fastest = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let writes = (16 << 20) / block;
        for _ in 0..writes {
            fill(black_box(&mut buffer[..]));
        }
        fastest = fastest.min(start.elapsed().as_secs_f64() / (writes * block) as f64);
    }
    let rate = 1.0 / fastest / f64::from(1 << 30);
    let name = format!("{name}, writes of {block}");
    println!("{name:<42} {:8.1} ns, {rate:.1} GiB/s", fastest * 1e9 * block as f64);
}

fn report(name: &str, floating: bool, targets: &[&TargetWorkload]) {
    let requests = |workload: &TargetWorkload| match workload.portion {
        Some(WorkPortion { is_first: false, .. }) => 0,
        _ => REQUESTS,
    };
    let assign =
        |workload| Assignment { workload, requests: requests(workload), interlocked: Arc::default() };
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
    println!("{name:<42} {fastest:8.2} ns");
}
