//! I/Os that started after their due time (`-g`, `--rate-total`). No latency includes this wait.

use super::achieved_rate::{self, JUST_DUE};
use super::{Finding, Limits, Severity, SpanContext};
use diskspd_figures::units::Millis;
use diskspd_results::{PERCENTILES, PacedFigures, PacedLatency};

/// Minimum share of late I/Os that changes the 99.9th percentile, ..
const IN_TAIL: f64 = 0.001;
/// .. and the 99th percentile.
const MIN_P99_SHARE: f64 = 0.01;
/// Minimum number of late I/Os; fewer are random, ..
const MIN_LATE_IOS: u64 = 5;
/// .. unless one was this late, in ms.
const LONG: f64 = 100.0;
/// Maximum relative excess of response times over service times that is negligible.
const NEGLIGIBLE_EXCESS: f64 = 0.1;
/// Minimum share of CPU waits in the late time that explains late I/Os, ..
const MIN_EXPLAINED_SHARE: f64 = 0.5;
/// ... which is a warning only from this share of the I/Os, because the storage is not the cause.
const MIN_RUN_DELAY_SHARE: f64 = 0.1;

#[derive(Debug, Clone, Copy)]
pub(super) struct CoordinatedOmission<'a> {
    figures: &'a PacedFigures,
    /// I/Os that started late, or were due but not started.
    ios: u64,
    of: u64,
    longest: Millis,
    /// CPU wait of the threads in s; `None` = too short as an explanation, or unknown.
    without_cpu: Option<f64>,
    severity: Severity,
}

/// Returns `None` if the effect is irrelevant, or no I/O had a scheduled start.
pub(super) fn judge<'a>(span: &SpanContext<'a>, limits: Option<&Limits>) -> Option<CoordinatedOmission<'a>> {
    let figures = span.measured.paced.as_ref()?;
    let overdue = figures.max_not_submitted_delay.filter(|time| *time > JUST_DUE);
    let never = overdue.map_or(0, |_| figures.not_submitted);
    let (ios, of) = (figures.late_starts.saturating_add(never), figures.ios.saturating_add(never));
    let longest = figures.max_delay.unwrap_or_default().max(overdue.unwrap_or_default());
    let share = ios as f64 / of.max(1) as f64;
    if share < IN_TAIL || (ios < MIN_LATE_IOS && longest.ms() < LONG) || (never == 0 && is_same(figures)) {
        return None;
    }
    // I/Os are due evenly: the share of late ones is the share of the time in which they were late.
    let behind = share * span.measured.seconds;
    let without_cpu = without_cpu(span, limits).filter(|seconds| *seconds >= MIN_EXPLAINED_SHARE * behind);
    let many = if without_cpu.is_some() { MIN_RUN_DELAY_SHARE } else { MIN_P99_SHARE };
    let severity = if share >= many { Severity::Warning } else { Severity::Note };
    Some(CoordinatedOmission { figures, ios, of, longest, without_cpu, severity })
}

impl CoordinatedOmission<'_> {
    /// `16.7 % of the I/Os started late`, for other findings of the run; `None` = too few for that.
    pub(super) fn in_short(&self) -> Option<String> {
        let share = self.late_percent();
        (self.severity >= Severity::Warning).then(|| format!("{share:.1} % of the I/Os started late"))
    }

    fn late_percent(&self) -> f64 {
        self.ios as f64 / self.of.max(1) as f64 * 100.0
    }
}

fn is_same(figures: &PacedFigures) -> bool {
    let (Some(service), Some(response)) = (&figures.service, &figures.response) else { return false };
    let same = |service: Option<Millis>, response: Option<Millis>| match (service, response) {
        (Some(service), Some(response)) => response.ms() <= service.ms() * (1.0 + NEGLIGIBLE_EXCESS),
        _ => true,
    };
    let rows = service.chart.percentiles.iter().zip(&response.chart.percentiles).zip(PERCENTILES);
    let mut known = rows.filter(|(_, share)| *share <= 0.999);
    same(service.total.mean, response.total.mean)
        && known.all(|((service, response), _)| same(service.total, response.total))
}

/// Returns the mean run-queue delay of the threads in s.
fn without_cpu(span: &SpanContext, limits: Option<&Limits>) -> Option<f64> {
    let limits = limits?;
    let share = limits.run_delay.unwrap_or(0.0) + limits.steal.unwrap_or(0.0);
    (share > 0.0).then_some(share * span.measured.seconds)
}

/// Reports late I/Os, with both kinds of latency for programs.
pub(super) fn check(span: &SpanContext, late: Option<&CoordinatedOmission>) -> Vec<Finding> {
    let Some(figures) = &span.measured.paced else { return Vec::new() };
    match late {
        Some(late) => vec![late_finding(span, late)],
        None => both_latencies(figures)
            .map(|text| {
                let option = achieved_rate::option(span);
                let message = format!(
                    "I/Os started when they were due ({option}): latencies include the whole wait, no \
                     coordinated omission"
                );
                Finding::new("on-time", Severity::Note, span, message).shown_by(text).quietly()
            })
            .into_iter()
            .collect(),
    }
}

fn late_finding(span: &SpanContext, late: &CoordinatedOmission) -> Finding {
    let CoordinatedOmission { figures, ios, of, longest, .. } = *late;
    let never = match of.saturating_sub(figures.ios) {
        0 => String::new(),
        never => format!("; {never} of them never started"),
    };
    let message = format!(
        "{:.1} % of the I/Os ({ios} of {of}) started more than 1 ms after they were due ({}), by up to \
         {}{never}: their latencies omit that wait (coordinated omission)",
        late.late_percent(),
        achieved_rate::option(span),
        longest.in_a_sentence()
    );
    let mut finding = Finding::new("late-starts", late.severity, span, message);
    finding = match both_latencies(figures) {
        Some(text) => finding.shown_by(text),
        None => finding.shown_by("add -L for response times, which count from when an I/O was due".into()),
    };
    if let Some(longest) = figures.max_not_submitted_delay.filter(|time| *time > JUST_DUE) {
        finding = finding.shown_by(format!(
            "{} I/Os were due and never started, the first overdue by {} at the end: only response times \
             include them, with their age at the end",
            figures.not_submitted,
            longest.in_a_sentence()
        ));
    }
    finding.shown_by(cause_text(span, late)).remedy(
        "read the response times: they are what users of this load would see (-L: at the end of the text \
         report, JSON, CSV, --stream); to measure the storage alone, offer a rate that it can keep, or raise \
         -o",
    )
}

fn cause_text(span: &SpanContext, late: &CoordinatedOmission) -> String {
    if let Some(seconds) = late.without_cpu {
        return format!(
            "CPU contention: threads were ready to run but had no CPU for {seconds:.2} s, so the storage may \
             not be the cause"
        );
    }
    if let Some(missed) = achieved_rate::missed_in_short(span) {
        return missed;
    }
    match span.measured.latency.as_ref().and_then(|latency| latency.all.max.total) {
        Some(longest) if longest.ms() >= late.longest.ms() / 2.0 => {
            format!("an I/O took up to {}: later I/Os waited in the program", longest.in_a_sentence())
        }
        _ => "an I/O cannot start while all of -o are in flight, or while the thread is not woken up".into(),
    }
}

/// Formats both kinds of latency in one line.
fn both_latencies(figures: &PacedFigures) -> Option<String> {
    let text = |latency: &PacedLatency| {
        let at = |percent: f64| latency.chart.percentile(percent)?.total;
        let all = [latency.total.mean?, at(99.0)?, at(99.9)?].map(Millis::in_a_sentence);
        Some(format!("{} on average, p99 {}, p99.9 {}", all[0], all[1], all[2]))
    };
    let (service, response) =
        (figures.service.as_ref().and_then(text)?, figures.response.as_ref().and_then(text)?);
    Some(format!(
        "response times, from where I/Os were due: {response}; service times, from where they started: \
         {service}"
    ))
}
