//! Marks on the charts over time: rate changes, interruptions, and failed I/Os.

use super::chart::Mark;
use super::span::RecordedSpan;
use diskspd_checks::{Interruption, Outage, Steadiness, SteadyVerdict};
use diskspd_figures::units::{seconds_of_ms, seconds_of_us};
use diskspd_report::number::{clock, grouped, plain};

/// Maximum number of marks of one kind, for readability.
const MAX_BADGES: usize = 8;

/// Returns all marks of a time span in order of time.
pub(crate) fn of_span(span: &RecordedSpan) -> Vec<Mark> {
    let outages = outage_marks(span);
    let steadiness = span.judged.judgement.steadiness.get(span.index).and_then(Option::as_ref);
    // Outages say where the rate was interrupted, each by itself.
    let steadiness =
        steadiness.filter(|found| found.verdict != SteadyVerdict::Interrupted || outages.is_empty());
    let mut marks: Vec<Mark> =
        steadiness.map(|steady| of_course(steady, span.measured.seconds)).unwrap_or_default();
    marks.extend(failure_marks(span));
    marks.extend(standstill_mark(span));
    marks.extend(outages);
    marks.sort_by(|a, b| a.from.total_cmp(&b.from));
    marks
}

fn of_course(steady: &Steadiness, seconds: f64) -> Vec<Mark> {
    let rates = format!("from {} to {} IOPS", plain(steady.from_iops), plain(steady.to_iops));
    let at = |time: f64| clock(time, seconds);
    match steady.verdict {
        SteadyVerdict::Steady | SteadyVerdict::Unclear => Vec::new(),
        SteadyVerdict::Changed => {
            let changes = steady.changes.iter().take(MAX_BADGES);
            changes
                .map(|time| moment_mark(*time, format!("{}: the rate changed; overall {rates}", at(*time))))
                .collect()
        }
        SteadyVerdict::Rising | SteadyVerdict::Falling => {
            let word = if steady.verdict == SteadyVerdict::Rising { "rising" } else { "falling" };
            let (end, until) = match steady.steady_from {
                Some(end) => (end, format!("until {}", at(end))),
                None => (seconds, "until the end".into()),
            };
            vec![Mark { from: 0.0, to: end, text: format!("{word} {until}: {rates}") }]
        }
        SteadyVerdict::Interrupted => {
            steady.interruptions.iter().map(|found| interruption_mark(found, &rates, at)).collect()
        }
        SteadyVerdict::Stalling => {
            let text = steady.stalls.as_ref().map(|stalls| {
                let every =
                    stalls.period.map_or(String::new(), |period| format!(" every {} s", plain(period)));
                format!("stalls of {} s{every}, {} times", plain(stalls.length), stalls.times)
            });
            text.map(|text| Mark { from: 0.0, to: seconds, text }).into_iter().collect()
        }
        SteadyVerdict::Periodic => {
            let every = steady.period.map_or(String::new(), |period| format!(" every {} s", plain(period)));
            vec![Mark { from: 0.0, to: seconds, text: format!("periodic{every}, {rates}") }]
        }
        SteadyVerdict::Uneven => {
            let text = format!("uneven all the time, {rates}");
            vec![Mark { from: 0.0, to: seconds, text }]
        }
    }
}

fn interruption_mark(found: &Interruption, rates: &str, at: impl Fn(f64) -> String) -> Mark {
    let Interruption { times, start: begin, end, period, .. } = found;
    let often = match (times, period) {
        (1, _) => "interrupted once".into(),
        (_, Some(period)) => format!("interrupted {times} times, every {} s", plain(*period)),
        _ => format!("interrupted {times} times"),
    };
    Mark { from: *begin, to: *end, text: format!("{} to {}: {often}; {rates}", at(*begin), at(*end)) }
}

/// Returns the times of failed I/Os, with neighboring intervals joined.
fn failure_marks(span: &RecordedSpan) -> Vec<Mark> {
    let Some(iops) = &span.measured.iops else { return Vec::new() };
    let mut found: Vec<(f64, f64, u64)> = Vec::new();
    let mut begin = 0.0;
    for interval in &iops.intervals {
        let end = seconds_of_ms(interval.end_ms);
        match (interval.failed.unwrap_or(0), found.last_mut()) {
            (0, _) => {}
            (failed, Some((_, until, all))) if *until >= begin => (*until, *all) = (end, *all + failed),
            (failed, _) => found.push((begin, end, failed)),
        }
        begin = end;
    }
    let mark = |(from, to, failed): (f64, f64, u64)| {
        let text = format!("{}: {} I/Os failed", clock(from, span.measured.seconds), grouped(failed as f64));
        Mark { from, to, text }
    };
    found.into_iter().take(MAX_BADGES).map(mark).collect()
}

/// Returns the longest time in which the whole program was stalled.
fn standstill_mark(span: &RecordedSpan) -> Option<Mark> {
    let delays = span.results()?.observed.as_ref()?.delays.filter(|delays| delays.times > 0)?;
    let to = seconds_of_us(delays.longest_at_us);
    let length = seconds_of_us(delays.longest_us);
    let from = (to - length).max(0.0);
    let text = format!(
        "{}: the whole program was stopped for {} s",
        clock(from, span.measured.seconds),
        plain(length)
    );
    Some(Mark { from, to, text })
}

fn outage_marks(span: &RecordedSpan) -> Vec<Mark> {
    let found = span.judged.judgement.outages.get(span.index).and_then(Option::as_ref);
    let mut found: Vec<&Outage> = found.into_iter().flatten().collect();
    found.sort_by(|a, b| b.length_s.total_cmp(&a.length_s));
    let mark = |outage: &Outage| Mark {
        from: outage.start_s,
        to: outage.start_s + outage.length_s,
        text: format!("outage of {:.2} s {}", outage.length_s, outage.in_short()),
    };
    found.into_iter().take(MAX_BADGES).map(mark).collect()
}

fn moment_mark(at: f64, text: String) -> Mark {
    Mark { from: at, to: at, text }
}
