//! Outages: stretches in which nothing was completed, or far less than before and after them. A pure
//! function of I/Os by intervals; docs/reference/outages.md states the rule for people.

use super::median;
use std::ops::Range;

/// Minimum duration of an outage in seconds; shorter ones are pauses ([`super::stalls`]).
pub(crate) const MIN_OUTAGE_S: f64 = 1.0;
/// Maximum share of the usual rate of an outage.
const LOW_RATE_SHARE: f64 = 0.05;
/// Minimum number of I/Os in a usual second; below, a rate twenty times lower is not significant.
const MIN_USUAL_IOS: f64 = 400.0;
/// Minimum share of the usual rate around an outage; a rate that stays low is a change of level.
const MIN_RATE_AROUND: f64 = 0.5;
const MIN_EMPTY_SHARE: f64 = 0.95;
const HABIT_TIMES: usize = 4;
/// .. and maximum share of the time; more is normal for the target.
const HABIT_SHARE: f64 = 0.25;
/// Threshold that fewer than one in a thousand (e^-7) runs without an outage exceed at random.
const CHANCE_DEVIATIONS: f64 = 7.0;
/// Minimum interval length in seconds at which a non-empty interval is not used as a distance between
/// I/Os.
const COARSE_S: f64 = 0.1;
/// Minimum number of I/Os before the usual speed is known, in multiples of the queue depth.
const MIN_QUEUE_TURNS: u64 = 8;

#[derive(Debug, Clone, PartialEq)]
pub struct IdleStretch {
    pub begin_s: f64,
    pub end_s: f64,
    /// I/Os completed in it.
    pub ios: u64,
    /// Usual number of I/Os in this time; `None` = none ever completed.
    pub usual_ios: Option<f64>,
}

impl IdleStretch {
    pub fn length_s(&self) -> f64 {
        self.end_s - self.begin_s
    }
}

#[derive(Debug, Clone, Copy)]
pub struct WatchedIos<'a> {
    /// Completed I/Os by interval.
    pub counts: &'a [u64],
    /// Length of an interval in s.
    pub width_s: f64,
    /// Maximum number of I/Os in flight.
    pub in_flight: u64,
    /// Unobserved intervals, ascending, in which the program itself could not run.
    pub unseen: &'a [Range<usize>],
}

/// Returns the outages in order of time.
pub fn detect(watched: WatchedIos) -> Vec<IdleStretch> {
    let WatchedIos { counts, width_s, in_flight, .. } = watched;
    let ios = sum(counts);
    if width_s.is_nan() || width_s <= 0.0 {
        return Vec::new();
    }
    let silences = find_silences(&watched);
    let long = |stretch: &Range<usize>| stretch.len() as f64 * width_s >= MIN_OUTAGE_S - width_s / 1000.0;
    if ios == 0 {
        let all = silences.into_iter().filter(long);
        return all.map(|stretch| quiet_stretch(&watched, stretch, None)).collect();
    }
    if ios < MIN_QUEUE_TURNS.saturating_mul(in_flight) {
        return Vec::new();
    }
    let usual = UsualRate::estimate(&watched);
    let exceptional =
        |silence: &&Range<usize>| long(silence) && is_no_chance(&watched, &silences, silence.len());
    let silent: Vec<Range<usize>> = silences.iter().filter(exceptional).cloned().collect();
    let within =
        |silence: &Range<usize>, low: &Range<usize>| low.start <= silence.start && silence.end <= low.end;
    // A series that is silent nearly all the time counts as silent; its edges are known better.
    let is_silent = |low: &Range<usize>| {
        silent
            .iter()
            .any(|silence| within(silence, low) && silence.len() as f64 >= MIN_EMPTY_SHARE * low.len() as f64)
    };
    let lows = usual.iter().flat_map(|usual| usual.far_less(&watched)).filter(long);
    let lows: Vec<Range<usize>> = lows.filter(|low| !is_silent(low)).collect();
    let alone = silent.iter().filter(|silence| !lows.iter().any(|low| within(silence, low)));
    let mut found: Vec<Range<usize>> = alone.cloned().chain(lows.iter().cloned()).collect();
    found.sort_by_key(|stretch| stretch.start);
    let named = found.iter().filter(|stretch| !is_habit(&watched, &found, &silences, stretch));
    let rate = usual.map_or_else(|| rate_outside(&watched, &found), |usual| usual.per_interval);
    named.map(|stretch| quiet_stretch(&watched, stretch.clone(), Some(rate))).collect()
}

fn sum(counts: &[u64]) -> u64 {
    counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
}

fn quiet_stretch(watched: &WatchedIos, stretch: Range<usize>, per_interval: Option<f64>) -> IdleStretch {
    IdleStretch {
        begin_s: stretch.start as f64 * watched.width_s,
        end_s: stretch.end as f64 * watched.width_s,
        ios: sum(&watched.counts[stretch.clone()]),
        usual_ios: per_interval.map(|rate| rate * stretch.len() as f64),
    }
}

fn find_silences(watched: &WatchedIos) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for index in (0..watched.counts.len()).filter(|index| watched.counts[*index] == 0) {
        if watched.unseen.iter().any(|unseen| unseen.contains(&index)) {
            continue;
        }
        match found.last_mut() {
            Some(last) if last.end == index => last.end = index + 1,
            _ => found.push(index..index + 1),
        }
    }
    found
}

/// Whether the silence is too long to be random for a target with this rate and irregularity. It counts
/// intervals with I/Os instead of I/Os, because simultaneous completions are not independent.
fn is_no_chance(watched: &WatchedIos, silences: &[Range<usize>], intervals: usize) -> bool {
    let active = watched.counts.iter().filter(|count| **count > 0).count() as f64;
    // From one interval with I/Os to the next; silences that are like this one have no say.
    let others = silences.iter().map(Range::len).filter(|others| *others * 2 < intervals);
    let (mut distances, mut squares) = (active, active);
    for silence in others {
        let distance = (silence + 1) as f64;
        distances += silence as f64;
        squares += distance * distance - 1.0;
    }
    // The mean that a moment sees: where distances differ it is longer than the mean of all of them. An
    // interval that is no second takes part as what it is.
    let typical = if watched.width_s < COARSE_S { squares / distances } else { squares / distances - 1.0 };
    intervals as f64 >= (active.ln() + CHANCE_DEVIATIONS) * typical
}

fn is_habit(
    watched: &WatchedIos,
    found: &[Range<usize>],
    silences: &[Range<usize>],
    it: &Range<usize>,
) -> bool {
    let alike = |other: &&Range<usize>| other.len() * 2 >= it.len();
    let among = found.iter().filter(alike).count().max(silences.iter().filter(alike).count());
    let taken = |stretches: &[Range<usize>]| stretches.iter().filter(alike).map(Range::len).sum::<usize>();
    let taken = taken(found).max(taken(silences)) as f64;
    among > HABIT_TIMES && taken > HABIT_SHARE * watched.counts.len() as f64
}

/// Returns the I/Os per interval outside of these outages.
fn rate_outside(watched: &WatchedIos, stretches: &[Range<usize>]) -> f64 {
    let without: usize = stretches.iter().map(Range::len).sum();
    sum(watched.counts) as f64 / watched.counts.len().saturating_sub(without).max(1) as f64
}

struct UsualRate {
    per_interval: f64,
    /// Number of intervals in a second.
    second: usize,
    /// I/Os of the second that begins with each interval; `None` = not all of it was seen.
    seconds: Vec<Option<u64>>,
}

impl UsualRate {
    fn estimate(watched: &WatchedIos) -> Option<UsualRate> {
        let second = (MIN_OUTAGE_S / watched.width_s).round().max(1.0) as usize;
        let windows = watched.counts.len().checked_sub(second)?;
        let is_seen =
            |begin: usize| !watched.unseen.iter().any(|un| un.start < begin + second && begin < un.end);
        let mut ios = sum(&watched.counts[..second]);
        let mut seconds = Vec::with_capacity(windows + 1);
        for begin in 0..=windows {
            seconds.push(is_seen(begin).then_some(ios));
            let next = watched.counts.get(begin + second).copied().unwrap_or(0);
            ios = ios.saturating_add(next).saturating_sub(watched.counts[begin]);
        }
        let active = seconds.iter().flatten().filter(|ios| **ios > 0).map(|ios| *ios as f64);
        let usual = median(active);
        (usual >= MIN_USUAL_IOS).then_some(UsualRate { per_interval: usual / second as f64, second, seconds })
    }

    /// Returns runs of seconds with far fewer I/Os, between seconds with the usual rate.
    fn far_less(&self, watched: &WatchedIos) -> Vec<Range<usize>> {
        let most = LOW_RATE_SHARE * self.per_interval;
        let is_low = |ios: &Option<u64>| ios.is_some_and(|ios| ios as f64 <= most * self.second as f64);
        let mut found: Vec<Range<usize>> = Vec::new();
        for (begin, _) in self.seconds.iter().enumerate().filter(|(_, ios)| is_low(ios)) {
            match found.last_mut() {
                Some(last) if last.end >= begin => last.end = begin + self.second,
                _ => found.push(begin..begin + self.second),
            }
        }
        let trimmed = found.into_iter().map(|stretch| trim_range(watched.counts, stretch, most));
        trimmed.filter(|stretch| self.is_usual_around(watched.counts, stretch)).collect()
    }

    fn is_usual_around(&self, counts: &[u64], stretch: &Range<usize>) -> bool {
        let is_usual = |around: &[u64]| {
            around.len() * 2 >= self.second
                && sum(around) as f64 >= MIN_RATE_AROUND * self.per_interval * around.len() as f64
        };
        let before = &counts[stretch.start.saturating_sub(self.second)..stretch.start];
        let behind = &counts[stretch.end..counts.len().min(stretch.end + self.second)];
        is_usual(before) && is_usual(behind)
    }
}

/// Removes the intervals at its edges with more than `most` I/Os.
fn trim_range(counts: &[u64], stretch: Range<usize>, most: f64) -> Range<usize> {
    let is_low = |index: &usize| counts[*index] as f64 <= most;
    let begin = stretch.clone().find(is_low).unwrap_or(stretch.end);
    let end = (begin..stretch.end).rev().find(is_low).map_or(begin, |last| last + 1);
    begin..end
}
