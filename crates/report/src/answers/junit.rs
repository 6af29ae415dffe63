//! JUnit XML, which continuous integration shows as a list of tests.

use super::{CaseOutcome, ComparisonReport, list_cases};
use diskspd_figures::units::visible::line;
use std::fmt::Write;

/// Returns a suite with a test case for each decisive figure. Inconclusive cases are skipped, with the
/// reason.
pub fn junit(told: &ComparisonReport) -> Vec<u8> {
    let cases = list_cases(told);
    let count = |end: CaseOutcome| cases.iter().filter(|case| case.end == end).count();
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"0\"",
        cases.len(),
        count(CaseOutcome::Failed),
        count(CaseOutcome::NotCompared),
        count(CaseOutcome::Unclear)
    );
    let title = escape_xml(told.title);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"diskspd\" {counts}>\n  <testsuite \
         name=\"{title}\" {counts}>\n"
    );
    for case in &cases {
        let message = escape_xml(&case.message);
        let inside = match case.end {
            CaseOutcome::Passed => format!("<system-out>{message}</system-out>"),
            CaseOutcome::Failed => {
                format!("<failure message=\"{message}\" type=\"worse\">{message}</failure>")
            }
            CaseOutcome::Unclear => format!("<skipped message=\"{message}\"/>"),
            CaseOutcome::NotCompared => {
                format!("<error message=\"{message}\" type=\"not-compared\">{message}</error>")
            }
        };
        let _ = writeln!(
            text,
            "    <testcase classname=\"diskspd.{title}\" name=\"{}\" time=\"0\">{inside}</testcase>",
            escape_xml(&case.name)
        );
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text.into_bytes()
}

/// Escapes text for XML; terminal control characters, which parsers reject, become visible.
fn escape_xml(text: &str) -> String {
    let mut out = String::new();
    for c in line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('?'),
            c => out.push(c),
        }
    }
    out
}
