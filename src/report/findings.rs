//! What was found about a run, for people: the block that goes to standard error after the report.

use crate::truth::{Finding, Judgement, Severity};

/// The whole block, the verdicts first, then the findings, worst first; empty = nothing was observed.
///
/// ```text
/// WRONG: nearly all reads came from the page cache, not from the device
///        the device read 0.1 GiB of the 12.3 GiB that were counted
///        -> bypass the cache with -Su
/// ```
pub fn text(judgement: &Judgement) -> String {
    let loud = judgement.findings.iter().filter(|finding| !finding.quiet);
    super::verdicts::text(judgement) + &loud.map(block).collect::<String>()
}

/// One finding.
pub fn block(finding: &Finding) -> String {
    let label = match finding.severity {
        Severity::Note => "NOTE: ",
        Severity::Warning => "WARNING: ",
        Severity::Wrong => "WRONG: ",
    };
    let indent = " ".repeat(label.len());
    let mut text = format!("{label}{}\n", finding.message);
    for evidence in &finding.evidence {
        text += &format!("{indent}{evidence}\n");
    }
    if let Some(remedy) = &finding.remedy {
        text += &format!("{indent}-> {remedy}\n");
    }
    text
}
