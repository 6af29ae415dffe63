//! OpenMetrics text for GitLab's metrics report in a merge request, and for scrapers.

use super::{CaseOutcome, ComparisonReport, list_cases};
use crate::openmetrics::{self, Dialect, Exposition, Family};
use diskspd_experiments::compare::Compared;
use diskspd_figures::units::visible::line;

type FigureFamily = (Family, fn(&Compared) -> Option<f64>);

const fn gauge_family(name: &'static str, help: &'static str) -> Family {
    openmetrics::gauge(name, "", help)
}

const FAMILIES: [FigureFamily; 5] = [
    (gauge_family("diskspd_before", "Median of the runs of A, in the unit of the figure."), |of| {
        side_median(of, 0)
    }),
    (gauge_family("diskspd_after", "Median of the runs of B, in the unit of the figure."), |of| {
        side_median(of, 1)
    }),
    (gauge_family("diskspd_change_percent", "Change from A to B, best estimate."), |of| of.change_percent),
    (gauge_family("diskspd_change_low_percent", "Lower end of its interval."), |of| of.low_percent),
    (gauge_family("diskspd_change_high_percent", "Upper end of its interval."), |of| of.high_percent),
];

const WORSE: Family =
    gauge_family("diskspd_worse", "1 = worse by at least the limit that fails the check, 0 = not.");

fn side_median(metric: &Compared, side: usize) -> Option<f64> {
    metric.sides.as_ref().map(|sides| sides[side].median)
}

/// Writes one sample per metric family, test and figure, and the result of each test.
pub fn metrics(told: &ComparisonReport) -> Vec<u8> {
    let cases = list_cases(told);
    let mut text = Exposition::new(Dialect::OpenMetrics);
    for (family, value) in FAMILIES {
        let mut samples = text.family(family);
        for case in &cases {
            for metric in case.span.into_iter().flat_map(|span| &span.metrics) {
                let labels = [("test", &*line(&case.name)), ("figure", &*metric.metric)];
                samples.sample_if(&labels, value(metric).filter(|value| value.is_finite()));
            }
        }
    }
    let mut samples = text.family(WORSE);
    for case in cases.iter().filter(|case| matches!(case.end, CaseOutcome::Failed | CaseOutcome::Passed)) {
        samples.sample(&[("test", &*line(&case.name))], f64::from(u8::from(case.end == CaseOutcome::Failed)));
    }
    text.finish().into_bytes()
}
