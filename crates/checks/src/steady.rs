//! Steadiness of a run: times of changes, their shape, and a sufficient warm-up.

pub(super) mod finding;
mod rates;
mod verdict;

use super::latency::{self, LatencySteadiness};
use super::stalls::{self, Stall};
use super::{Limits, Outage, SpanContext};
use diskspd_figures::stats::{Level, SeriesShape, Shape, is_flat, relative_change};
use rates::{MIN_IOS, io_rates};
use serde::Serialize;
pub use verdict::SteadyVerdict;

/// Steadiness of a time span: rates in I/Os per second, times in s since the start of the measurement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Steadiness {
    pub verdict: SteadyVerdict,
    pub intervals: usize,
    pub interval: f64,
    pub iops: f64,
    pub mean_iops: f64,
    /// Standard deviation of the intervals without outliers, as a share of the mean.
    pub variation: f64,
    /// Number of intervals far from their neighbours.
    pub outliers: usize,
    /// Largest distance between two fifths of the run, share of the mean; above 0.2 the SNIA calls it not
    /// steady.
    pub excursion: f64,
    /// Change along the line through the fifths of the run, share of the mean; beyond 0.1 the SNIA calls it
    /// not steady.
    pub slope: f64,
    /// Correlation of neighboring intervals, 0 to 0.8.
    pub autocorrelation: f64,
    /// Rate at the start of the ramp or of the first level; the lowest rate if uneven, the level's rate if
    /// interrupted.
    pub from_iops: f64,
    /// Rate at the end; if uneven, the highest rate; if interrupted, the rate during interruptions.
    pub to_iops: f64,
    pub changes: Vec<f64>,
    pub interruptions: Option<Interruption>,
    /// Pauses below a second; `None` = irrelevant or not observed.
    pub stalls: Option<Stall>,
    /// Period in s.
    pub period: Option<f64>,
    pub latency: Option<LatencySteadiness>,
    /// For a steady run: rates at the begin and end of a gradual change that is too small to make it
    /// unsteady; `None` = no such change.
    #[serde(skip)]
    pub drifts: Option<(f64, f64)>,
    /// Whether a rate that fell stays at its last level: a limit, or a cache that was full.
    #[serde(skip)]
    pub stays: bool,
    pub steady_from: Option<f64>,
    /// Sufficient warm-up (`-W`) in s; `None` if the run was steady, or it would exceed this run.
    pub warm_up: Option<u32>,
}

/// Stalls, dips or bursts. Times in s.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Interruption {
    pub times: usize,
    pub share: f64,
    /// Relative change of the rate during the interruptions: -1 = no I/O; `None` if the level is near zero.
    pub depth: Option<f64>,
    pub start: f64,
    pub end: f64,
    /// Time between the starts of consecutive interruptions; `None` = irregular, or fewer than three.
    pub period: Option<f64>,
}

/// Returns the verdict on a time span with known `limits`; `None` if it is too short, or without
/// intervals.
pub(super) fn judge(
    span: &SpanContext,
    limits: Option<&Limits>,
    outages: Option<&[Outage]>,
) -> Option<Steadiness> {
    let (rates, interval) = io_rates(span)?;
    let course = SeriesShape::classify(&rates)?;
    let at = |index: usize| index as f64 * interval;
    let (verdict, from_iops, to_iops, changes) = in_figures(&course);
    let changes = changes.into_iter().map(at).collect();
    let period = match &course.shape {
        Shape::Periodic(found) => Some(found.period * interval),
        _ => None,
    };
    let stalls = stalls::judge(span);
    let verdict = match &stalls {
        // A limit that lets I/Os go ten times a second keeps a rate, too.
        Some(stalls) if is_made_of(stalls, verdict) && stalls.made_by_limit(limits).is_none() => {
            SteadyVerdict::Stalling
        }
        _ => verdict,
    };
    let interruptions =
        Interruption::find_interruption(&course, interval).filter(|_| verdict == SteadyVerdict::Interrupted);
    let told = !matches!(verdict, SteadyVerdict::Stalling | SteadyVerdict::Unclear);
    let steady_from = course.settles_at().filter(|_| told).map(at);
    let warm_up = steady_from
        .filter(|_| verdict != SteadyVerdict::Steady)
        .map(|from| warmed_up(span).saturating_add(from.ceil() as u32));
    let judged = Steadiness {
        verdict,
        intervals: course.count,
        interval,
        iops: if interruptions.is_some() { from_iops } else { course.mean },
        mean_iops: course.mean_of_all,
        variation: course.variation,
        outliers: course.outliers,
        excursion: course.excursion,
        slope: course.slope,
        autocorrelation: course.autocorrelation,
        from_iops,
        to_iops,
        changes,
        interruptions,
        stalls,
        period,
        latency: latency::judge(span),
        drifts: course.drifts,
        stays: stays_level(&rates, interval, steady_from),
        steady_from,
        warm_up,
    };
    let judged = match Interruption::by_outages(span, &course, outages.unwrap_or_default()) {
        Some(out) => judged.interrupted_by(out),
        None => judged,
    };
    let warm_up = judged.warm_up.filter(|_| !has_broken_down(span, &judged));
    let judged = Steadiness { warm_up, ..judged };
    (!is_requested(span, judged.verdict)).then_some(judged)
}

impl Steadiness {
    /// Adds outages, which are outliers of a steady rate.
    fn interrupted_by(self, out: Interruption) -> Steadiness {
        if !matches!(self.verdict, SteadyVerdict::Steady | SteadyVerdict::Unclear) {
            return self;
        }
        Steadiness {
            verdict: SteadyVerdict::Interrupted,
            from_iops: self.iops,
            to_iops: self.iops * (1.0 + out.depth.unwrap_or(-1.0)),
            interruptions: Some(out),
            stays: false,
            steady_from: None,
            warm_up: None,
            ..self
        }
    }
}

/// Whether the rate stays at a level from this second on.
fn stays_level(rates: &[f64], interval: f64, from: Option<f64>) -> bool {
    let rest = from.and_then(|second| rates.get((second / interval).round() as usize..));
    rest.is_some_and(|rest| is_flat(rest) && rest.iter().all(|rate| rate * interval >= MIN_IOS))
}

/// Whether changes of the rate are due to requested pauses or recorded times.
fn is_requested(span: &SpanContext, verdict: SteadyVerdict) -> bool {
    match verdict {
        SteadyVerdict::Steady => false,
        SteadyVerdict::Rising | SteadyVerdict::Falling | SteadyVerdict::Changed => span.replays,
        _ => span.pauses_on_request(),
    }
}

/// Returns the kind of a course, its rates at the start and the end (lowest and highest), and the
/// intervals of changes.
fn in_figures(course: &SeriesShape) -> (SteadyVerdict, f64, f64, Vec<usize>) {
    match &course.shape {
        Shape::Level => (of_level(course), course.mean, course.mean, vec![]),
        Shape::Ramp { from, to, .. } => {
            let verdict = if to > from { SteadyVerdict::Rising } else { SteadyVerdict::Falling };
            // A line through rates that end at nothing, or begin there, goes on below.
            (verdict, from.max(0.0), to.max(0.0), vec![])
        }
        Shape::Steps { levels } => {
            let rate = |level: Option<&Level>| level.map_or(course.mean, |level| level.rate);
            let changes = levels.iter().skip(1).map(|level| level.begin).collect();
            (SteadyVerdict::Changed, rate(levels.first()), rate(levels.last()), changes)
        }
        Shape::Interrupted(found) => (SteadyVerdict::Interrupted, found.level, found.rate, vec![]),
        Shape::Periodic(found) => (SteadyVerdict::Periodic, found.low, found.high, vec![]),
        Shape::Restless { low, high } => (SteadyVerdict::Uneven, *low, *high, vec![]),
    }
}

/// Whether I/Os failed. Each failure stops a request (`-x`).
fn requests_stopped(span: &SpanContext) -> bool {
    span.measured.failed > 0
}

/// Whether requests have stopped, or the rate fell to almost zero. A longer warm-up does not help then.
fn has_broken_down(span: &SpanContext, steady: &Steadiness) -> bool {
    requests_stopped(span) || stopped_at(steady).is_some()
}

fn next_to_nothing(iops: f64, before: f64) -> bool {
    iops < before / 20.0
}

/// Whether a burst was followed by a flat rate of a small fraction.
fn fell_to_next_to_nothing(steady: &Steadiness) -> bool {
    steady.stays && next_to_nothing(steady.to_iops, steady.from_iops)
}

/// From which second on next to nothing was completed; `None` = it was to the end, or came and went.
fn stopped_at(steady: &Steadiness) -> Option<f64> {
    let Steadiness { from_iops: from, to_iops: to, .. } = *steady;
    if steady.stays {
        return None;
    }
    match (steady.verdict, &steady.interruptions) {
        (SteadyVerdict::Changed, _) if next_to_nothing(to, from) => steady.changes.last().copied(),
        (SteadyVerdict::Falling, _) if next_to_nothing(to, from) => steady.steady_from,
        // The level is the rate of most seconds.
        (SteadyVerdict::Interrupted, Some(Interruption { times: 1, start: begin, end, .. }))
            if *begin < steady.interval && next_to_nothing(from, to) =>
        {
            Some(*end)
        }
        _ => None,
    }
}

fn of_level(course: &SeriesShape) -> SteadyVerdict {
    if course.is_steady() { SteadyVerdict::Steady } else { SteadyVerdict::Unclear }
}

impl Interruption {
    /// Returns the outages of all targets together, or of the only target.
    fn by_outages(span: &SpanContext, course: &SeriesShape, outages: &[Outage]) -> Option<Interruption> {
        let is_of_all = |outage: &&Outage| outage.target.is_none() || span.ids.len() == 1;
        let of_all: Vec<&Outage> = outages.iter().filter(is_of_all).collect();
        let (first, last) = (of_all.first()?, of_all.last()?);
        let seconds: f64 = of_all.iter().map(|outage| outage.length_s).sum();
        let ios: u64 = of_all.iter().map(|outage| outage.ios).sum();
        Some(Interruption {
            times: of_all.len(),
            share: (seconds / span.measured.seconds).min(1.0),
            depth: relative_change(course.mean, ios as f64 / seconds),
            start: first.start_s,
            end: last.start_s + last.length_s,
            period: None,
        })
    }

    fn find_interruption(course: &SeriesShape, interval: f64) -> Option<Interruption> {
        let Shape::Interrupted(found) = &course.shape else { return None };
        Some(Interruption {
            times: found.times,
            share: found.intervals as f64 / course.count as f64,
            depth: relative_change(found.level, found.rate),
            start: found.begin as f64 * interval,
            end: found.end as f64 * interval,
            period: found.period.map(|period| period * interval),
        })
    }
}

/// Minimum duration in s of stalls that also interrupt the intervals of a second.
const MIN_SECONDS_INTERVAL: f64 = 1.0;

fn is_made_of(stalls: &Stall, verdict: SteadyVerdict) -> bool {
    match verdict {
        SteadyVerdict::Steady | SteadyVerdict::Unclear | SteadyVerdict::Uneven | SteadyVerdict::Periodic => {
            true
        }
        SteadyVerdict::Interrupted => stalls.length < MIN_SECONDS_INTERVAL,
        _ => false,
    }
}

fn warmed_up(span: &SpanContext) -> u32 {
    let until_steady = span.results.observed.as_ref().and_then(|observed| observed.warm_up);
    until_steady.map_or(span.asked.warmup, |warm_up| warm_up.seconds)
}
