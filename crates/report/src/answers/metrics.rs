//! OpenMetrics text: what GitLab's metrics report shows in a merge request, and any scraper reads.

use super::{CaseEnd, ToldComparison, cases};
use diskspd_judge::lab::compare::Compared;
use diskspd_model::units::visible::line;

/// A family: its name, what it is, and its value of a figure.
type Family = (&'static str, &'static str, fn(&Compared) -> Option<f64>);

const FAMILIES: [Family; 5] = [
    ("diskspd_before", "Median of the runs of A, in the unit of the figure.", |of| median(of, 0)),
    ("diskspd_after", "Median of the runs of B, in the unit of the figure.", |of| median(of, 1)),
    ("diskspd_change_percent", "Change of B against A, best estimate.", |of| of.change_percent),
    ("diskspd_change_low_percent", "Lower end of its interval.", |of| of.low_percent),
    ("diskspd_change_high_percent", "Upper end of its interval.", |of| of.high_percent),
];

fn median(metric: &Compared, side: usize) -> Option<f64> {
    metric.sides.as_ref().map(|sides| sides[side].median)
}

/// A sample of each family for every figure of every test, and whether the test failed.
pub fn metrics(told: &ToldComparison) -> Vec<u8> {
    let cases = cases(told);
    let mut text = String::new();
    for (name, help, value) in FAMILIES {
        text += &head(name, help);
        for case in &cases {
            for metric in case.span.into_iter().flat_map(|span| &span.metrics) {
                let Some(value) = value(metric).filter(|value| value.is_finite()) else { continue };
                let labels = format!("test=\"{}\",figure=\"{}\"", label(&case.name), label(&metric.metric));
                text += &format!("{name}{{{labels}}} {value}\n");
            }
        }
    }
    text += &head("diskspd_worse", "1 = the test is worse by what fails, 0 = it isn't.");
    for case in cases.iter().filter(|case| matches!(case.end, CaseEnd::Failed | CaseEnd::Passed)) {
        let failed = u8::from(case.end == CaseEnd::Failed);
        text += &format!("diskspd_worse{{test=\"{}\"}} {failed}\n", label(&case.name));
    }
    text += "# EOF\n";
    text.into_bytes()
}

fn head(name: &str, help: &str) -> String {
    format!("# TYPE {name} gauge\n# HELP {name} {help}\n")
}

/// The value of a label.
fn label(text: &str) -> String {
    line(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
