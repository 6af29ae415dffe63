//! Stability of latencies. A limited rate is constant regardless of latency, and does not show a few slow
//! I/Os.

use super::{Finding, Severity, SpanContext, SteadyVerdict, achieved_rate};
use diskspd_figures::stats::{LatencySeries, LatencySums, MIN_INTERVALS, SeriesShape, Shape, median, shift};
use diskspd_figures::units::{Millis, seconds_of_us};
use serde::Serialize;

/// Minimum factor between mean latencies for a finding, regardless of significance.
const MIN_CHANGE_RATIO: f64 = 1.25;
/// Minimum factor between variances of a tail; the mean squares must differ by [`MIN_CHANGE_RATIO`].
const TAIL_MATTERS: f64 = 2.0;
/// Maximum share of empty intervals for a conclusion.
const MAX_EMPTY_SHARE: f64 = 0.1;
/// Maximum share of I/Os in a tail.
const MAX_TAIL_SHARE: f64 = 0.1;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LatencyVerdict {
    Steady,
    /// The mean changed abruptly.
    Changed,
    /// The mean rose or fell from the start.
    Drifted,
    /// The mean stayed near, but a few I/Os began, or ceased, to take far longer than the others.
    Tail,
}

/// Steadiness of the latencies of a time span. Times in s since measuring began, latencies in ms.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LatencySteadiness {
    pub verdict: LatencyVerdict,
    /// Time of the change, or end of the drift; `None` = no change, or a drift to the end.
    pub at: Option<f64>,
    /// Mean latency before the change, or at the start.
    pub from_ms: f64,
    pub to_ms: f64,
    /// Standard deviation of the latencies before the change, or of the first half.
    pub from_deviation_ms: f64,
    /// Deviation after the change, or of the second half.
    pub to_deviation_ms: f64,
    /// Few I/Os that explain the change; `None` = many, or no change.
    pub tail: Option<Tail>,
}

/// A few I/Os that take long: as many, and as long, as explains how mean and deviation changed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Tail {
    pub share: f64,
    /// Approximate duration in ms.
    pub ms: f64,
}

/// The verdict on the latencies of a time span; `None` = not measured (`-L`), or too short.
pub(super) fn judge(span: &SpanContext) -> Option<LatencySteadiness> {
    let course = span.results.observed.as_ref()?.latencies.as_ref()?;
    let width = seconds_of_us(course.width_us);
    // The last one may be shorter.
    let whole = (span.measured.seconds / width.max(f64::MIN_POSITIVE) + 1e-6).floor() as usize;
    judge_course(course, whole)
}

/// Judges the first `whole` intervals of a series.
pub fn judge_course(course: &LatencySeries, whole: usize) -> Option<LatencySteadiness> {
    let intervals = course.intervals.get(..whole.min(course.intervals.len()))?;
    let width = seconds_of_us(course.width_us);
    let means = fill_gaps(intervals, |sums| sums.mean().map(Millis::ms))?;
    // How wide latencies scatter within an interval, whatever its mean.
    let widths = fill_gaps(intervals, |sums| Some(sums.mean_square_ms2()? / sums.mean()?.ms().powi(2)))?;
    let mean = SeriesShape::classify(&means)?;
    let found = |verdict, at: Option<usize>, from_ms, to_ms| {
        let (before, behind) = intervals.split_at(at.unwrap_or(intervals.len() / 2));
        let (before, behind) = (LatencyTotals::sum_intervals(before), LatencyTotals::sum_intervals(behind));
        LatencySteadiness {
            verdict,
            at: at.map(|at| at as f64 * width),
            from_ms,
            to_ms,
            from_deviation_ms: before.deviation(),
            to_deviation_ms: behind.deviation(),
            tail: if verdict == LatencyVerdict::Steady {
                None
            } else {
                Tail::between_totals(&before, &behind)
            },
        }
    };
    let change = mean_change(&means, &mean.shape).or_else(|| scatter_change(intervals, &widths));
    let steady = (LatencyVerdict::Steady, None, mean.mean_of_all, mean.mean_of_all);
    let (verdict, at, from, to) = change.unwrap_or(steady);
    Some(found(verdict, at, from, to))
}

type Change = (LatencyVerdict, Option<usize>, f64, f64);

fn differs_by(a: f64, b: f64, by: f64) -> bool {
    a.max(b) > by * a.min(b)
}

/// Returns the change of the intervals' means with this shape.
fn mean_change(means: &[f64], shape: &Shape) -> Option<Change> {
    if let Shape::Ramp { from, to, until } = *shape
        && differs_by(from, to, MIN_CHANGE_RATIO)
        && shift::is_at(means, until.min(means.len()) / 2)
    {
        return Some((LatencyVerdict::Drifted, (until < means.len()).then_some(until), from, to));
    }
    if let Shape::Steps { levels } = shape
        && let [first, rest @ ..] = &levels[..]
    {
        let ratio = |rate: f64| (rate / first.rate.max(f64::MIN_POSITIVE)).ln().abs();
        let far = rest.iter().max_by(|a, b| ratio(a.rate).total_cmp(&ratio(b.rate)))?;
        if differs_by(far.rate, first.rate, MIN_CHANGE_RATIO) && shift::is_at(&means[..far.end], far.begin) {
            return Some((LatencyVerdict::Changed, Some(far.begin), first.rate, far.rate));
        }
    }
    let at = shift::find_shift(means)?;
    // By the middle: a few slow I/Os move a mean.
    let (before, behind) = (median(means[..at].iter().copied()), median(means[at..].iter().copied()));
    differs_by(before, behind, MIN_CHANGE_RATIO).then_some((
        LatencyVerdict::Changed,
        Some(at),
        before,
        behind,
    ))
}

/// Finds a change of the variation from some interval on; `widths` = variation of each interval.
fn scatter_change(intervals: &[LatencySums], widths: &[f64]) -> Option<Change> {
    let at = shift::find_shift(widths)?;
    let (before, behind) = intervals.split_at(at);
    let (before, behind) = (LatencyTotals::sum_intervals(before), LatencyTotals::sum_intervals(behind));
    let wider = differs_by(before.deviation(), behind.deviation(), TAIL_MATTERS.sqrt());
    let matters = wider && differs_by(before.squares(), behind.squares(), MIN_CHANGE_RATIO);
    matters.then(|| (LatencyVerdict::Tail, Some(at), before.mean(), behind.mean()))
}

/// Returns a figure of each interval; empty intervals repeat the previous one. `None` for too few or too
/// many empty intervals.
fn fill_gaps(intervals: &[LatencySums], figure: fn(&LatencySums) -> Option<f64>) -> Option<Vec<f64>> {
    let first = intervals.iter().find_map(figure)?;
    let empty = intervals.iter().filter(|interval| interval.ios == 0).count();
    if intervals.len() < MIN_INTERVALS || empty as f64 > MAX_EMPTY_SHARE * intervals.len() as f64 {
        return None;
    }
    let mut last = first;
    let values = intervals.iter().map(|interval| {
        last = figure(interval).unwrap_or(last);
        last
    });
    Some(values.collect())
}

struct LatencyTotals {
    ios: f64,
    sum_ms: f64,
    squares_ms2: f64,
}

impl LatencyTotals {
    fn sum_intervals(intervals: &[LatencySums]) -> LatencyTotals {
        let sum =
            |of: fn(&LatencySums) -> u64| intervals.iter().map(|interval| of(interval) as f64).sum::<f64>();
        LatencyTotals {
            ios: sum(|sums| sums.ios).max(1.0),
            sum_ms: sum(|sums| sums.sum_ns) / 1e6,
            squares_ms2: sum(|sums| sums.squares_us2) / 1e6,
        }
    }

    fn mean(&self) -> f64 {
        self.sum_ms / self.ios
    }

    fn squares(&self) -> f64 {
        self.squares_ms2 / self.ios
    }

    fn deviation(&self) -> f64 {
        (self.squares() - self.mean().powi(2)).max(0.0).sqrt()
    }
}

impl Tail {
    /// Returns the few I/Os that were added or removed between two otherwise similar stretches. A share s
    /// with latency L increases the mean by s (L - m), and the mean square by s (L² - q).
    fn between_totals(before: &LatencyTotals, behind: &LatencyTotals) -> Option<Tail> {
        let (short, long) =
            if before.squares() <= behind.squares() { (before, behind) } else { (behind, before) };
        let (mean, square) = (long.mean() - short.mean(), long.squares() - short.squares());
        if mean <= 0.0 {
            return None;
        }
        // L² - r L + r m - q = 0 with r the quotient of both.
        let (ratio, half) = (square / mean, square / mean / 2.0);
        let ms = half + (half * half - (ratio * short.mean() - short.squares())).max(0.0).sqrt();
        let share = mean / (ms - short.mean());
        (ms > short.mean() + 3.0 * short.deviation() && (0.0..=MAX_TAIL_SHARE).contains(&share))
            .then_some(Tail { share, ms })
    }
}

/// Whether latencies provide more information than the rate. In a closed loop each is the inverse of the
/// other.
pub(super) fn adds_information(span: &SpanContext, rate: SteadyVerdict) -> bool {
    achieved_rate::is_limited(span)
        || span.replays
        || matches!(rate, SteadyVerdict::Steady | SteadyVerdict::Unclear)
}

/// Converts the result to a finding; `None` = steady.
pub(super) fn finding(span: &SpanContext, found: &LatencySteadiness) -> Option<Finding> {
    let LatencySteadiness { from_ms, to_ms, from_deviation_ms, to_deviation_ms, .. } = *found;
    let duration = |ms: f64| Millis::new(ms).in_a_sentence();
    let means = format!("from {} to {} on average", duration(from_ms), duration(to_ms));
    let more = to_deviation_ms >= from_deviation_ms;
    let tail = found
        .tail
        .map(|Tail { share, ms }| format!("{:.1} % of the I/Os took about {}", share * 100.0, duration(ms)));
    let at = found.at.unwrap_or(0.0);
    let (name, message) = match (found.verdict, found.at) {
        (LatencyVerdict::Steady, _) => return None,
        (LatencyVerdict::Changed, _) => {
            ("latency-changed", format!("latency not steady: it changed at second {at:.0}, {means}"))
        }
        (LatencyVerdict::Drifted, None) => {
            let way = if to_ms > from_ms { "rising" } else { "falling" };
            ("latency-drift", format!("latency not steady: still {way} when it ended, {means}"))
        }
        (LatencyVerdict::Drifted, Some(_)) => {
            let way = if to_ms > from_ms { "rose" } else { "fell" };
            ("latency-drift", format!("latency not steady: it {way} until second {at:.0}, {means}"))
        }
        (LatencyVerdict::Tail, _) => {
            let what = tail.clone().unwrap_or_else(|| "some I/Os took far longer than the others".into());
            let when = if more { format!("from second {at:.0} on") } else { format!("until second {at:.0}") };
            ("latency-tail", format!("latency not steady: {when} {what}"))
        }
    };
    let mut finding = Finding::new(name, Severity::Warning, span, message).shown_by(format!(
        "before the change mean {} (deviation {}), after it mean {} (deviation {})",
        duration(from_ms),
        duration(from_deviation_ms),
        duration(to_ms),
        duration(to_deviation_ms)
    ));
    if let Some(tail) = tail.filter(|_| found.verdict != LatencyVerdict::Tail) {
        let when = if more { "after" } else { "before" };
        finding = finding.shown_by(format!(
            "consistent with this: {when} the change {tail}, and the other I/Os \
                                      took as long as before"
        ));
    }
    if let Some(rate) = achieved_rate::limited_by(span) {
        finding = finding.shown_by(format!("the IOPS do not show the change, because {rate} limits them"));
    }
    Some(match more || to_ms > from_ms {
        true => finding.remedy(
            "percentiles of the whole run mix both phases: find the cause (-eDISK_IO shows whether it is the \
             device; garbage collection, a full cache, other users), and measure long enough after the \
             change (-d)",
        ),
        false => finding.remedy(format!(
            "percentiles of the whole run mix both phases: warm up longer (-W{:.0})",
            f64::from(span.asked.warmup) + at.ceil()
        )),
    })
}
