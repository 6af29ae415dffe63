//! Outages: a target completed no I/O, or far less than usual, for 1 s or longer
//! (docs/reference/outages.md has the rule).

use super::stalls::for_want_of_cpus;
use super::view::RequestedTarget;
use super::{Finding, Limits, Severity, SpanContext, failed, process_stalls};
use diskspd_figures::stats::outages::{self, IdleStretch, WatchedIos};
use diskspd_figures::units::{seconds_of_ms, seconds_of_us};
use diskspd_profile::{RawText, TargetId};
use diskspd_results::{CompletionGap, EndedBy, PathChange, Record, SpanResults, WatcherGap};
use serde::Serialize;
use std::ops::Range;

/// Maximum `-D` interval in ms that shows outages without finer observation.
const MAX_INTERVAL_MS: u32 = 1000;
const LISTED: usize = 8;
/// Maximum time in s after an outage during which a returned error belongs to it. The receiving thread may
/// have waited for a CPU.
const SETTLING_S: f64 = 0.1;

/// A stretch of the measured time in which a target completed nothing, or far less than usual.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outage {
    /// Target; `None` = all targets together, because there is no separate data.
    pub target: Option<RawText>,
    /// Start in s since the start of the measurement.
    pub start_s: f64,
    pub length_s: f64,
    /// Start in ms since 1970-01-01 00:00 UTC; `None` = unknown (simulated time).
    pub start_utc_ms: Option<i64>,
    /// Whether it continued at the end of the measurement, so that its total duration is unknown.
    pub at_end: bool,
    pub ios: u64,
    /// Usual number of I/Os in this time; `None` = none ever completed.
    pub expected_ios: Option<f64>,
    /// Maximum I/Os in flight during the outage; `None` = not observed.
    pub in_flight: Option<u64>,
    pub errors: u64,
    pub changes: Vec<PathChange>,
}

struct TargetSeries {
    target: Option<TargetId>,
    counts: Vec<u64>,
    width_s: f64,
}

/// Returns the outages of a time span in order of time; `None` = unknown.
pub(super) fn judge(span: &SpanContext) -> Option<Vec<Outage>> {
    let unseen = unseen_times(span)?;
    let courses = io_courses(span)?;
    let mut found: Vec<Outage> = courses.iter().flat_map(|course| of_course(span, course, unseen)).collect();
    found.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
    Some(found)
}

/// Returns the unobserved times; `None` = they exist, but are unknown.
fn unseen_times<'a>(span: &SpanContext<'a>) -> Option<&'a [WatcherGap]> {
    let observed = span.results.observed.as_ref();
    match observed.and_then(|observed| observed.outage_observations.as_ref()) {
        Some(quiet) => Some(&quiet.watcher_gaps),
        None => process_stalls::check(span).is_empty().then_some(&[]),
    }
}

fn io_courses(span: &SpanContext) -> Option<Vec<TargetSeries>> {
    let observed = span.results.observed.as_ref();
    let by_target =
        observed.and_then(|observed| observed.outage_observations.as_ref()).map(|quiet| &quiet.targets);
    if let Some(targets) = by_target.filter(|targets| !targets.is_empty()) {
        let course = |of: &diskspd_results::TargetTicks| TargetSeries {
            target: Some(of.target),
            counts: of.ticks.ios.0.clone(),
            width_s: seconds_of_us(of.ticks.width_us),
        };
        return Some(targets.iter().map(course).collect());
    }
    let only = match &span.ids[..] {
        [only] => Some(*only),
        _ => None,
    };
    if let Some(beats) = observed.and_then(|observed| observed.ticks.as_ref()) {
        let (counts, width_s) = (beats.ios.0.clone(), seconds_of_us(beats.width_us));
        return Some(vec![TargetSeries { target: only, counts, width_s }]);
    }
    let ms = span.asked.io_bucket_duration;
    let whole = (span.measured.seconds * 1000.0 / f64::from(ms.max(1)) + 1e-6) as usize;
    let intervals = span.measured.iops.as_ref().filter(|_| ms > 0 && ms <= MAX_INTERVAL_MS)?;
    let width_s = seconds_of_ms(ms);
    match only {
        Some(_) => {
            let counts = intervals.intervals.iter().map(|interval| interval.total.ios);
            Some(vec![TargetSeries { target: only, counts: pad_counts(counts, whole), width_s }])
        }
        None => {
            let course = |id: &TargetId| TargetSeries {
                target: Some(*id),
                counts: target_series(span, *id, whole),
                width_s,
            };
            Some(span.ids.iter().map(course).collect())
        }
    }
}

/// Returns the counts padded to all whole intervals, without the incomplete last one.
fn pad_counts(counts: impl Iterator<Item = u64>, whole: usize) -> Vec<u64> {
    counts.chain(std::iter::repeat(0)).take(whole).collect()
}

/// Returns the I/Os of a target by interval of `-D`.
fn target_series(span: &SpanContext, id: TargetId, whole: usize) -> Vec<u64> {
    let mut counts = vec![0_u64; whole];
    let rows = span.rows_of(id);
    for series in rows.flat_map(|row| [&row.read, &row.write]).filter_map(|way| way.series.as_ref()) {
        counts.iter_mut().zip(series.valid()).for_each(|(sum, interval)| *sum += interval.count());
    }
    counts
}

fn of_course(span: &SpanContext, course: &TargetSeries, unseen: &[WatcherGap]) -> Vec<Outage> {
    let beat = |us: u64| seconds_of_us(us) / course.width_s;
    let unseen: Vec<Range<usize>> = unseen
        .iter()
        .map(|time| beat(time.start_us).floor() as usize..beat(time.end_us).ceil() as usize)
        .collect();
    let watched = WatchedIos {
        counts: &course.counts,
        width_s: course.width_s,
        in_flight: in_flight(span, course.target),
        unseen: &unseen,
    };
    let end_s = course.counts.len() as f64 * course.width_s;
    let stated = |stretch: IdleStretch| build_outage(span, course, stretch, end_s);
    let found = outages::detect(watched).into_iter().map(stated);
    found.filter(|outage| was_asked(span, outage)).collect()
}

/// Whether I/Os were due during the outage; requested pauses are not outages.
fn was_asked(span: &SpanContext, outage: &Outage) -> bool {
    match outage.in_flight {
        Some(in_flight) => in_flight > 0,
        None => !span.pauses_on_request(),
    }
}

fn build_outage(span: &SpanContext, course: &TargetSeries, stretch: IdleStretch, end_s: f64) -> Outage {
    let silences: Vec<&CompletionGap> = device_silences(span, course.target, &stretch).collect();
    let began_ms = span.results.started_at.filter(|_| span.results.start.is_some());
    Outage {
        target: course.target.and_then(|id| path_of(span, id)),
        start_s: stretch.begin_s,
        length_s: stretch.length_s(),
        start_utc_ms: began_ms.map(|ms| ms + (stretch.begin_s * 1000.0).round() as i64),
        at_end: stretch.end_s + course.width_s / 2.0 >= end_s,
        ios: stretch.ios,
        expected_ios: stretch.usual_ios,
        in_flight: silences.iter().filter_map(|silence| silence.in_flight).max(),
        errors: count_errors(span.results, course.target, &stretch),
        changes: silences.iter().flat_map(|silence| silence.changes.iter().cloned()).collect(),
    }
}

/// Returns the gaps of a target of which at least half is within a period.
fn device_silences<'a>(
    span: &SpanContext<'a>,
    target: Option<TargetId>,
    stretch: &'a IdleStretch,
) -> impl Iterator<Item = &'a CompletionGap> {
    let quiet = span.results.observed.as_ref().and_then(|observed| observed.outage_observations.as_ref());
    let all = quiet.into_iter().flat_map(|quiet| &quiet.gaps);
    all.filter(move |silence| {
        let (begin, end) = (seconds_of_us(silence.start_us), seconds_of_us(silence.end_us));
        let shared = end.min(stretch.end_s) - begin.max(stretch.begin_s);
        target.is_none_or(|id| id == silence.target) && shared * 2.0 >= end - begin
    })
}

fn count_errors(results: &SpanResults, target: Option<TargetId>, stretch: &IdleStretch) -> u64 {
    let of_it = results.errors.iter().filter(|errors| target.is_none_or(|id| id == errors.target));
    let within = |us: &&i64| {
        let at = **us as f64 / 1e6;
        at >= stretch.begin_s && at <= stretch.end_s + SETTLING_S
    };
    of_it.map(|errors| errors.at_us.iter().filter(within).count() as u64).sum()
}

fn path_of(span: &SpanContext, id: TargetId) -> Option<RawText> {
    span.target_of(id).map(|RequestedTarget { target, .. }| target.path.clone())
}

/// Returns the maximum number of I/Os in flight on the target.
fn in_flight(span: &SpanContext, target: Option<TargetId>) -> u64 {
    let of_target =
        |asked: RequestedTarget| u64::from(asked.target.request_count) * span.by_target.threads(asked.id);
    let sum: u64 = match target {
        Some(id) => span.targets_of(id).map(of_target).sum(),
        None => span.targets().map(of_target).sum(),
    };
    sum.max(1)
}

/// Whether `--fail-on-outage` fails: an outage ended the run, or one of these (by time span) reached the
/// limit.
pub fn beyond_limit(record: &Record, outages: &[Option<Vec<Outage>>]) -> bool {
    let asked = record.run_options.as_ref().and_then(|options| options.fail_on_outage_ms);
    let Some(limit_ms) = asked else { return false };
    let mut ended = record.host().results.time_spans.iter().filter_map(|span| span.ended);
    let mut all = outages.iter().flatten().flatten();
    ended.any(|ended| ended.cause == EndedBy::Outage)
        || all.any(|outage| outage.length_s * 1000.0 + 0.5 >= limit_ms as f64)
}

pub(super) fn check(span: &SpanContext, found: Option<&[Outage]>, limits: Option<&Limits>) -> Vec<Finding> {
    let found = found.unwrap_or_default();
    let longest = found.iter().max_by(|a, b| a.length_s.total_cmp(&b.length_s));
    longest.map(|longest| outage_finding(span, found, longest, limits)).into_iter().collect()
}

fn outage_finding(
    span: &SpanContext,
    found: &[Outage],
    longest: &Outage,
    limits: Option<&Limits>,
) -> Finding {
    let all: f64 = found.iter().map(|outage| outage.length_s).sum();
    let more = match found.len() {
        1 => String::new(),
        times => format!("; {times} outages take {all:.2} s of {:.2} s", span.measured.seconds),
    };
    let of = longest.target.as_ref().filter(|_| span.ids.len() > 1);
    let of = of.map_or(String::new(), |path| format!(" of '{path}'"));
    // A target without requests completes none: that is no outage.
    let unrequested = failed::all_stopped_at(span).filter(|stopped| longest.is_at(*stopped));
    let from =
        unrequested.map_or(String::new(), |stopped| format!(", without requests from {stopped:.2} s on"));
    let message =
        format!("longest outage {:.2} s{of} ({}{from}){more}", longest.length_s, longest.in_short());
    let mut finding = Finding::new("outage", Severity::Warning, span, message);
    for outage in found.iter().take(LISTED) {
        finding = finding.shown_by(outage.outage_line());
        let changes = outage.changes.iter().take(LISTED);
        finding = changes.fold(finding, |finding, change| finding.shown_by(in_words(change)));
    }
    if found.len() > LISTED {
        finding = finding.shown_by(format!("and {} more outages", found.len() - LISTED));
    }
    // A thread without a CPU takes no completions: for the program that looks like storage that is silent.
    let causes = for_want_of_cpus("outages", all / span.measured.seconds.max(f64::MIN_POSITIVE), limits);
    let remedy = match causes.is_empty() {
        true if unrequested.is_some() => format!(
            "check {} and the path to the storage. The length of the outage is undetermined: with -x each \
             failed I/O stopped its request, and none was left",
            span.system.kernel_log()
        ),
        true => format!(
            "check {} and the path to the storage at these times; in a failover test this is the \
             failover time. Rates include the outages",
            span.system.kernel_log()
        ),
        false => "measure again while the CPUs are free, before the storage is blamed. Rates include the \
                  outages"
            .to_owned(),
    };
    causes.into_iter().fold(finding, Finding::shown_by).remedy(remedy).as_answer()
}

impl Outage {
    fn is_at(&self, second: f64) -> bool {
        self.at_end && second <= self.start_s + self.length_s
    }

    /// Formats `at 12.40 s: nothing completed, 32 in flight, 3 errors`.
    pub fn in_short(&self) -> String {
        let mut text = format!("at {:.2} s: {}", self.start_s, self.describe_outage());
        if let Some(in_flight) = self.in_flight {
            text += &format!(", {in_flight} in flight");
        }
        match self.errors {
            0 => {}
            1 => text += ", 1 error",
            errors => text += &format!(", {errors} errors"),
        }
        if self.at_end {
            text += ", until the end";
        }
        text
    }

    fn describe_outage(&self) -> String {
        match (self.ios, self.expected_ios) {
            (0, None) => "no I/O completed during the run".into(),
            (0, _) => "nothing completed".into(),
            (1, usual) => format!("1 I/O completed, usual are {:.0}", usual.unwrap_or_default()),
            (ios, usual) => {
                format!("{ios} I/Os completed instead of the usual {:.0}", usual.unwrap_or_default())
            }
        }
    }

    fn outage_line(&self) -> String {
        let target = self.target.as_ref().map_or(String::new(), |path| format!(" of '{path}'"));
        let at = self.start_utc_ms.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
        let at = at.map_or(String::new(), |at| format!("; it began {at:.3}"));
        format!("{:.2} s{target} {}{at}", self.length_s, self.in_short())
    }
}

/// Formats `path: nvme0c0n1 ana_state was optimized, and inaccessible from second 12.9 on`.
fn in_words(change: &PathChange) -> String {
    let said = |text: &str| if text.is_empty() { "absent".to_owned() } else { text.to_owned() };
    let PathChange { observed_us: seen_us, attribute: what, from, to } = change;
    let at = seconds_of_us(*seen_us);
    format!("{what} changed from {} to {}, seen at {at:.2} s", said(from), said(to))
}
