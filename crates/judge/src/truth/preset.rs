//! What the literature says about the figures of a preset (`--preset`).

use super::{Finding, Severity, SpanView};
use diskspd_model::operation::Operation;
use diskspd_model::presets::{self, GradedLoad, JudgedLatency, Threshold};
use diskspd_model::profile::{Throughput, TimeSpan};
use diskspd_model::units::Millis;

/// So many flushes must have taken longer than a percentile of theirs that is graded: of fewer chance decides
/// on which side of a limit it lies.
const BEYOND: f64 = 10.0;
/// The share of flushes that take longer than the 99th percentile.
const SLOWER: f64 = 0.01;
/// So near to the limit of a grade, share of it, another run may get another grade: repeated runs scatter by
/// so much.
const NEAR: f64 = 0.1;

/// The grade of each figure that has one.
pub(super) fn check(span: &SpanView) -> Vec<Finding> {
    let preset = span.preset.and_then(presets::find);
    let thresholds = preset.map_or(&[][..], |preset| preset.thresholds);
    thresholds.iter().filter_map(|threshold| finding(span, threshold)).collect()
}

fn finding(span: &SpanView, threshold: &Threshold) -> Option<Finding> {
    let preset = span.preset?;
    let has_rate = span.rate_total.is_some() || has_rates(span.asked);
    let outstanding = span.asked.targets.iter().map(|target| in_flight(span.asked, target)).sum::<u64>();
    let tells = has_rate || (threshold.under == GradedLoad::OneAtATime && outstanding == 1);
    let time = figure(span, threshold.of, has_rate)?;
    let (what, load) = match (has_rate, threshold.of) {
        (true, JudgedLatency::MeanRead | JudgedLatency::MeanWrite) => {
            let offered = span.measured.paced.as_ref().map_or(0.0, |paced| paced.offered_iops);
            let times = threshold.of.words().replace("latency", "response time");
            (times, format!(" at {offered:.0} I/Os per second"))
        }
        _ => (threshold.of.words().to_owned(), String::new()),
    };
    if !tells {
        let message = format!(
            "{preset}: {what}, {time} ms, isn't graded: at full load each of {outstanding} outstanding I/Os \
             waits for the others"
        );
        return Some(
            Finding::new("preset-threshold", Severity::Note, span, message)
                .remedy("give the rate of your workload, as in --rate-total 2000")
                .as_answer(),
        );
    }
    if let Some(count) = flushes(span, threshold.of).filter(|count| *count as f64 * SLOWER < BEYOND) {
        let message = format!(
            "{preset}: {what}, {time} ms, isn't graded: {count} flushes are too few for it, {:.0} are needed",
            BEYOND / SLOWER
        );
        let found = Finding::new("preset-threshold", Severity::Note, span, message);
        return Some(found.remedy("measure longer (-d)").as_answer());
    }
    let (word, beyond) = threshold.judge(time.ms());
    let severity = if beyond { Severity::Warning } else { Severity::Note };
    let limits = threshold.grades.iter().map(|grade| grade.up_to_ms);
    let near = limits.into_iter().find(|limit| (time.ms() / limit - 1.0).abs() <= NEAR);
    let near = near.map_or(String::new(), |limit| {
        format!(", but near the limit of {limit} ms: another run may be on its other side (--repeat)")
    });
    let message = format!("{what}{load}, {time} ms, is {word} for {preset}{near}");
    let found = Finding::new("preset-threshold", severity, span, message);
    Some(found.shown_by(threshold.source.into()).as_answer())
}

/// The figure. Under a rate the time that an I/O waits before it is started belongs to it.
fn figure(span: &SpanView, of: JudgedLatency, has_rate: bool) -> Option<Millis> {
    let measured = span.measured;
    let response = || measured.paced.as_ref().filter(|_| has_rate)?.response.as_ref();
    match of {
        JudgedLatency::MeanRead => match response() {
            Some(response) => response.read.mean,
            None => measured.read.total.latency?.mean,
        },
        JudgedLatency::MeanWrite => match response() {
            Some(response) => response.write.mean,
            None => measured.write.total.latency?.mean,
        },
        JudgedLatency::FlushP99 => measured.others.of(Operation::Flush)?.total.p99,
    }
}

/// How many flushes a percentile is that of; `None` = it is none of flushes.
fn flushes(span: &SpanView, of: JudgedLatency) -> Option<u64> {
    match of {
        JudgedLatency::FlushP99 => Some(span.measured.others.of(Operation::Flush)?.total.count),
        JudgedLatency::MeanRead | JudgedLatency::MeanWrite => None,
    }
}

/// Whether each target has a rate.
fn has_rates(span: &TimeSpan) -> bool {
    let limited = |rate: Option<Throughput>| {
        !matches!(rate, None | Some(Throughput::BytesPerMillisecond(0) | Throughput::Iops(0)))
    };
    span.targets.iter().all(|target| limited(target.throughput))
}

/// I/Os that all threads keep outstanding on a target.
fn in_flight(span: &TimeSpan, target: &diskspd_model::profile::Target) -> u64 {
    u64::from(span.threads_on(target)) * u64::from(target.request_count)
}
