//! GitHub's workflow commands: lines of standard output that become annotations.

use super::{CaseEnd, ToldComparison, cases};

/// Returns an annotation for each decisive figure: an error if worse, a warning if inconclusive.
pub fn github(told: &ToldComparison) -> Vec<u8> {
    let line = |case: &super::AnswerCase| {
        let command = match case.end {
            CaseEnd::Failed | CaseEnd::NotCompared => "error",
            CaseEnd::Unclear => "warning",
            CaseEnd::Passed => "notice",
        };
        let title = format!("{}: {}", told.title, case.name);
        format!("::{command} title={}::{}\n", property(&title), data(&case.message))
    };
    cases(told).iter().map(line).collect::<String>().into_bytes()
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, which a colon or a comma would end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
