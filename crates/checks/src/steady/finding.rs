//! The steadiness of a run in words: what happened, possible causes, remedies.

use super::rates::io_rates;
use super::{Interruption, Steadiness, SteadyVerdict, fell_to_next_to_nothing, has_broken_down};
use super::{requests_stopped, stopped_at};
use crate::coordinated_omission::CoordinatedOmission;
use crate::rate_cap::{self, Plateau};
use crate::{Finding, Limits, Severity, SpanContext, changed, latency, stalls};
use diskspd_figures::stats::{MIN_INTERVALS, beyond_window, change_in_parentheses, relative_change};
use diskspd_figures::units;
use diskspd_results::{ThermalChange, WarmUp};

pub(crate) fn check(
    span: &SpanContext,
    steadiness: Option<&Steadiness>,
    late: Option<&CoordinatedOmission>,
    limits: Option<&Limits>,
) -> Vec<Finding> {
    let waited = span.results.observed.as_ref().and_then(|observed| observed.warm_up);
    let verdict = steadiness.map_or(SteadyVerdict::Unclear, |steady| steady.verdict);
    let is_unsteady = !matches!(verdict, SteadyVerdict::Steady | SteadyVerdict::Unclear);
    // An unsteady measurement contradicts a steady warm-up, which compares whole seconds.
    let waited = waited.filter(|warm_up| !(warm_up.steady && is_unsteady));
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
        if latency::adds_information(span, steady.verdict) { latency::finding(span, latency) } else { None }
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
            // The first and the last level do not show the course between them.
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

/// Lists the levels between several changes at these seconds; `None` = one change.
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

/// Distance in degrees Celsius from its limit at which a disk may throttle.
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

/// Describes a level that indicates a limit: flat, and at a round number.
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
