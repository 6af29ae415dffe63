//! Comparison of the achieved rate with the offered rate (`-g`, `--rate-total`).

use super::view::RequestedTarget;
use super::{Finding, Severity, SpanContext};
use diskspd_figures::units::Millis;
use diskspd_profile::Arrivals;
use diskspd_results::PacedFigures;

/// Maximum negligible shortfall of a rate, as a share, ...
const NEGLIGIBLE_SHARE: f64 = 0.01;
/// ... and minimum shortfall that makes it a different load.
const OTHER_LOAD: f64 = 0.05;
/// Minimum share of waiting offered I/Os for a missed rate.
const MIN_WAITING_SHARE: f64 = 0.5;
/// At the end of a run that keeps its rate an I/O may just have become due, ms.
pub(super) const JUST_DUE: Millis = Millis::new(1.0);
/// Number of standard deviations that a random shortfall exceeds once in three million runs.
const SIGMAS: f64 = 5.0;

/// Returns the option that sets the rates of a time span.
pub(super) fn option(span: &SpanContext) -> &'static str {
    match span.rate_total {
        _ if span.replays => "--replay",
        Some(_) => "--rate-total",
        None => "-g",
    }
}

/// Whether the I/Os on any target have a rate limit.
pub(super) fn is_limited(span: &SpanContext) -> bool {
    span.asked.targets.iter().any(|target| span.asked.offered_ios_per_s(target, span.rate_total).is_some())
}

/// Returns the option that limits the I/Os on any target; `None` = no limit, or bursts.
pub(super) fn limited_by(span: &SpanContext) -> Option<&'static str> {
    is_limited(span).then(|| option(span))
}

/// Returns the possible random shortfall of I/Os, which is 0 without random arrivals.
pub(super) fn rate_tolerance(span: &SpanContext, ios: f64) -> f64 {
    match span.rate_total.map(|rate| rate.arrivals) {
        Some(Arrivals::Poisson) => SIGMAS * ios.max(0.0).sqrt(),
        Some(Arrivals::Uniform) | None => 0.0,
    }
}

#[derive(Debug, Clone, Copy)]
struct MissedRate<'a> {
    figures: &'a PacedFigures,
    reached: f64,
    unexplained: f64,
}

/// Returns `None` if the rate was reached, or a miss cannot be shown.
fn missed_rate<'a>(span: &SpanContext<'a>) -> Option<MissedRate<'a>> {
    let figures = span.measured.paced.as_ref()?;
    let offered = figures.offered_iops * span.measured.seconds;
    let missing = offered - figures.ios as f64;
    // Each place in a queue may have had an I/O in flight at either edge, which was due on the other side.
    let places: u64 = span.targets().map(|asked| request_places(span, asked.target)).sum();
    let unexplained = missing - 2.0 * places as f64 - rate_tolerance(span, offered);
    // Missing I/Os must have waited. Otherwise none was late, and the rate is not the cause.
    let overdue =
        figures.max_not_submitted_delay.filter(|time| *time > JUST_DUE).map_or(0, |_| figures.not_submitted);
    let waited = figures.late_starts.saturating_add(overdue) as f64;
    // Where a rate can't be kept the line of those that wait grows, and hardly anybody starts in time; where
    // the storage stood still for a moment, some wait.
    let is_missed = unexplained > 0.0
        && missing > NEGLIGIBLE_SHARE * offered
        && waited >= unexplained.max(1.0)
        && waited >= MIN_WAITING_SHARE * offered;
    is_missed.then(|| MissedRate { figures, reached: figures.ios as f64 / offered, unexplained })
}

/// Returns the maximum number of I/Os in flight on a target.
fn request_places(span: &SpanContext, target: &diskspd_profile::Target) -> u64 {
    u64::from(span.asked.threads_on(target)) * u64::from(target.request_count)
}

/// Formats `76 % of the rate`, for other findings of the run; `None` = the rate was reached.
pub(super) fn missed_in_short(span: &SpanContext) -> Option<String> {
    missed_rate(span)
        .map(|missed| format!("the rate was not kept: {:.0} % of it was reached", missed.missed_percent()))
}

impl MissedRate<'_> {
    fn missed_percent(&self) -> f64 {
        self.reached * 100.0
    }
}

const MAX_NAMED: usize = 3;

/// Target whose rate was missed so far that the load differs.
struct SlowTarget {
    in_words: String,
    /// Missing I/Os that are explained neither by I/Os in flight at the edges nor by chance.
    unexplained: f64,
}

/// Returns slow targets, which the sum of several targets may hide.
fn slow_targets(span: &SpanContext) -> Vec<SlowTarget> {
    let slow = |asked: RequestedTarget| {
        let RequestedTarget { id, target } = asked;
        let offered = span.asked.offered_ios_per_s(target, span.rate_total)? * span.measured.seconds;
        let done = span.target_total(id, |row| row.read.ios.saturating_add(row.write.ios)) as f64;
        let unexplained =
            offered - done - 2.0 * request_places(span, target) as f64 - rate_tolerance(span, offered);
        let seconds = span.measured.seconds;
        let (rate, of) = (done / seconds, offered / seconds);
        let in_words = format!("'{}' did {rate:.0} of {of:.0} I/Os per second", target.path);
        let is_slow = unexplained > 0.0 && offered - done > OTHER_LOAD * offered;
        is_slow.then_some(SlowTarget { in_words, unexplained })
    };
    if span.ids.len() < 2 || span.replays { Vec::new() } else { span.targets().filter_map(slow).collect() }
}

fn list_targets(slow: &[SlowTarget]) -> String {
    let more = match slow.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more targets"),
    };
    let names: Vec<&str> = slow.iter().take(MAX_NAMED).map(|slow| slow.in_words.as_str()).collect();
    format!("{}{more}", names.join(", "))
}

/// Reports a target that missed its rate, while most I/Os of all targets kept theirs.
fn missed_by_target(span: &SpanContext, slow: &[SlowTarget]) -> Option<Finding> {
    let figures = span.measured.paced.as_ref()?;
    let waited = figures.late_starts.saturating_add(figures.not_submitted) as f64;
    // Missing I/Os waited.
    if slow.is_empty() || waited < slow.iter().map(|slow| slow.unexplained).sum() {
        return None;
    }
    let message = format!("the offered rate ({}) was not reached on {}", option(span), list_targets(slow));
    let finding = Finding::new("rate-not-reached", Severity::Warning, span, message);
    Some(finding.remedy("measure the slow target alone; offer it a lower rate, or raise -o or -t"))
}

/// Reports an offered rate that was not reached.
pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let slow = slow_targets(span);
    let Some(missed) = missed_rate(span) else { return missed_by_target(span, &slow).into_iter().collect() };
    let MissedRate { figures, reached, unexplained } = missed;
    let severity = if reached < 1.0 - OTHER_LOAD { Severity::Warning } else { Severity::Note };
    let message = format!(
        "the offered rate ({}) was not reached: {:.0} of {:.0} I/Os per second, {:.1} %",
        option(span),
        figures.iops,
        figures.offered_iops,
        missed.missed_percent()
    );
    let mut finding = Finding::new("rate-not-reached", severity, span, message).shown_by(format!(
        "{unexplained:.0} I/Os are missing, more than in-flight I/Os at the edges and random arrivals explain"
    ));
    if !slow.is_empty() && slow.len() < span.ids.len() {
        finding = finding.shown_by(list_targets(&slow));
    }
    finding =
        finding.shown_by(format!("{} I/Os started more than 1 ms after they were due", figures.late_starts));
    if let Some(longest) = figures.max_not_submitted_delay.filter(|time| *time > JUST_DUE) {
        finding = finding.shown_by(format!(
            "{} I/Os were due and never started, the first overdue by {} at the end",
            figures.not_submitted,
            longest.in_a_sentence()
        ));
    }
    let remedy = "at this load the backlog grows for as long as the run lasts: offer a lower rate, or raise \
                  -o or -t";
    vec![finding.remedy(remedy)]
}
