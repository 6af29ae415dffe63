//! GitHub's workflow commands: lines of standard output that become annotations.

use super::{CaseOutcome, ComparisonReport, list_cases};

/// Returns an annotation for each decisive figure: an error if worse, a warning if inconclusive.
pub fn github(told: &ComparisonReport) -> Vec<u8> {
    let line = |case: &super::AnswerCase| {
        let command = match case.end {
            CaseOutcome::Failed | CaseOutcome::NotCompared => "error",
            CaseOutcome::Unclear => "warning",
            CaseOutcome::Passed => "notice",
        };
        let title = format!("{}: {}", told.title, case.name);
        format!("::{command} title={}::{}\n", escape_property(&title), escape_data(&case.message))
    };
    list_cases(told).iter().map(line).collect::<String>().into_bytes()
}

fn escape_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes colons and commas, which would end the value of a property.
fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}
