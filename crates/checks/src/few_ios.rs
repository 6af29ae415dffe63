//! Percentiles of few I/Os, which depend on single slow I/Os and differ from run to run.

use super::{Finding, Severity, SpanContext};
use diskspd_results::TEXT_PERCENTS;

/// Minimum number of I/Os above a percentile, which is otherwise random.
const MIN_IOS_ABOVE: f64 = 10.0;
/// Highest common percentile, which must have enough I/Os above it.
const CHECKED_PERCENTILE: f64 = 99.0;
const MEDIAN: f64 = 50.0;

fn ios_beyond(ios: u64, percent: f64) -> f64 {
    // In hundredths, which are whole.
    ios as f64 * (100.0 - percent) / 100.0
}

/// Returns the highest reliable percentile of the report for this number of I/Os; `None` if the median is
/// unreliable.
pub fn highest_reported(ios: u64) -> Option<f64> {
    // Shares like 0.1 % aren't exact.
    let is_reported =
        |percent: &f64| *percent >= MEDIAN && ios_beyond(ios, *percent) >= MIN_IOS_ABOVE * (1.0 - 1e-9);
    TEXT_PERCENTS.into_iter().rev().find(is_reported)
}

pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let total = &span.measured.total.total;
    let ios = total.throughput.ios;
    let is_timed = total.latency.is_some_and(|latency| latency.mean.is_some());
    let told = highest_reported(ios);
    if !is_timed || ios == 0 || told >= Some(CHECKED_PERCENTILE) {
        return Vec::new();
    }
    let message = match told {
        Some(percent) => format!(
            "percentiles above the {percent:.0}th mean little: they rest on fewer than {MIN_IOS_ABOVE:.0} of \
             {ios} I/Os, and another run will have others"
        ),
        None => {
            format!("percentiles mean little: there were only {ios} I/Os, and another run will have others")
        }
    };
    let needed = MIN_IOS_ABOVE / (1.0 - CHECKED_PERCENTILE / 100.0);
    let found = Finding::new("too-few-ios", Severity::Note, span, message);
    vec![found.remedy(format!(
        "measure longer (-d): the 99th percentile needs {needed:.0} I/Os, the 99.9th {:.0}",
        10.0 * needed
    ))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentile_needs_ten_ios_above_it() {
        for (ios, percent) in [
            (19, None),
            (20, Some(50.0)),
            (199, Some(90.0)),
            (200, Some(95.0)),
            (999, Some(95.0)),
            (1000, Some(99.0)),
            (9_999, Some(99.0)),
            (10_000, Some(99.9)),
            (1_000_000, Some(99.999)),
            (u64::MAX, Some(99.999_999_9)),
        ] {
            assert_eq!(highest_reported(ios), percent, "{ios}");
        }
    }
}
