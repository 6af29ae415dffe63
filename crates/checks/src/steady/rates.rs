//! Rates of a time span from interval to interval.

use crate::SpanContext;
use diskspd_figures::stats::MIN_INTERVALS;
use diskspd_figures::units::{seconds_of_ms, seconds_of_us};
use diskspd_results::Sample;

/// Minimum I/Os of an interval with a meaningful rate.
pub(super) const MIN_IOS: f64 = 8.0;

/// I/Os per second from interval to interval, and the length of one, s: from second to second, as the
/// controlling thread saw it; in simulated time by the intervals of `-D`.
pub(super) fn io_rates(span: &SpanContext) -> Option<(Vec<f64>, f64)> {
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
