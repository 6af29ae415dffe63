//! What was found about a run, for people: the block that goes to standard error after the report.

use diskspd_judge::truth::{Judgement, Limiter};
use diskspd_model::finding::{Finding, Printed, Severity};
use diskspd_model::units::visible::line;

/// How much of it people get to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// What makes the figures other than they seem to be, in a line each (`--quiet`).
    Wrong,
    /// What takes something away from the figures, and what limited them; the names of the rest.
    Brief,
    /// What takes something away from the figures: the rest stands in the block that follows
    /// ([`super::end_block`]).
    Doubts,
    /// Everything that was found (`-v`).
    Full,
}

/// The whole block, the worst first; empty = nothing was observed. A verdict stands before findings that
/// are as bad: whether the device was measured at all decides what the others mean.
///
/// ```text
/// WARNING: not steady: still falling when it ended: from 9000 to 4000 IOPS
///          60 intervals of 1.000 s vary by 21.0 %, the five parts of the run by 60.1 %, slope -73.2 %
///          -> warm up for longer than this run took: --until-steady finds out how long
/// VERIFIED: the device read what was counted (1.00 x, 123,456 reads of 4 KiB)
/// NOTE: limited by the storage at this depth, with 64 I/Os outstanding (-v shows more: depth-not-reached)
/// ```
pub fn text(judgement: &Judgement, detail: Detail) -> String {
    let several = judgement.limits.len() > 1;
    let mut lines: Vec<(Option<Severity>, String)> =
        super::verdicts::blocks(judgement, detail != Detail::Full);
    let findings = judgement.findings.iter();
    match detail {
        Detail::Full => lines.extend(findings.map(|found| (Some(found.severity), full(found, several)))),
        Detail::Brief => {
            let told = findings
                .clone()
                .filter(|found| found.answers || !found.quiet && found.severity > Severity::Note);
            lines.extend(told.map(|found| (Some(found.severity), full(found, several))));
            lines.push((Some(Severity::Note), notes(judgement)));
        }
        Detail::Doubts => {
            let told = findings.filter(|found| !found.quiet);
            lines.extend(told.map(|found| (Some(found.severity), full(found, several))));
            lines.retain(|(severity, _)| *severity > Some(Severity::Note));
        }
        Detail::Wrong => {
            let first = |text: String| text.lines().next().map_or(text.clone(), |line| format!("{line}\n"));
            lines.extend(findings.map(|found| (Some(found.severity), full(found, several))));
            lines.retain(|(severity, _)| *severity == Some(Severity::Wrong));
            lines.iter_mut().for_each(|(_, text)| *text = first(std::mem::take(text)));
        }
    }
    // A verdict that takes nothing away is worth no more than a note. The sort is stable: verdicts go first.
    lines.sort_by_key(|(severity, _)| std::cmp::Reverse(severity.unwrap_or(Severity::Note)));
    lines.into_iter().map(|(_, text)| text).collect()
}

/// Of all that is good to know, what limited a run of one time span, and the names of the rest.
pub fn notes_of(judgement: &Judgement) -> (Option<&Finding>, Vec<&'static str>) {
    let (mut limit, mut rest) = (None, Vec::new());
    let is_told = |found: &&Finding| !found.quiet && !found.answers && found.severity == Severity::Note;
    let told = judgement.findings.iter().filter(is_told);
    for finding in told {
        if judgement.limits.len() <= 1 && limit.is_none() && Limiter::is_name(finding.name) {
            limit = Some(finding);
        } else if !rest.contains(&finding.name) {
            rest.push(finding.name);
        }
    }
    (limit, rest)
}

/// In brief: what limited the run, and the names of all else that is good to know, in one line.
fn notes(judgement: &Judgement) -> String {
    let (limit, rest) = notes_of(judgement);
    let limit = limit.map(|limit| line(&limit.message));
    let rest = rest.join(", ");
    let note = match (limit, rest.as_str()) {
        (None, "") => return String::new(),
        (None, rest) => format!("-v shows more: {rest}"),
        (Some(limit), "") => limit.into_owned(),
        (Some(limit), rest) => format!("{limit} (-v shows more: {rest})"),
    };
    format!("{}\n", Finding::note(note))
}

/// One finding, with the number of its time span where there are several.
fn full(finding: &Finding, several: bool) -> String {
    let place = several.then_some(&finding.place);
    format!("{}\n", Printed { place, message: &line(&finding.message), ..finding.printed() })
}

/// One finding, wherever it is.
pub fn block(finding: &Finding) -> String {
    full(finding, false)
}
