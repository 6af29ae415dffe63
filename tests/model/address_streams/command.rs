//! Workloads written as DISKSPD writes them. Knows just the options that decide addresses; the target size is `-c`.

use diskspd::engines::Direction;
use diskspd::profile::{Distribution, DistributionKind, DistributionRange};
use diskspd::workload::{
    Assignment, FillParts, InterlockedPosition, NextIo, Pattern, Placement, TargetWorkload, ThreadWorkload,
};
use std::sync::Arc;

#[derive(Debug, Clone, Default)]
pub struct Command {
    size: u64,
    block: u64,
    stride: u64,
    random: u32,
    interlocked: bool,
    parallel: bool,
    write: u32,
    requests: u32,
    threads: u32,
    fixed_threads: u32,
    fixed_requests: u32,
    thread_stride: u64,
    base: u64,
    end: u64,
    seed: u32,
    distribution: Option<Distribution>,
    source: Option<u64>,
    fresh: bool,
    targets: usize,
    weights: Vec<u32>,
}

/// Parses a number with a DISKSPD suffix.
pub fn size(text: &str) -> u64 {
    let digits = text.trim_end_matches(['K', 'M', 'G', 'T']);
    let number: u64 = digits.parse().unwrap_or_else(|_| panic!("size {text:?}"));
    let shift = match text.strip_prefix(digits).unwrap() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        other => panic!("suffix {other:?}"),
    };
    number << shift
}

/// Parses `pct10/20:..` or `abs10/1G:..`.
pub fn distribution(text: &str) -> Distribution {
    let (kind, ranges) = text.split_at(3);
    let kind = match kind {
        "pct" => DistributionKind::Percent,
        "abs" => DistributionKind::Absolute,
        other => panic!("kind {other:?}"),
    };
    let ranges = ranges.split(':').map(|range| {
        let (io, span) = range.split_once('/').unwrap();
        DistributionRange { io: io.parse().unwrap(), span: size(span) }
    });
    Distribution::with_tail(kind, ranges.collect())
}

impl Command {
    /// Parses the words of a command line. `weights=3,1` stands for the `Weight` of XML profiles.
    pub fn parse(line: &str) -> Command {
        let mut c = Command { block: 65536, requests: 2, threads: 1, ..Command::default() };
        for word in line.split_whitespace().filter(|&word| word != "diskspd") {
            if let Some(weights) = word.strip_prefix("weights=") {
                c.weights = weights.split(',').map(|w| w.parse().unwrap()).collect();
                continue;
            }
            let Some(option) = word.strip_prefix('-') else {
                c.targets += 1;
                continue;
            };
            let (letter, value) = option.split_at(1);
            let number = || size(value) as u32;
            match letter {
                "c" => c.size = size(value),
                "b" => c.block = size(value),
                "r" if value.starts_with('s') => c.random = size(&value[1..]) as u32,
                "r" if value.starts_with('d') => c.distribution = Some(distribution(&value[1..])),
                "r" => {
                    c.random = if c.random == 0 { 100 } else { c.random };
                    c.stride = if value.is_empty() { 0 } else { size(value) };
                }
                "s" => {
                    c.interlocked = value.starts_with('i');
                    let stride = value.trim_start_matches('i');
                    c.stride = if stride.is_empty() { 0 } else { size(stride) };
                }
                "p" => c.parallel = true,
                "w" => c.write = number(),
                "o" => c.requests = number(),
                "t" => c.threads = number(),
                "F" => c.fixed_threads = number(),
                "O" => c.fixed_requests = number(),
                "T" => c.thread_stride = size(value),
                "B" => {
                    let (base, length) = value.split_once(':').unwrap_or((value, ""));
                    c.base = size(base);
                    c.end = if length.is_empty() { c.end } else { c.base + size(length) };
                }
                "f" => c.end = size(value),
                "z" => c.seed = number(),
                "Z" if value == "r" => c.fresh = true,
                "Z" => c.source = Some(size(value)),
                // They don't change addresses.
                "d" | "W" | "S" => {}
                other => panic!("option -{other} in {line:?}"),
            }
        }
        c.targets = c.targets.max(1);
        c
    }

    pub fn thread_count(&self) -> u32 {
        if self.fixed_threads > 0 { self.fixed_threads } else { self.threads * self.targets as u32 }
    }

    fn floating(&self) -> bool {
        self.fixed_threads > 0 && self.fixed_requests > 0
    }

    pub fn workload(&self, thread: u32) -> TargetWorkload {
        let region = Placement {
            size: self.size,
            base: self.base,
            max_offset: self.end,
            block_size: self.block as u32,
            thread,
            thread_stride: self.thread_stride,
        };
        let region = region.region().unwrap();
        let pattern = match self.random {
            100 => Pattern::Random,
            1..100 => Pattern::Mixed { random: self.random },
            _ if self.parallel => Pattern::ParallelAsync,
            _ if self.interlocked => Pattern::Interlocked,
            _ => Pattern::Sequential,
        };
        TargetWorkload {
            block_size: self.block as u32,
            stride: if self.stride == 0 { self.block } else { self.stride },
            base: region.base,
            region: region.length,
            first: region.first,
            pattern,
            write_ratio: self.write,
            distribution: self.distribution.clone(),
            spread: None,
            weight: 1,
            each_once: false,
            portion: None,
        }
    }

    /// Returns all threads of the time span.
    pub fn threads(&self) -> Vec<Thread> {
        let shared: Vec<Arc<InterlockedPosition>> = (0..self.targets).map(|_| Arc::default()).collect();
        let requests = if self.floating() { self.fixed_requests } else { self.requests };
        (0..self.thread_count())
            .map(|thread| {
                let (relative, targets) = match self.fixed_threads {
                    0 => {
                        let target = (thread / self.threads) as usize;
                        (thread % self.threads, target..target + 1)
                    }
                    _ => (thread, 0..self.targets),
                };
                let workload = |target: usize| TargetWorkload {
                    weight: self.weights.get(target).copied().unwrap_or(1),
                    ..self.workload(relative)
                };
                let workloads: Vec<TargetWorkload> = targets.clone().map(workload).collect();
                let assignments: Vec<Assignment<'_>> = targets
                    .zip(&workloads)
                    .map(|(target, workload)| Assignment {
                        workload,
                        requests,
                        interlocked: shared[target].clone(),
                    })
                    .collect();
                let seed = u64::from(self.seed.wrapping_add(thread));
                let mut workload = ThreadWorkload::new(seed, self.floating(), &assignments);
                if let Some(source) = self.source {
                    (0..assignments.len())
                        .for_each(|target| workload.draw_slices(target, source - self.block + 1));
                }
                let depth = if self.floating() { requests } else { requests * assignments.len() as u32 };
                let per_target = if self.floating() { 0 } else { requests };
                let fresh = self.fresh.then_some(Slots { block: self.block, requests, per_target });
                Thread { workload, depth, request: 0, fresh, content: Vec::new() }
            })
            .collect()
    }

    /// Returns the first offsets of a thread.
    pub fn offsets(&self, thread: u32, count: usize) -> Vec<u64> {
        self.ios(thread, count).iter().map(|io| io.offset).collect()
    }

    /// Returns the first I/Os of a thread.
    pub fn ios(&self, thread: u32, count: usize) -> Vec<NextIo> {
        self.threads().swap_remove(thread as usize).take(count).collect()
    }
}

/// Endless thread whose requests alternate, as if I/Os completed in order.
pub struct Thread {
    pub workload: ThreadWorkload,
    depth: u32,
    request: u32,
    fresh: Option<Slots>,
    pub content: Vec<u8>,
}

struct Slots {
    block: u64,
    requests: u32,
    /// Number of requests of one target; 0 = requests belong to all targets.
    per_target: u32,
}

impl Slots {
    fn address(&self, request: u32, target: u32) -> usize {
        let slot = self.requests + request - target * self.per_target;
        (u64::from(slot) * self.block % 8) as usize
    }
}

impl Iterator for Thread {
    type Item = NextIo;

    fn next(&mut self) -> Option<NextIo> {
        let next = self.workload.next(self.request);
        if let Some(slots) = self.fresh.as_ref().filter(|_| is_write(&next)) {
            let (address, length) = (slots.address(self.request, next.target), next.length as usize);
            self.content = vec![0; length + 8];
            let start = (address + 8 - self.content.as_ptr().addr() % 8) % 8;
            let mut other = self.workload.generator().clone();
            self.workload.generator().fill_expanded(&mut self.content[start..start + length]);
            self.content.drain(..start);
            self.content.truncate(length);
            other.skip(FillParts::split_buffer(address, length));
            assert!(other == *self.workload.generator(), "skipping ends where filling ends");
        }
        self.request = (self.request + 1) % self.depth;
        Some(next)
    }
}

pub fn is_write(io: &NextIo) -> bool {
    io.direction == Direction::Write
}
