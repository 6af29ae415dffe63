//! What was found about a run, for people: the block that goes to standard error after the report.

use crate::truth::{Finding, Judgement, Limiter, Severity};

/// How much of it people get to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// What takes something away from the figures, and what limited them; the names of the rest.
    Brief,
    /// Everything that was found (`-v`).
    Full,
}

/// The whole block, the verdicts first, then the findings, worst first; empty = nothing was observed.
///
/// ```text
/// VERIFIED: the device read what was counted (1.00 x, 123,456 reads of 4 KiB)
/// WARNING: not steady: still falling when it ended: from 9000 to 4000 IOPS
///          60 intervals of 1.000 s vary by 21.0 %, fifths of the run by 60.1 %, slope -73.2 %
///          -> warm up for longer than this run took: --until-steady finds out how long
/// NOTE: what limited it: the storage, with 64 I/Os outstanding
/// NOTE: -v shows more: depth-not-reached
/// ```
pub fn text(judgement: &Judgement, detail: Detail) -> String {
    let several = judgement.limits.len() > 1;
    let findings = judgement.findings.iter();
    let verdicts = super::verdicts::text(judgement, detail);
    if detail == Detail::Full {
        return verdicts + &findings.map(|finding| full(finding, several)).collect::<String>();
    }
    let (mut bad, mut limit, mut rest) = (String::new(), String::new(), Vec::new());
    for finding in findings.filter(|finding| !finding.quiet) {
        if finding.severity > Severity::Note {
            bad += &full(finding, several);
        } else if !several && Limiter::is_name(finding.name) {
            limit += &format!("NOTE: {}\n", finding.message);
        } else if !rest.contains(&finding.name) {
            rest.push(finding.name);
        }
    }
    let rest =
        if rest.is_empty() { String::new() } else { format!("NOTE: -v shows more: {}\n", rest.join(", ")) };
    verdicts + &bad + &limit + &rest
}

/// One finding, with the number of its time span where there are several.
fn full(finding: &Finding, several: bool) -> String {
    match finding.time_span.filter(|_| several) {
        Some(number) => labelled(finding, &format!("time span {number}: ")),
        None => block(finding),
    }
}

/// One finding.
pub fn block(finding: &Finding) -> String {
    labelled(finding, "")
}

fn labelled(finding: &Finding, place: &str) -> String {
    let label = match finding.severity {
        Severity::Note => "NOTE: ",
        Severity::Warning => "WARNING: ",
        Severity::Wrong => "WRONG: ",
    };
    let indent = " ".repeat(label.len());
    let mut text = format!("{label}{place}{}\n", finding.message);
    for evidence in &finding.evidence {
        text += &format!("{indent}{evidence}\n");
    }
    if let Some(remedy) = &finding.remedy {
        text += &format!("{indent}-> {remedy}\n");
    }
    text
}
