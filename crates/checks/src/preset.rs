//! Published reference values for the figures of a preset (`--preset`).

use super::device::Part;
use super::{Finding, Severity, SpanContext};
use diskspd_base::operation::Operation;
use diskspd_figures::units::Millis;
use diskspd_profile::presets::{self, GradedLoad, JudgedLatency, Threshold};
use diskspd_profile::{Throughput, TimeSpan};
use diskspd_results::LatencyFigures;

/// Minimum number of flushes above a graded percentile, which is otherwise random.
const MIN_IOS_ABOVE: f64 = 10.0;
/// Share of flushes above the 99th percentile.
const SLOWER: f64 = 0.01;
/// Maximum relative distance from a grade's limit at which another run may get a different grade.
const NEAR_LIMIT_SHARE: f64 = 0.1;
/// Minimum number of I/Os for grading a mean, which a single slow I/O could otherwise change.
const MIN_GRADED_IOS: u64 = 100;
/// Maximum plausible error of a mean, in standard errors.
const STANDARD_ERRORS: f64 = 3.0;

/// Returns the grade of each graded figure; `wrong` = other findings invalidate the figures.
pub(super) fn check(span: &SpanContext, wrong: bool) -> Vec<Finding> {
    let preset = span.preset.and_then(presets::find);
    let thresholds = preset.map_or(&[][..], |preset| preset.thresholds);
    thresholds.iter().filter_map(|threshold| threshold_finding(span, threshold, wrong)).collect()
}

fn threshold_finding(span: &SpanContext, threshold: &Threshold, wrong: bool) -> Option<Finding> {
    let preset = span.preset?;
    let has_rate = span.rate_total.is_some() || has_rates(span.asked);
    let outstanding = span.asked.targets.iter().map(|target| in_flight(span.asked, target)).sum::<u64>();
    let tells = has_rate || (threshold.under == GradedLoad::OneAtATime && outstanding == 1);
    let time = judged_figure(span, threshold.of, has_rate)?;
    let (what, load) = match (has_rate, threshold.of) {
        (true, JudgedLatency::MeanRead | JudgedLatency::MeanWrite) => {
            let offered = span.measured.paced.as_ref().map_or(0.0, |paced| paced.offered_iops);
            let times = threshold.of.words().replace("latency", "response time");
            (times, format!(" at {offered:.0} I/Os per second"))
        }
        _ => (threshold.of.words().to_owned(), String::new()),
    };
    let ungraded = |why: String, remedy: &'static str| {
        let message = format!("{preset}: {what}, {time} ms, is not graded: {why}");
        Some(Finding::new("preset-threshold", Severity::Note, span, message).remedy(remedy).as_answer())
    };
    if wrong {
        return ungraded(
            "the figures are WRONG".into(),
            "first follow the advice of the finding that is \
            WRONG",
        );
    }
    if let Some(memory) = span.parts.iter().find_map(Part::memory) {
        return ungraded(
            format!("{memory} is memory, and the grades are for disks"),
            "choose a target on a disk",
        );
    }
    if !tells {
        return ungraded(
            format!("at full load each of {outstanding} outstanding I/Os waits for the others"),
            "give the rate of your workload, as in --rate-total 2000",
        );
    }
    let (count, name, needed) = graded_ios(span, threshold.of);
    if count < needed {
        let why = format!("{count} {name} are too few for it, {needed} are needed");
        return ungraded(why, "measure longer (-d)");
    }
    let (word, beyond) = threshold.judge(time.ms());
    let severity = if beyond { Severity::Warning } else { Severity::Note };
    let limits = threshold.grades.iter().map(|grade| grade.up_to_ms);
    let standard_error = std_dev(span, threshold.of, has_rate) / (count as f64).sqrt();
    let near = limits.into_iter().find(|limit| is_near(time.ms(), standard_error, *limit));
    let near = near.map_or(String::new(), |limit| {
        format!(", but near the limit of {limit} ms: another run may be on its other side (--repeat)")
    });
    let message = format!("{what}{load}, {time} ms, is {word} for {preset}{near}");
    let found = Finding::new("preset-threshold", severity, span, message);
    Some(found.shown_by(threshold.source.into()).as_answer())
}

fn is_near(ms: f64, standard_error_ms: f64, limit_ms: f64) -> bool {
    (ms - limit_ms).abs() <= (NEAR_LIMIT_SHARE * limit_ms).max(STANDARD_ERRORS * standard_error_ms)
}

fn judged_figure(span: &SpanContext, of: JudgedLatency, has_rate: bool) -> Option<Millis> {
    match of {
        JudgedLatency::FlushP99 => span.measured.others.table(Operation::Flush)?.total.times.p99,
        _ => judged_latency(span, of, has_rate)?.mean,
    }
}

/// Returns the standard deviation of single I/Os in ms if the figure is a mean.
fn std_dev(span: &SpanContext, of: JudgedLatency, has_rate: bool) -> f64 {
    judged_latency(span, of, has_rate).and_then(|latency| latency.std_dev).map_or(0.0, Millis::ms)
}

/// The latencies whose mean is judged. Under a rate the time that an I/O waits before it is started
/// belongs to it.
fn judged_latency(span: &SpanContext, of: JudgedLatency, has_rate: bool) -> Option<LatencyFigures> {
    let measured = span.measured;
    let response = || measured.paced.as_ref().filter(|_| has_rate)?.response.as_ref();
    match (of, response()) {
        (JudgedLatency::MeanRead, Some(response)) => Some(response.read),
        (JudgedLatency::MeanRead, None) => measured.read.total.latency,
        (JudgedLatency::MeanWrite, Some(response)) => Some(response.write),
        (JudgedLatency::MeanWrite, None) => measured.write.total.latency,
        (JudgedLatency::FlushP99, _) => None,
    }
}

fn graded_ios(span: &SpanContext, of: JudgedLatency) -> (u64, &'static str, u64) {
    let measured = span.measured;
    match of {
        JudgedLatency::MeanRead => (measured.read.total.throughput.ios, "reads", MIN_GRADED_IOS),
        JudgedLatency::MeanWrite => (measured.write.total.throughput.ios, "writes", MIN_GRADED_IOS),
        JudgedLatency::FlushP99 => {
            let count = measured.others.table(Operation::Flush).map_or(0, |flushes| flushes.total.count);
            (count, "flushes", (MIN_IOS_ABOVE / SLOWER).ceil() as u64)
        }
    }
}

fn has_rates(span: &TimeSpan) -> bool {
    let limited = |rate: Option<Throughput>| {
        !matches!(rate, None | Some(Throughput::BytesPerMillisecond(0) | Throughput::Iops(0)))
    };
    span.targets.iter().all(|target| limited(target.throughput))
}

/// Returns the number of I/Os that all threads keep outstanding on a target.
fn in_flight(span: &TimeSpan, target: &diskspd_profile::Target) -> u64 {
    u64::from(span.threads_on(target)) * u64::from(target.request_count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grade_margin_uses_run_and_io_variation() {
        for (ms, standard_error_ms, near) in [
            (4.4, 0.0, false),
            (4.5, 0.0, true),
            (5.5, 0.0, true),
            (5.6, 0.0, false),
            (4.0, 0.3, false),
            (4.0, 0.34, true),
        ] {
            assert_eq!(is_near(ms, standard_error_ms, 5.0), near, "{ms} {standard_error_ms}");
        }
    }
}
