//! Detection of pauses below a second, which rates of whole seconds hide.

use super::median;

/// Maximum share of the level in an interval of a pause. A tenth of the speed is slow and not a stall;
/// writes after a full page cache are an example.
const MAX_PAUSE_RATE: f64 = 0.05;
/// Minimum share of the level next to a pause ..
const MIN_ACTIVE_SHARE: f64 = 0.5;
/// ... within this number of intervals. A gradual stop or a slow rate after it is a change of level.
const MAX_EDGE_INTERVALS: usize = 3;
const MIN_PAUSE_INTERVALS: f64 = 2.5;
const MIN_IOS: f64 = 8.0;
/// Maximum number of joined intervals. A pause takes at least two of them.
const MAX_JOINED: usize = 8;
const MIN_PAUSES: usize = 3;
const NEIGHBOURHOOD_S: f64 = 4.0;
const MAX_STALL_S: f64 = 2.0;
/// Minimum number of I/Os between two pauses, in multiples of the queue depth. Simultaneous completions
/// after a long latency are not pauses.
const MIN_QUEUE_TURNS: f64 = 4.0;
const MIN_REGULAR_SHARE: f64 = 0.8;

/// Periods with almost no completions between periods with many.
#[derive(Debug, Clone, PartialEq)]
pub struct Stalls {
    pub times: usize,
    /// Lost share of the time.
    pub share: f64,
    /// Median duration in s.
    pub length: f64,
    pub longest: f64,
    /// Time between the starts of consecutive pauses in s; `None` = irregular.
    pub period: Option<f64>,
    /// I/Os per second between the pauses.
    pub rate: f64,
    /// Start of the first pause in s.
    pub begin: f64,
}

struct Pause {
    begin: usize,
    end: usize,
    lost: f64,
}

/// Returns the pauses in I/O counts by intervals of `width` s. `in_flight` is the maximum number of I/Os
/// in flight. `None` if there are fewer than three pauses, or too few I/Os.
pub fn detect(counts: &[u64], width: f64, in_flight: u64) -> Option<Stalls> {
    let all: u64 = counts.iter().fold(0, |sum, count| sum.saturating_add(*count));
    if all == 0 || width.is_nan() || width <= 0.0 {
        return None;
    }
    // By the mean, which pauses make smaller than the level: never too few.
    let joined = (MIN_IOS * counts.len() as f64 / all as f64).ceil().max(1.0);
    if joined > MAX_JOINED as f64 {
        return None;
    }
    let joined = joined as usize;
    let sum = |chunk: &[u64]| chunk.iter().fold(0.0, |sum, count| sum + *count as f64);
    let counts: Vec<f64> = counts.chunks_exact(joined).map(sum).collect();
    let width = width * joined as f64;
    let levels = split_levels(&counts, width);
    let level = |index: usize| levels[index].1;
    let pauses: Vec<Pause> = find_stretches(&counts, level)
        .map(|(begin, end)| Pause { begin, end, lost: lost_ios(&counts, level, begin, end) })
        .filter(|pause| pause.lost >= MIN_PAUSE_INTERVALS && pause.lost * width <= MAX_STALL_S)
        .filter(|pause| is_between(&counts, level(pause.begin), pause))
        .collect();
    // How long one is that goes on beyond an edge is not known.
    let inner = pauses.iter().filter(|pause| pause.begin > 0 && pause.end < counts.len());
    let lengths: Vec<f64> = inner.map(|pause| pause.lost * width).collect();
    let between = all as f64 / pauses.len().max(1) as f64;
    if lengths.len() < MIN_PAUSES || between < MIN_QUEUE_TURNS * in_flight as f64 {
        return None;
    }
    let lost: f64 = pauses.iter().map(|pause| pause.lost * width).sum();
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    let rates: Vec<f64> = levels.iter().map(|(_, level)| level / width).filter(|rate| *rate > 0.0).collect();
    Some(Stalls {
        times: pauses.len(),
        share: lost / (counts.len() as f64 * width),
        length: median(lengths),
        longest,
        period: usual_period(&pauses).map(|period| period * width),
        rate: rates.iter().sum::<f64>() / rates.len().max(1) as f64,
        begin: pauses.first().map_or(0.0, |pause| pause.begin as f64 * width),
    })
}

/// Returns for each index whether there is activity, and the level around it. The level is the mean of
/// intervals above half of the overall mean.
fn split_levels(counts: &[f64], width: f64) -> Vec<(bool, f64)> {
    let around = ((NEIGHBOURHOOD_S / width).round() as usize).clamp(8, counts.len().max(8));
    let blocks = (counts.len() / around).max(1);
    let mut levels = Vec::with_capacity(counts.len());
    for block in 0..blocks {
        let end = if block + 1 == blocks { counts.len() } else { (block + 1) * around };
        let values = &counts[block * around..end];
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let level = median(values.iter().copied().filter(|value| *value > mean / 2.0));
        levels.extend(values.iter().map(|_| (level > 0.0, level)));
    }
    levels
}

/// Finds times with almost no completions.
fn find_stretches<'a>(
    counts: &'a [f64],
    level: impl Fn(usize) -> f64 + 'a,
) -> impl Iterator<Item = (usize, usize)> + 'a {
    let is_pause = move |index: usize| counts[index] <= MAX_PAUSE_RATE * level(index) && level(index) > 0.0;
    let mut from = 0;
    std::iter::from_fn(move || {
        let begin = (from..counts.len()).find(|index| is_pause(*index))?;
        let end = (begin..counts.len()).find(|index| !is_pause(*index)).unwrap_or(counts.len());
        from = end;
        Some((begin, end))
    })
}

fn lost_ios(counts: &[f64], level: impl Fn(usize) -> f64, begin: usize, end: usize) -> f64 {
    let lacks = |index: usize| (1.0 - counts[index] / level(index).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    let edges = [begin.checked_sub(1), (end < counts.len()).then_some(end)];
    (begin..end).chain(edges.into_iter().flatten()).map(lacks).sum()
}

fn is_between(counts: &[f64], level: f64, pause: &Pause) -> bool {
    let goes_on = |beside: &[f64]| {
        beside.len() < MAX_EDGE_INTERVALS || beside.iter().any(|count| *count >= MIN_ACTIVE_SHARE * level)
    };
    let behind = (pause.end + MAX_EDGE_INTERVALS).min(counts.len());
    goes_on(&counts[pause.begin.saturating_sub(MAX_EDGE_INTERVALS)..pause.begin])
        && goes_on(&counts[pause.end..behind])
}

/// Returns the usual distance of two starts, if most distances are similar.
fn usual_period(pauses: &[Pause]) -> Option<f64> {
    // By the middle: where a pause begins is known to an interval.
    let middle = |pause: &Pause| (pause.begin + pause.end) as f64 / 2.0;
    let distances: Vec<f64> = pauses.windows(2).map(|pair| middle(&pair[1]) - middle(&pair[0])).collect();
    let usual = median(distances.iter().copied());
    let near = |distance: &&f64| (**distance - usual).abs() <= (usual / 4.0).max(1.0);
    let regular: Vec<f64> = distances.iter().filter(near).copied().collect();
    (distances.len() >= 2 && regular.len() as f64 >= MIN_REGULAR_SHARE * distances.len() as f64)
        .then(|| regular.iter().sum::<f64>() / regular.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: f64 = 0.02;

    fn paused_counts(seconds: f64, rate: f64, period: f64, length: f64) -> Vec<u64> {
        let done = |at: f64| (at / period).floor() * (period - length) + (at % period).min(period - length);
        let count = (seconds / WIDTH) as usize;
        let by = |index: usize| (rate * done(index as f64 * WIDTH + 0.0033)) as u64;
        (0..count).map(|index| by(index + 1) - by(index)).collect()
    }

    #[test]
    fn pauses_are_found_with_their_length_and_period() {
        for (period, length) in [(3.0, 0.5), (1.7, 0.4), (0.5, 0.08), (0.3, 0.1), (10.0, 1.5), (1.0, 0.8)] {
            for rate in [800.0, 20_000.0, 1e6] {
                let found = detect(&paused_counts(60.0, rate, period, length), WIDTH, 16)
                    .unwrap_or_else(|| panic!("{length} of {period} s at {rate}"));
                let near = |value: f64, expected: f64, by: f64| (value / expected - 1.0).abs() < by;
                let as_expected = near(found.share, length / period, 0.12)
                    && near(found.length, length, 0.12)
                    && near(found.rate, rate, 0.05)
                    && found.period.is_some_and(|found| near(found, period, 0.03));
                assert!(as_expected, "{length} of {period} s at {rate}: {found:?}");
            }
        }
    }

    #[test]
    fn short_gaps_are_not_stalls() {
        assert_eq!(detect(&[100; 3000], WIDTH, 32), None);
        assert_eq!(detect(&[], WIDTH, 32), None);
        assert_eq!(detect(&[0; 3000], WIDTH, 32), None);
        // A step, a ramp, two stalls, one long stall.
        let step: Vec<u64> = (0..3000).map(|i| if i < 1530 { 1000 } else { 100 }).collect();
        assert_eq!(detect(&step, WIDTH, 32), None);
        let ramp: Vec<u64> = (0..3000).map(|i| 3100 - i).collect();
        assert_eq!(detect(&ramp, WIDTH, 32), None);
        let twice: Vec<u64> = (0..3000).map(|i| if i % 1500 > 1480 { 0 } else { 100 }).collect();
        assert_eq!(detect(&twice, WIDTH, 32), None);
        let long: Vec<u64> = (0..3000).map(|i| if i % 500 > 300 { 0 } else { 100 }).collect();
        assert_eq!(detect(&long, WIDTH, 32), None);
        // All that is in flight comes back at once.
        let convoys: Vec<u64> = (0..3000).map(|i| if i % 5 == 0 { 64 } else { 0 }).collect();
        assert_eq!(detect(&convoys, WIDTH, 64), None);
        assert!(detect(&convoys, WIDTH, 4).is_some());
        // Too few I/Os to tell.
        let rare: Vec<u64> = (0..3000).map(|i| u64::from(i % 10 == 0)).collect();
        assert_eq!(detect(&rare, WIDTH, 1), None);
    }
}
