//! Generation of a profile from a trace, and its quality.

use super::figures::{IoFigures, SizeCount, TracedPart};
use super::ranges::{RangeFit, TracedArea, fit_ranges};
use diskspd_base::operation::Operation;
use diskspd_profile::{CacheMode, MixPart, Profile, RawText, SizeShare, Target, Throughput, TimeSpan};

/// Minimum share of I/Os with the same size for a profile with a single size, ..
const DOMINANT: f64 = 0.95;
/// .. and maximum relative change of the mean size by it.
const MEAN_ERROR: f64 = 0.01;
/// A size is one of the profile's from this share of the I/Os, or of the bytes, on.
const MIN_SIZE_SHARE: f64 = 0.005;
const MAX_SIZES: usize = 24;
const SHARES: f64 = 100_000.0;
/// Reads and writes that differ by more than this in sizes or in sequential share are parts of a mix.
const MIN_RATE_DIFFERENCE: f64 = 0.1;
/// Minimum number of I/Os of a direction, or of random I/Os, for a statement about their addresses.
const MIN_FIT_IOS: u64 = 50;
const PURE: f64 = 0.005;
/// Maximum unused share before and after an area that counts as the whole target.
const EDGE: f64 = 0.01;
const SECOND: u64 = 1_000_000_000;
const TEMPLATE: &str = "*1";

/// Whether a profile keeps the observed rate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RateChoice {
    /// `-g` with the observed I/Os per second.
    #[default]
    AsSeen,
    Unlimited,
}

/// Profile with measures of its quality.
#[derive(Debug, Clone)]
pub struct FittedProfile {
    /// Profile with one time span and one target as template.
    pub profile: Profile,
    pub fit: TraceFit,
}

#[derive(Debug, Clone, Default)]
pub struct TraceFit {
    /// Share of the I/Os with a size of the profile, 0 to 1.
    pub sizes_covered: f64,
    /// Mean size of an I/O in bytes.
    pub mean_size: (f64, f64),
    /// Share of writes, 0 to 1.
    pub writes: (f64, f64),
    /// Share of discards among all I/Os, 0 to 1.
    pub discards: (f64, f64),
    /// Share of sequential I/O, 0 to 1.
    pub sequential: (f64, f64),
    /// Name of each part with random I/O, and the Kolmogorov-Smirnov distance of its offsets from the
    /// profile, 0 to 1.
    pub distances: Vec<(&'static str, f64)>,
    /// Options of a command line with the same work.
    pub options: String,
}

struct ShapedPart {
    ios: u64,
    target: Target,
    covered: u64,
    distance: Option<f64>,
}

pub fn fit(figures: &IoFigures, rate: RateChoice) -> FittedProfile {
    let area = traced_area(figures);
    let [reads, writes] = &figures.by_direction;
    let unlike = reads.ios >= MIN_FIT_IOS && writes.ios >= MIN_FIT_IOS && are_unlike(reads, writes);
    let mut target = common_target(figures, area, rate);
    let discards = whole_percent(figures.discard_share()).min(99);
    target.shares.set(Operation::Discard, discards);
    let parts = match unlike {
        true => vec![shape_part(reads, area, &target, 0), shape_part(writes, area, &target, 100)],
        false => vec![shape_part(&figures.all, area, &target, whole_percent(figures.write_share()))],
    };
    match &parts[..] {
        [only] => target = only.target.clone(),
        several => {
            let all = figures.all.ios as f64;
            let share = |part: &ShapedPart| (part.ios as f64 / all * SHARES).round().max(1.0) as u32;
            let mix = several.iter().map(|part| MixPart::new(part.target.clone(), share(part), None, None));
            target.mix = mix.collect();
            target.sum_up_parts();
        }
    }
    lay_streams_out(&mut target, figures, area, rate);
    let fit = judge_fit(figures, &target, &parts);
    let span = TimeSpan {
        duration: ((figures.duration_ns + SECOND / 2) / SECOND).clamp(1, u64::from(u32::MAX)) as u32,
        warmup: 0,
        measure_latency: true,
        targets: vec![target],
        ..TimeSpan::default()
    };
    FittedProfile { profile: Profile { time_spans: vec![span], ..Profile::default() }, fit }
}

fn traced_area(figures: &IoFigures) -> TracedArea {
    let all = &figures.all;
    let grid = match all.is_own_aligned() {
        true => all.sizes.iter().map(|size| u64::from(size.bytes)).max().unwrap_or(1).max(1),
        false => all.alignment(),
    };
    let (base, end) = (figures.begin / grid * grid, figures.end);
    // Few I/Os leave more at the edges by chance.
    let edge = EDGE.max(5.0 / all.ios.max(1) as f64).min(0.1);
    match figures.target_size {
        Some(size) if base as f64 <= size as f64 * edge && end as f64 >= size as f64 * (1.0 - edge) => {
            TracedArea { base: 0, end: size.max(end), whole: true }
        }
        _ => TracedArea { base, end, whole: false },
    }
}

/// Whether reads and writes need separate patterns.
fn are_unlike(reads: &TracedPart, writes: &TracedPart) -> bool {
    let share = |part: &TracedPart, bytes: u32| {
        let found = part.sizes.iter().find(|size| size.bytes == bytes);
        found.map_or(0.0, |size| size.ios as f64 / part.ios as f64)
    };
    // Half of the sum of all differences: those that the one has more of.
    let more = |size: &SizeCount| (share(reads, size.bytes) - share(writes, size.bytes)).max(0.0);
    let apart: f64 = reads.sizes.iter().map(more).sum();
    apart > MIN_RATE_DIFFERENCE
        || (reads.sequential_share() - writes.sequential_share()).abs() > MIN_RATE_DIFFERENCE
}

fn common_target(figures: &IoFigures, area: TracedArea, rate: RateChoice) -> Target {
    Target {
        path: RawText::from(TEMPLATE),
        cache_mode: CacheMode::DisableOsCache,
        base_file_offset: area.base,
        max_file_size: if area.whole { 0 } else { area.end },
        request_count: figures.usual_depth.max(1),
        throughput: chosen_throughput(figures, rate, 1),
        ..Target::default()
    }
}

fn chosen_throughput(figures: &IoFigures, rate: RateChoice, threads: u32) -> Option<Throughput> {
    // A rate is that of discards, too, where there are some.
    let discards = f64::from(whole_percent(figures.discard_share()).min(99)) / 100.0;
    let each =
        (figures.ios_per_s() / (1.0 - discards) / f64::from(threads)).round().clamp(1.0, f64::from(u32::MAX));
    (rate == RateChoice::AsSeen).then_some(Throughput::Iops(each as u32))
}

/// Converts sequential streams to threads, each with its part of the area.
fn lay_streams_out(target: &mut Target, figures: &IoFigures, area: TracedArea, rate: RateChoice) {
    let streams = figures.streams;
    if target.is_mixed() || target.random_ratio > 0 || streams < 2 {
        return;
    }
    let stride = (area.end - area.base) / u64::from(streams) / target.stride() * target.stride();
    if stride < u64::from(target.block_size) {
        return;
    }
    target.threads_per_file = streams;
    target.thread_stride = stride;
    target.request_count = target.request_count.div_ceil(streams);
    target.throughput = chosen_throughput(figures, rate, streams);
}

fn shape_part(part: &TracedPart, area: TracedArea, common: &Target, write_ratio: u32) -> ShapedPart {
    let sizes = worthwhile_sizes(part);
    let largest = sizes.iter().map(|size| size.bytes).max().unwrap_or(1).max(1);
    let covered = sizes.iter().map(|size| size.ios).sum();
    let random = 1.0 - part.sequential_share();
    let random_ratio = match random {
        // The first I/O of a stream follows nothing.
        _ if part.random() <= 1 || random <= PURE => 0,
        _ if random >= 1.0 - PURE => 100,
        share => ((share * 100.0).round() as u32).clamp(1, 99),
    };
    let gcd = sizes.iter().fold(0, |gcd, size| common_divisor(gcd, u64::from(size.bytes)));
    let block_alignment = match (random_ratio, sizes.len()) {
        // One size follows the other without gaps.
        (0..100, 2..) => gcd.min(part.alignment().max(1)),
        (0, _) => 0,
        _ if part.is_own_aligned() => 0,
        _ => part.alignment(),
    };
    let mut target =
        Target { block_size: largest, block_alignment, random_ratio, write_ratio, ..common.clone() };
    if sizes.len() > 1 {
        let share = |size: &SizeCount| (size.ios as f64 / covered as f64 * SHARES).round().max(1.0) as u32;
        target.sizes =
            sizes.iter().map(|size| SizeShare { block_size: size.bytes, share: share(size) }).collect();
    }
    let mut distance = None;
    if random_ratio > 0 && part.random() >= MIN_FIT_IOS {
        let unit = if block_alignment == 0 { u64::from(part.sizes[0].bytes).max(1) } else { block_alignment };
        let least = u64::from(largest).next_multiple_of(unit);
        let RangeFit { distribution, distance: found } = fit_ranges(&part.offsets, area, unit, least);
        (target.distribution, distance) = (distribution, Some(found));
    }
    ShapedPart { ios: part.ios, target, covered, distance }
}

/// Returns the sizes for these I/Os in the profile: one size, or the frequent ones.
fn worthwhile_sizes(part: &TracedPart) -> Vec<SizeCount> {
    let (ios, bytes) = (part.ios.max(1) as f64, part.bytes.max(1) as f64);
    let Some(first) = part.sizes.first() else { return Vec::new() };
    let mean_error = (f64::from(first.bytes) / part.mean_size().max(1.0) - 1.0).abs();
    if first.ios as f64 / ios >= DOMINANT && mean_error <= MEAN_ERROR {
        return vec![*first];
    }
    let is_worth = |size: &&SizeCount| {
        size.ios as f64 / ios >= MIN_SIZE_SHARE
            || size.ios as f64 * f64::from(size.bytes) / bytes >= MIN_SIZE_SHARE
    };
    let mut sizes: Vec<SizeCount> = part.sizes.iter().filter(is_worth).copied().collect();
    sizes.truncate(MAX_SIZES);
    match sizes.is_empty() {
        true => vec![*first],
        false => sizes,
    }
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if a == 0 { b } else { common_divisor(b % a, a) }
}

fn whole_percent(share: f64) -> u32 {
    (share * 100.0).round() as u32
}

fn judge_fit(figures: &IoFigures, target: &Target, parts: &[ShapedPart]) -> TraceFit {
    let portions = target.portions();
    let mean = |of: fn(&Target) -> f64| portions.iter().map(|p| p.share * of(&p.target)).sum::<f64>();
    let names = if parts.len() > 1 { ["reads", "writes"] } else { ["all", ""] };
    let distances = parts.iter().zip(names).filter_map(|(part, name)| Some((name, part.distance?)));
    TraceFit {
        sizes_covered: parts.iter().map(|part| part.covered).sum::<u64>() as f64
            / figures.all.ios.max(1) as f64,
        mean_size: (figures.all.mean_size(), mean(|target| f64::from(target.block_size))),
        writes: (figures.write_share(), mean(|target| f64::from(target.write_ratio) / 100.0)),
        discards: (figures.discard_share(), f64::from(target.shares.percent(Operation::Discard)) / 100.0),
        sequential: (
            figures.all.sequential_share(),
            mean(|target| f64::from(100 - target.random_ratio) / 100.0),
        ),
        distances: distances.collect(),
        options: target_options(target),
    }
}

/// Returns the options of the target on a command line.
fn target_options(target: &Target) -> String {
    let mut text = match target.mix.is_empty() {
        true => {
            let base = (target.base_file_offset > 0).then_some(target.base_file_offset);
            let end = (target.max_file_size > 0).then_some(target.max_file_size);
            let part = MixPart::new(target.clone(), 1, base, end).to_string();
            part.split_once(": ").map_or_else(String::new, |(_, options)| options.to_owned())
        }
        false => {
            let parts: Vec<String> = target.mix.iter().map(MixPart::to_string).collect();
            let mut text = format!("--mix '{}'", parts.join("; "));
            if target.base_file_offset > 0 {
                text += &format!(" -B{}", target.base_file_offset);
            }
            if target.max_file_size > 0 {
                text += &format!(" -f{}", target.max_file_size);
            }
            text
        }
    };
    text += &format!(" -Su -t{} -o{}", target.threads_per_file, target.request_count);
    for (_, row, percent) in target.shares.iter() {
        text += &format!(" {} {percent}", row.option);
    }
    if target.thread_stride > 0 {
        text += &format!(" -T{}", target.thread_stride);
    }
    if let Some(Throughput::Iops(rate)) = target.throughput {
        text += &format!(" -g{rate}i");
    }
    text
}
