//! Steadiness of a run: times of changes, their shape, and a sufficient warm-up.

mod verdict;

use super::changed;
use super::coordinated_omission::CoordinatedOmission;
use super::latency::{self, LatencySteadiness};
use super::rate_cap::{self, Plateau};
use super::stalls::{self, Stall};
use super::{Finding, Limits, Outage, Severity, SpanContext};
use diskspd_figures::stats::{
    Level, MIN_INTERVALS, SeriesShape, Shape, beyond_window, change_in_parentheses, is_flat, relative_change,
};
use diskspd_figures::units;
use diskspd_figures::units::{seconds_of_ms, seconds_of_us};
use diskspd_results::{Sample, ThermalChange, WarmUp};
use serde::Serialize;
pub use verdict::SteadyVerdict;

/// Steadiness of a time span. Rates are I/Os per second, times seconds since measuring began.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Steadiness {
    pub verdict: SteadyVerdict,
    pub intervals: usize,
    pub interval: f64,
    pub iops: f64,
    pub mean_iops: f64,
    /// Standard deviation of the intervals, outliers left out, share of the mean.
    pub variation: f64,
    /// Single intervals far from their neighbours.
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
    /// Rate at the end; the highest rate if uneven, the rate during interruptions if interrupted.
    pub to_iops: f64,
    pub changes: Vec<f64>,
    pub interruptions: Option<Interruption>,
    /// Pauses below a second; `None` if irrelevant or not observed.
    pub stalls: Option<Stall>,
    /// Period in s.
    pub period: Option<f64>,
    pub latency: Option<LatencySteadiness>,
    /// When steady: rates at begin and end of a run in which they rose or fell all the time, by less than
    /// makes it unsteady; `None` = they didn't.
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
    /// By how much the rate changed in them, share of the level: -1 = nothing was done; `None` = the level
    /// is near zero.
    pub depth: Option<f64>,
    pub start: f64,
    pub end: f64,
    /// Time between the starts of consecutive interruptions; `None` if irregular, or fewer than three.
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

/// I/Os of an interval from which on a rate is more than next to nothing.
const MIN_IOS: f64 = 8.0;

/// Whether the rate stays at a level from this second on.
fn stays_level(rates: &[f64], interval: f64, from: Option<f64>) -> bool {
    let rest = from.and_then(|second| rates.get((second / interval).round() as usize..));
    rest.is_some_and(|rest| is_flat(rest) && rest.iter().all(|rate| rate * interval >= MIN_IOS))
}

/// Whether a rate came and went because of requested pauses or recorded times.
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

/// Whether the final rate is not a warm-up goal, because requests have stopped, or the rate is almost
/// zero.
fn has_broken_down(span: &SpanContext, steady: &Steadiness) -> bool {
    requests_stopped(span) || stopped_at(steady).is_some()
}

fn next_to_nothing(iops: f64, before: f64) -> bool {
    iops < before / 20.0
}

/// Whether a burst was followed by a flat rate that is a small part of it.
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
        // What is taken for the level is what most of the seconds did.
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
    /// Outages of all targets together, or of the only one.
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

/// Stalls as long as this, s, are interruptions of the seconds as well, which say enough.
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

/// I/Os per second from interval to interval, and the length of one, s: from second to second, as the
/// controlling thread saw it; in simulated time by the intervals of `-D`.
fn io_rates(span: &SpanContext) -> Option<(Vec<f64>, f64)> {
    let (rates, interval) = fine_rates(span)?;
    let all: f64 = rates.iter().map(|rate| rate * interval).sum();
    // Intervals with few I/Os scatter by chance alone: longer ones have enough.
    let joined = (MIN_IOS * rates.len() as f64 / all).ceil();
    if !(joined > 1.0 && joined.is_finite()) {
        return Some((rates, interval));
    }
    let joined = joined as usize;
    let mean = |chunk: &[f64]| chunk.iter().sum::<f64>() / joined as f64;
    Some((rates.chunks_exact(joined).map(mean).collect(), interval * joined as f64))
}

const MIN_INTERVAL: f64 = 0.1;

/// The rates of a run that is too short for a verdict by seconds, after a warm-up until it was steady.
fn short_rates(span: &SpanContext) -> Option<(Vec<f64>, f64)> {
    let observed = span.results.observed.as_ref()?;
    observed.warm_up.filter(|warm_up| warm_up.steady)?;
    let beats = observed.ticks.as_ref()?;
    let width = seconds_of_us(beats.width_us);
    let joined = (MIN_INTERVAL / width).round().max(1.0) as usize;
    let interval = width * joined as f64;
    let rate = |chunk: &[u64]| chunk.iter().map(|ios| *ios as f64).sum::<f64>() / interval;
    Some((beats.ios.0.chunks_exact(joined).map(rate).collect(), interval))
}

fn fine_rates(span: &SpanContext) -> Option<(Vec<f64>, f64)> {
    let samples = span.results.observed.as_ref().map_or(&[][..], |observed| &observed.samples);
    if let Some(short) = short_rates(span).filter(|_| samples.len() < MIN_INTERVALS) {
        return Some(short);
    }
    if let Some(last) = samples.last() {
        let interval = seconds_of_us(last.end_us) / samples.len() as f64;
        return Some((sampled_rates(samples), interval));
    }
    let intervals = &span.measured.iops.as_ref()?.intervals;
    let width = seconds_of_ms(span.asked.io_bucket_duration);
    // The last one is as long as the others only if the duration is a multiple of it.
    let whole = (span.measured.seconds / width).floor() as usize;
    Some((intervals.iter().take(whole).map(|interval| interval.total.iops).collect(), width))
}

fn sampled_rates(samples: &[Sample]) -> Vec<f64> {
    let mut before = 0;
    let rate = |sample: &Sample| {
        let micros = sample.end_us.saturating_sub(before).max(1);
        before = sample.end_us;
        sample.ios as f64 * 1e6 / micros as f64
    };
    samples.iter().map(rate).collect()
}

pub(super) fn check(
    span: &SpanContext,
    steadiness: Option<&Steadiness>,
    late: Option<&CoordinatedOmission>,
    limits: Option<&Limits>,
) -> Vec<Finding> {
    let waited = span.results.observed.as_ref().and_then(|observed| observed.warm_up);
    let waited = waited.map(|warm_up| match warm_up {
        WarmUp { seconds, steady: true, .. } => {
            Finding::new("steady-after", Severity::Note, span, format!("steady after {seconds} s of warm-up"))
        }
        WarmUp { seconds, limit, .. } => {
            let message = format!("not found to be steady after {seconds} s of warm-up; measured anyway");
            let remedy = format!("allow more time: --until-steady={}", limit.saturating_mul(4));
            Finding::new("steady-not-reached", Severity::Warning, span, message).remedy(remedy)
        }
    });
    let latency = steadiness.and_then(|steady| {
        let latency = steady.latency.as_ref()?;
        if latency::says_more(span, steady.verdict) { latency::finding(span, latency) } else { None }
    });
    let rate = steadiness.map(|steady| finding(span, steady, late, limits));
    waited.into_iter().chain(rate).chain(latency).collect()
}

fn finding(
    span: &SpanContext,
    steady: &Steadiness,
    late: Option<&CoordinatedOmission>,
    limits: Option<&Limits>,
) -> Finding {
    let Steadiness { from_iops: from, to_iops: to, .. } = *steady;
    let seconds = steady.intervals as f64 * steady.interval;
    let finding = |name, severity, message| Finding::new(name, severity, span, message);
    match steady.verdict {
        SteadyVerdict::Steady => {
            let late = late
                .and_then(CoordinatedOmission::in_short)
                .map(|late| format!(", but {late}"))
                .unwrap_or_default();
            let drifts = steady.drifts.map(drift_text).unwrap_or_default();
            let message = format!("steady for {seconds:.0} s: {:.0} IOPS{drifts}{late}", steady.iops);
            let finding = with_figures(finding("steady", Severity::Note, message), steady);
            return with_stalls(finding, steady, limits);
        }
        SteadyVerdict::Unclear => {
            let finding = with_figures(unclear_finding(span, steady, seconds), steady);
            return with_stalls(finding, steady, limits);
        }
        SteadyVerdict::Interrupted => return interrupted_finding(span, steady),
        SteadyVerdict::Stalling => {
            if let Some(stalls) = &steady.stalls {
                return with_figures(stalls::finding(span, stalls, steady.mean_iops, limits), steady);
            }
        }
        SteadyVerdict::Periodic => return periodic_finding(span, steady),
        SteadyVerdict::Uneven => {
            let message = format!("not steady: the rate swung between {from:.0} and {to:.0} IOPS");
            let finding = with_figures(finding("uneven", Severity::Warning, message), steady);
            return with_stalls(finding, steady, limits).remedy(INTERMITTENT_REMEDY);
        }
        _ => {}
    }
    let (name, message) = course_in_words(span, steady);
    let finding = with_figures(finding(name, Severity::Warning, message), steady);
    let mut finding = with_stalls(finding, steady, limits);
    for cause in list_causes(span, steady) {
        finding = finding.shown_by(cause);
    }
    finding.remedy(remedy_text(span, steady))
}

fn course_in_words(span: &SpanContext, steady: &Steadiness) -> (&'static str, String) {
    let Steadiness { from_iops: from, to_iops: to, .. } = *steady;
    let change = format!("from {from:.0} to {to:.0} IOPS{}", change_in_parentheses(from, to));
    match (steady.verdict, steady.steady_from) {
        (SteadyVerdict::Changed, _) => {
            let times: Vec<String> = steady.changes.iter().map(|time| format!("{time:.0}")).collect();
            // What lay between isn't told by the first and the last level.
            let change = levels_between(span, &steady.changes).unwrap_or(change);
            ("changed", format!("not steady: the rate changed at second {}: {change}", times.join(", ")))
        }
        (SteadyVerdict::Rising, None) => {
            ("rising", format!("not steady: the rate still rose at the end: {change}"))
        }
        (_, None) => ("falling", format!("not steady: the rate still fell at the end: {change}")),
        (SteadyVerdict::Rising, Some(until)) => {
            ("rising", format!("not steady: the rate rose until second {until:.0}: {change}"))
        }
        (_, Some(until)) => {
            ("falling", format!("not steady: the rate fell until second {until:.0}: {change}"))
        }
    }
}

fn remedy_text(span: &SpanContext, steady: &Steadiness) -> String {
    match steady.warm_up {
        Some(seconds) if fell_to_next_to_nothing(steady) => format!(
            "find the limit of the volume or of the machine, which may have burst credits; to measure the \
             lasting rate, warm up until they are used: -W{seconds}, or --until-steady"
        ),
        Some(seconds) => format!("warm up until it is steady: -W{seconds}, or --until-steady"),
        None if requests_stopped(span) => {
            "find out why I/Os failed: each failed one stopped a request, which left a lower queue depth"
                .into()
        }
        None if has_broken_down(span, steady) => {
            format!("find out why I/O almost stopped: see {}", span.system.kernel_log())
        }
        None => "warm up longer than this whole run: --until-steady finds out how long".into(),
    }
}

/// The levels between several changes, at these seconds; `None` = there was one.
fn levels_between(span: &SpanContext, changes: &[f64]) -> Option<String> {
    let (rates, interval) = io_rates(span).filter(|_| changes.len() > 1)?;
    let place = |second: &f64| ((second / interval).round() as usize).min(rates.len());
    let ends: Vec<usize> = changes.iter().map(place).chain([rates.len()]).collect();
    let begins = [0].into_iter().chain(ends.iter().copied());
    let levels = begins.zip(&ends).filter_map(|(begin, end)| {
        let level = rates.get(begin..*end).filter(|level| !level.is_empty())?;
        Some(format!("{:.0}", level.iter().sum::<f64>() / level.len() as f64))
    });
    Some(format!("from {} IOPS", levels.collect::<Vec<_>>().join(" to ")))
}

fn unclear_finding(span: &SpanContext, steady: &Steadiness, seconds: f64) -> Finding {
    let message = format!(
        "whether the rate was steady is undetermined: fifths of these {seconds:.0} s differ by {:.0} %, \
         which chance alone can make where intervals of {:.1} s vary by {:.0} %",
        steady.excursion * 100.0,
        steady.interval,
        steady.variation * 100.0
    );
    // Means of n times as many seconds vary by the root of n less.
    let longer = seconds * beyond_window(steady.excursion, steady.slope).powi(2);
    let remedy =
        format!("measure for at least {:.0} s (-d): then chance hides no change that matters", longer.ceil());
    Finding::new("steady-unclear", Severity::Note, span, message).remedy(remedy)
}

fn drift_text((from, to): (f64, f64)) -> String {
    let way = if to > from { "rising" } else { "falling" };
    let change = change_in_parentheses(from, to);
    format!(", but {way} all the time, from {from:.0} to {to:.0}{change}: a longer run may have another rate")
}

const INTERMITTENT_REMEDY: &str = "look for an intermittent cause (other users, garbage collection, cache \
                              flushes), and measure long enough to cover it many times (-d)";

fn interrupted_finding(span: &SpanContext, steady: &Steadiness) -> Finding {
    let Steadiness { from_iops: level, to_iops: rate, mean_iops: mean, .. } = *steady;
    let all = steady.intervals as f64 * steady.interval;
    if let Some(second) = stopped_at(steady) {
        let message = format!(
            "not steady: from second {second:.0} on next to nothing was completed: {level:.0} IOPS instead \
             of {rate:.0}"
        );
        let finding = Finding::new("interrupted", Severity::Warning, span, message);
        return with_figures(finding, steady).remedy(remedy_text(span, steady));
    }
    let mut message = "not steady: it was interrupted".to_owned();
    if let Some(Interruption { times, share, start: begin, end, period, .. }) = &steady.interruptions {
        message += &match (times, period) {
            (1, _) => format!(" from second {begin:.0} to {end:.0}"),
            (_, Some(period)) => format!(" every {period:.0} s"),
            (_, None) => format!(" {times} times"),
        };
        message += &format!(
            ": for {:.0} of {all:.0} s at {rate:.0} instead of {level:.0} IOPS{}",
            share * all,
            change_in_parentheses(level, rate)
        );
    }
    let finding = Finding::new("interrupted", Severity::Warning, span, message);
    let way = if mean < level { "below" } else { "above" };
    let by = |change: f64| {
        format!(
            "the overall mean, {mean:.0} IOPS, is {:.0} % {way} the rate between the interruptions",
            change.abs() * 100.0
        )
    };
    let finding = with_figures(finding, steady);
    let finding = relative_change(level, mean).map(by).into_iter().fold(finding, Finding::shown_by);
    match steady.warm_up {
        None if !has_broken_down(span, steady) => finding.remedy(INTERMITTENT_REMEDY),
        _ => finding.remedy(remedy_text(span, steady)),
    }
}

fn periodic_finding(span: &SpanContext, steady: &Steadiness) -> Finding {
    let Steadiness { from_iops: low, to_iops: high, mean_iops: mean, .. } = *steady;
    let period = steady.period.unwrap_or(steady.interval);
    let all = steady.intervals as f64 * steady.interval;
    let times = (all / period).floor();
    let message = format!(
        "not steady: periodic, between {low:.0} and {high:.0} IOPS every {period:.0} s ({times:.0} times)"
    );
    let finding = Finding::new("periodic", Severity::Warning, span, message);
    let finding = with_figures(finding, steady).shown_by(format!(
        "the overall mean, {mean:.0} IOPS, is {:.0} % below the highest part of each period",
        (1.0 - mean / high.max(1e-9)) * 100.0
    ));
    finding.remedy(format!(
        "look for a periodic cause (other users, garbage collection, cache flushes, a limit with credits), \
         and measure many whole periods: -d{:.0}",
        (period * f64::max(times, 1.0) * 2.0).round()
    ))
}

fn with_figures(finding: Finding, steady: &Steadiness) -> Finding {
    let percent = |share: f64| share * 100.0;
    let mut figures = format!(
        "{} intervals of {:.3} s vary by {:.1} %, the five parts of the run by {:.1} %, slope {:+.1} %",
        steady.intervals,
        steady.interval,
        percent(steady.variation),
        percent(steady.excursion),
        percent(steady.slope)
    );
    match steady.outliers {
        0 => {}
        1 => figures += "; one interval far from its neighbours",
        n => figures += &format!("; {n} intervals far from their neighbours"),
    }
    finding.shown_by(figures)
}

fn with_stalls(finding: Finding, steady: &Steadiness, limits: Option<&Limits>) -> Finding {
    let Some(stalls) = &steady.stalls else { return finding };
    let finding = finding.shown_by(format!("{}; {}", stalls.in_short(), stalls.evidence(steady.mean_iops)));
    stalls.made_by_limit(limits).into_iter().fold(finding, |finding, limit| finding.shown_by(limit.into()))
}

fn list_causes(span: &SpanContext, steady: &Steadiness) -> Vec<String> {
    let changed = changed::settings(span);
    let mut causes: Vec<String> = changed.iter().map(changed::Change::dated).collect();
    let slower = steady.to_iops < steady.from_iops;
    if let (SteadyVerdict::Changed, true, Some(from)) = (steady.verdict, slower, steady.steady_from) {
        causes.extend(limit_text(span, steady, from));
        let total = &span.measured.total.total.throughput;
        let written = span.measured.write.total.throughput.bytes;
        if changed.is_empty()
            && written.saturating_mul(2) > total.bytes
            && let Some(first) = steady.changes.first()
        {
            // Until then the rate was that of the first level.
            let share = steady.from_iops * first / total.ios.max(1) as f64;
            let bytes = units::Size((written as f64 * share.min(1.0)) as u64);
            causes.push(format!(
                "about {bytes} were written before the change: a fast write cache of that size would fill up \
                 there"
            ));
        }
    }
    if slower
        && let Some(change) = span.results.observed.as_ref().and_then(|observed| observed.thermal.as_ref())
    {
        causes.extend(thermal_lines(change));
    }
    causes
}

/// Distance in degrees from its limit at which a disk may throttle.
const HOT: f64 = 5.0;

fn thermal_lines(change: &ThermalChange) -> Vec<String> {
    let ThermalChange { before, after } = change;
    let hot = after.disks.iter().filter_map(|now| {
        let limit = now.limit.filter(|limit| now.celsius > limit - HOT)?;
        let then = before.disks.iter().find(|then| then.disk == now.disk)?;
        let (disk, from, to) = (&now.disk, then.celsius, now.celsius);
        Some(format!(
            "{disk} was at {from:.0} °C before the run and {to:.0} °C after it; it throttles from {limit:.0} \
             °C on"
        ))
    });
    let throttles = after.cpu_throttles.zip(before.cpu_throttles).map(|(now, then)| now.saturating_sub(then));
    let cpus = throttles.filter(|count| *count > 0);
    hot.chain(cpus.map(|count| format!("the CPUs were throttled for heat {count} times"))).collect()
}

/// A level that a limit would make: flat, and at a round number.
fn limit_text(span: &SpanContext, steady: &Steadiness, from: f64) -> Option<String> {
    let (rates, interval) = io_rates(span)?;
    // The interval of the change belongs to both levels.
    let flat = rates.get((from / interval).round() as usize + 1..)?;
    let total = &span.measured.total.total.throughput;
    let size = total.bytes as f64 / total.ios.max(1) as f64;
    let found = rate_cap::detect(flat, size).filter(|_| flat.len() >= MIN_INTERVALS / 2);
    let Some(found) = found else {
        return fell_to_next_to_nothing(steady).then(|| {
            "after the burst the rate stays where it is: this looks like a limit (throttling, exhausted \
             burst credits)"
                .to_owned()
        });
    };
    let Plateau { number, variation } = found;
    Some(format!(
        "after the change the rate is flat to {:.1} % at {number}, a round number: this looks like a limit \
         (throttling, exhausted burst credits)",
        variation * 100.0
    ))
}
