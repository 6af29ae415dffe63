//! Statistics of recorded I/Os.

use super::depth::{DepthFigures, depth_of};
use super::sequences::Sequences;
use super::{DiscardCount, IoTrace, TracedIo};
use std::collections::HashMap;

/// Maximum number of stored random offsets; more would not improve the distribution.
const MAX_OFFSETS: usize = 1 << 20;
const NEARLY_ALL: u64 = 95;
const ALIGNMENTS: usize = 21;

#[derive(Debug, Clone, Default)]
pub struct IoFigures {
    pub all: TracedPart,
    pub by_direction: [TracedPart; 2],
    /// Time in ns from the first I/O to the last one or its completion; at least 1.
    pub duration_ns: u64,
    pub begin: u64,
    pub end: u64,
    pub streams: u32,
    /// Time-weighted mean of the I/Os in flight.
    pub mean_depth: f64,
    /// Depth that 95 % of the I/Os do not exceed at submission; 0 = latencies are unknown.
    pub usual_depth: u32,
    pub most_depth: u32,
    pub discards: DiscardCount,
    pub skipped: u64,
    pub lost: u64,
    pub unasked: u64,
    pub truncated: bool,
    pub target_size: Option<u64>,
}

#[derive(Debug, Clone, Default)]
pub struct TracedPart {
    pub ios: u64,
    pub bytes: u64,
    /// Number of I/Os that start at the end of an earlier I/O of either direction.
    pub sequential: u64,
    pub sizes: Vec<SizeCount>,
    /// Offsets of non-sequential I/Os in ascending order, at most 2^20 evenly chosen ones.
    pub offsets: Vec<u64>,
    own_aligned: u64,
    /// Number of I/Os at a multiple of 2 to the power of the index.
    aligned: [u64; ALIGNMENTS],
}

/// I/O size with its number of I/Os.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeCount {
    pub bytes: u32,
    pub ios: u64,
}

impl IoFigures {
    pub fn from_trace(trace: &IoTrace) -> Option<IoFigures> {
        let (first, last) = (trace.ios.first()?, trace.ios.last()?);
        let ended = |io: &TracedIo| io.at_ns + io.latency_ns().unwrap_or(0);
        let end_ns = trace.ios.iter().map(ended).max().unwrap_or(last.at_ns);
        let duration_ns = (end_ns - first.at_ns).max(1);
        let mut sequences = Sequences::default();
        let sequential: Vec<bool> = trace.ios.iter().map(|io| sequences.take(io)).collect();
        let part = |of: fn(&TracedIo) -> bool| {
            let own = || trace.ios.iter().zip(&sequential).filter(move |(io, _)| of(io));
            TracedPart::from_ios(own, |(io, is)| (*io, *is))
        };
        let DepthFigures { mean, usual, most } = depth_of(trace.ios.iter(), duration_ns);
        Some(IoFigures {
            all: part(|_| true),
            by_direction: [part(|io| !io.is_write()), part(TracedIo::is_write)],
            duration_ns,
            begin: trace.ios.iter().map(|io| io.offset).min().unwrap_or(0),
            end: trace.ios.iter().map(TracedIo::end).max().unwrap_or(0),
            streams: sequences.streams(),
            mean_depth: mean,
            usual_depth: usual,
            most_depth: most,
            discards: trace.discards,
            skipped: trace.skipped,
            lost: trace.lost,
            unasked: trace.unasked,
            truncated: trace.truncated,
            target_size: trace.target_size,
        })
    }

    pub fn ios_per_s(&self) -> f64 {
        self.all.ios as f64 * 1e9 / self.duration_ns as f64
    }

    /// Share of discards among all I/Os, 0 to 1.
    pub fn discard_share(&self) -> f64 {
        self.discards.ios as f64 / (self.discards.ios + self.all.ios).max(1) as f64
    }

    pub fn write_share(&self) -> f64 {
        self.by_direction[1].ios as f64 / self.all.ios.max(1) as f64
    }
}

impl TracedPart {
    fn from_ios<T, I: Iterator<Item = T>>(
        ios: impl Fn() -> I,
        each: fn(T) -> (TracedIo, bool),
    ) -> TracedPart {
        let mut part = TracedPart::default();
        let mut sizes: HashMap<u32, u64> = HashMap::new();
        for (io, sequential) in ios().map(each) {
            part.ios += 1;
            part.bytes += u64::from(io.bytes());
            *sizes.entry(io.bytes()).or_default() += 1;
            part.sequential += u64::from(sequential);
            if !sequential {
                part.own_aligned += u64::from(io.offset.is_multiple_of(u64::from(io.bytes().max(1))));
                let zeros = (io.offset.trailing_zeros() as usize).min(ALIGNMENTS - 1);
                part.aligned[..=zeros].iter_mut().for_each(|count| *count += 1);
            }
        }
        part.sizes = sizes.into_iter().map(|(bytes, ios)| SizeCount { bytes, ios }).collect();
        part.sizes.sort_unstable_by_key(|size| (std::cmp::Reverse(size.ios), size.bytes));
        let step = (part.random() as usize).div_ceil(MAX_OFFSETS).max(1);
        let random = ios().map(each).filter(|(_, sequential)| !sequential).step_by(step);
        part.offsets = random.map(|(io, _)| io.offset).collect();
        part.offsets.sort_unstable();
        part
    }

    pub fn random(&self) -> u64 {
        self.ios - self.sequential
    }

    pub fn sequential_share(&self) -> f64 {
        self.sequential as f64 / self.ios.max(1) as f64
    }

    /// Mean size of an I/O in bytes.
    pub fn mean_size(&self) -> f64 {
        self.bytes as f64 / self.ios.max(1) as f64
    }

    pub(super) fn is_own_aligned(&self) -> bool {
        self.own_aligned * 100 >= self.random() * NEARLY_ALL
    }

    /// Returns the largest power of 2 in bytes that divides the offsets of random I/Os, up to 1 MiB.
    pub(super) fn alignment(&self) -> u64 {
        let wanted = |count: &u64| count * 100 >= self.random() * NEARLY_ALL;
        1 << self.aligned.iter().rposition(wanted).unwrap_or(0)
    }
}
