//! Distribution of random I/O: offsets converted to ranges of `-rd`.

use diskspd_profile::{Distribution, DistributionKind, DistributionRange};

/// Maximum distance between distributions that counts as uniform, without ranges.
const UNIFORM: f64 = 0.02;
/// The critical value of Kolmogorov and Smirnov's test at 1 %, times the root of the number of values.
const CRITICAL: f64 = 1.63;
/// Maximum deviation of ranges from the distribution, in percent of the I/Os.
const TOLERANCE: f64 = 0.6;
/// Number of shares, which are whole percent.
const POINTS: u64 = 100;

/// Accessed part of the target in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct TracedArea {
    pub base: u64,
    /// Exclusive end, relative to `base`.
    pub end: u64,
    /// Whether the whole target is accessed, so that the end is not needed.
    pub whole: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct RangeFit {
    /// Distribution; `None` = uniform over the area.
    pub distribution: Option<Distribution>,
    /// Kolmogorov-Smirnov distance between the distributions of the offsets and the ranges, 0 to 1.
    pub distance: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Knot {
    percent: u32,
    at: u64,
}

/// Fits ranges to offsets, which are in order and within the area. `unit`: bytes between two positions; no
/// range is shorter than `least` bytes.
pub(super) fn fit_ranges(offsets: &[u64], area: TracedArea, unit: u64, least: u64) -> RangeFit {
    let uniform = [Knot { percent: 0, at: area.base }, Knot { percent: 100, at: area.end }];
    let flat = RangeFit { distribution: None, distance: largest_distance(offsets, &uniform, unit) };
    let enough = UNIFORM.max(CRITICAL / (offsets.len() as f64).sqrt());
    if offsets.is_empty() || flat.distance <= enough {
        return flat;
    }
    let knots = straighten_knots(&place_knots(offsets, area, unit, least.max(1)));
    let fitted = largest_distance(offsets, &knots, unit);
    if fitted >= flat.distance {
        return flat;
    }
    let ranges = knots
        .windows(2)
        .map(|two| DistributionRange { io: two[1].percent - two[0].percent, span: two[1].at - two[0].at });
    let mut ranges: Vec<DistributionRange> = ranges.collect();
    // The area after the last I/O needs no range.
    let ends_in_gap = ranges.pop_if(|last| last.io == 0).is_some();
    if let Some(last) = ranges.last_mut().filter(|_| area.whole && !ends_in_gap) {
        last.span = 0;
    }
    RangeFit {
        distribution: Some(Distribution { kind: DistributionKind::Absolute, ranges }),
        distance: fitted,
    }
}

/// Returns a point per percent of the I/Os, and two around an empty area.
fn place_knots(offsets: &[u64], area: TracedArea, unit: u64, least: u64) -> Vec<Knot> {
    let count = offsets.len() as u64;
    let hole = ((area.end - area.base) / 50).max(4 * least);
    let mut found = vec![Knot { percent: 0, at: area.base }];
    for percent in 0..=POINTS {
        // The widest gap within half a percent of here.
        let near =
            |points: u64| ((points.min(2 * POINTS) * count / (2 * POINTS)) as usize).min(offsets.len());
        let (from, to) = (near((2 * percent).saturating_sub(1)), near(2 * percent + 1));
        let around = &offsets[from..to];
        let gaps = around.windows(2).map(|two| (two[1] - two[0], two[0] + unit, two[1]));
        let edges = [
            (percent == 0).then(|| (offsets[0] - area.base, area.base, offsets[0])),
            (percent == POINTS).then(|| {
                let behind = (offsets[offsets.len() - 1] + unit).min(area.end);
                (area.end - behind, behind, area.end)
            }),
        ];
        let widest = gaps.chain(edges.into_iter().flatten()).max_by_key(|gap| gap.0);
        let percent_u32 = percent as u32;
        match widest.filter(|gap| gap.0 >= hole) {
            Some((_, before, behind)) => {
                found.push(Knot { percent: percent_u32, at: before });
                found.push(Knot { percent: percent_u32, at: behind });
            }
            None if (1..POINTS).contains(&percent) => {
                let at = offsets[((percent * count / POINTS) as usize).min(offsets.len() - 1)];
                found.push(Knot { percent: percent_u32, at });
            }
            None => {}
        }
    }
    found.push(Knot { percent: 100, at: area.end });
    space_knots(found, area, least)
}

/// Returns the points in order, at least `least` bytes apart, with narrow ranges widened.
fn space_knots(found: Vec<Knot>, area: TracedArea, least: u64) -> Vec<Knot> {
    let mut kept = vec![Knot { percent: 0, at: area.base }];
    for knot in found {
        let last = kept[kept.len() - 1];
        let at = area.base + (knot.at.max(area.base) - area.base).next_multiple_of(least);
        let at = at.min(area.end);
        if at >= last.at + least {
            kept.push(Knot { percent: knot.percent.max(last.percent), at });
        } else if knot.percent > last.percent && kept.len() > 1 {
            // Several percent in one place: that place gets them.
            let before = kept[kept.len() - 2];
            let is_place = last.at - before.at <= 2 * least && last.percent > before.percent;
            match is_place || last.at + least > area.end {
                true => kept.last_mut().into_iter().for_each(|last| last.percent = knot.percent),
                false => kept.push(Knot { percent: knot.percent, at: last.at + least }),
            }
        } else if knot.percent > last.percent {
            kept.push(Knot { percent: knot.percent, at: (last.at + least).min(area.end) });
        }
    }
    match kept.last_mut() {
        Some(last) if last.percent == 100 && area.end - last.at < least => last.at = area.end,
        _ => {}
    }
    kept
}

fn straighten_knots(knots: &[Knot]) -> Vec<Knot> {
    let mut kept = vec![knots[0]];
    let mut start = 0;
    while start + 1 < knots.len() {
        let mut end = start + 1;
        while end + 1 < knots.len() && is_straight(&knots[start..=end + 1]) {
            end += 1;
        }
        kept.push(knots[end]);
        start = end;
    }
    kept
}

fn is_straight(knots: &[Knot]) -> bool {
    let (first, last) = (knots[0], knots[knots.len() - 1]);
    // A gap stays one: nothing is spread over it.
    let gaps = knots.windows(2).filter(|two| two[0].percent == two[1].percent).count();
    if gaps != 0 && gaps != knots.len() - 1 {
        return false;
    }
    let slope = f64::from(last.percent - first.percent) / (last.at - first.at).max(1) as f64;
    knots.iter().all(|knot| {
        let line = f64::from(first.percent) + slope * (knot.at - first.at) as f64;
        (line - f64::from(knot.percent)).abs() <= TOLERANCE
    })
}

fn largest_distance(offsets: &[u64], knots: &[Knot], unit: u64) -> f64 {
    let count = offsets.len() as f64;
    let mut below = 0;
    let mut largest = 0f64;
    for same in offsets.chunk_by(|one, next| one == next) {
        let at = same[0];
        largest = largest.max((below as f64 / count - share_below(knots, at)).abs());
        below += same.len();
        largest = largest.max((below as f64 / count - share_below(knots, at + unit)).abs());
    }
    largest
}

/// Returns the share of I/Os below a byte, 0 to 1.
fn share_below(knots: &[Knot], at: u64) -> f64 {
    let behind = knots.partition_point(|knot| knot.at < at);
    match (behind.checked_sub(1).map(|before| knots[before]), knots.get(behind)) {
        (Some(before), Some(next)) => {
            let along = (at - before.at) as f64 / (next.at - before.at).max(1) as f64;
            (f64::from(before.percent) + along * f64::from(next.percent - before.percent)) / 100.0
        }
        (None, _) => 0.0,
        (Some(last), None) => f64::from(last.percent) / 100.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: u64 = 4096;
    const AREA: TracedArea = TracedArea { base: 0, end: 100_000 * BLOCK, whole: true };

    fn even_offsets(count: u64, from: u64, to: u64) -> Vec<u64> {
        (0..count).map(|n| (from + (to - from) * n / count) * BLOCK).collect()
    }

    fn fit_offsets(mut offsets: Vec<u64>) -> (Vec<(u32, u64)>, f64) {
        offsets.sort_unstable();
        let fit = fit_ranges(&offsets, AREA, BLOCK, BLOCK);
        let ranges = fit.distribution.map(|found| found.ranges).unwrap_or_default();
        (ranges.iter().map(|range| (range.io, range.span / BLOCK)).collect(), fit.distance)
    }

    #[test]
    fn uniform_trace_has_no_ranges() {
        let (ranges, distance) = fit_offsets(even_offsets(10_000, 0, 100_000));
        assert_eq!(ranges, []);
        assert!(distance < 0.001, "{distance}");
    }

    #[test]
    fn hot_part_gap_and_single_block_are_separate_ranges() {
        // 80 % of the I/Os in the first tenth.
        let hot = [even_offsets(80_000, 0, 10_000), even_offsets(20_000, 10_000, 100_000)].concat();
        let (ranges, distance) = fit_offsets(hot);
        assert_eq!(ranges, [(80, 10_000), (20, 0)]);
        assert!(distance < 0.01, "{distance}");
        // Nothing between two halves.
        let apart = [even_offsets(50_000, 0, 20_000), even_offsets(50_000, 70_000, 100_000)].concat();
        let (ranges, distance) = fit_offsets(apart);
        assert_eq!(ranges, [(50, 20_000), (0, 50_000), (50, 0)]);
        assert!(distance < 0.01, "{distance}");
        // A third of all go to one block.
        let single = [
            even_offsets(20_000, 0, 50_000),
            vec![50_000 * BLOCK; 20_000],
            even_offsets(20_000, 50_001, 100_000),
        ];
        let (ranges, distance) = fit_offsets(single.concat());
        assert!(ranges.iter().any(|(io, blocks)| *io >= 30 && *blocks <= 3), "{ranges:?}");
        assert!(distance < 0.02, "{distance}");
    }

    #[test]
    fn area_after_last_io_is_left_out() {
        let (ranges, distance) = fit_offsets(even_offsets(50_000, 30_000, 60_000));
        assert_eq!(ranges, [(0, 30_000), (100, 30_000)]);
        assert!(distance < 0.01, "{distance}");
    }
}
