//! Findings about a run for people: the block on standard error after the report.

use diskspd_base::finding::{Finding, Printed, Severity};
use diskspd_checks::{Judgement, Limiter};
use diskspd_figures::units::visible::line;
use std::collections::HashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Misleading figures only, one line each (`--quiet`).
    Wrong,
    /// Findings that limit the figures, and limits; other findings by name only.
    Brief,
    /// Findings that limit the figures; the others are in the final block.
    Doubts,
    /// All findings (`-v`).
    Full,
}

/// Formats the block, sorted by severity; empty = nothing was observed. A verdict precedes findings of the
/// same severity, because they depend on it.
///
/// ```text
/// WARNING: not steady: still falling when it ended: from 9000 to 4000 IOPS
///          60 intervals of 1.000 s vary by 21.0 %, the five parts of the run by 60.1 %, slope -73.2 %
///          -> warm up for longer than this run took: --until-steady finds out how long
/// VERIFIED: the device read what was counted (1.00 x, 123,456 reads of 4 KiB)
/// NOTE: limited by the storage at this depth, with 64 I/Os outstanding (-v shows 1 more: depth-not-reached)
/// ```
///
/// In brief at most [`MAX_FINDINGS`] findings are printed, each with at most [`MAX_EVIDENCE`] lines
/// of evidence.
pub fn text(judgement: &Judgement, detail: Detail) -> String {
    let several = judgement.limits.len() > 1;
    let mut lines: Vec<(Option<Severity>, String)> =
        super::verdicts::blocks(judgement, detail != Detail::Full);
    let findings = judgement.findings.iter();
    let is_printed = printed_in_brief(judgement);
    match detail {
        Detail::Full => {
            let findings = once_for_all_targets(&judgement.findings);
            lines.extend(findings.iter().map(|found| (Some(found.severity), full_text(found, several))));
        }
        Detail::Brief => {
            let told = findings
                .clone()
                .filter(|found| is_printed(found) || found.answers && found.severity == Severity::Note);
            lines.extend(told.map(|found| (Some(found.severity), brief_text(found, several))));
            lines.push((Some(Severity::Note), notes_text(judgement)));
        }
        Detail::Doubts => {
            let told = findings.filter(|found| is_printed(found));
            lines.extend(told.map(|found| (Some(found.severity), brief_text(found, several))));
            lines.retain(|(severity, _)| *severity > Some(Severity::Note));
        }
        Detail::Wrong => {
            let first = |text: String| text.lines().next().map_or(text.clone(), |line| format!("{line}\n"));
            lines.extend(findings.map(|found| (Some(found.severity), full_text(found, several))));
            lines.retain(|(severity, _)| *severity == Some(Severity::Wrong));
            lines.iter_mut().for_each(|(_, text)| *text = first(std::mem::take(text)));
        }
    }
    // A verdict that takes nothing away is worth no more than a note. The sort is stable: verdicts go first.
    lines.sort_by_key(|(severity, _)| std::cmp::Reverse(severity.unwrap_or(Severity::Note)));
    lines.into_iter().map(|(_, text)| text).collect()
}

/// Condenses findings that several targets share to one, with the first target and the number of others.
fn once_for_all_targets(findings: &[Finding]) -> Vec<Finding> {
    let mut shown: Vec<(Finding, usize)> = Vec::new();
    let mut first: HashMap<_, usize> = HashMap::new();
    for found in findings {
        let condensed = found.place.target.is_some() && found.severity < Severity::Wrong;
        let key = (found.place.time_span, found.name, found.severity, &found.remedy);
        match first.get(&key) {
            Some(place) if condensed => shown[*place].1 += 1,
            _ => {
                if condensed {
                    first.insert(key, shown.len());
                }
                shown.push((found.clone(), 0));
            }
        }
    }
    let with_others = |(found, others): (Finding, usize)| match others {
        0 => found,
        1 => found.shown_by("1 more target has the same finding".into()),
        others => found.shown_by(format!("{others} more targets have the same finding")),
    };
    shown.into_iter().map(with_others).collect()
}

/// Maximum number of findings in brief form.
const MAX_FINDINGS: usize = 5;
/// Maximum lines of evidence in brief form.
const MAX_EVIDENCE: usize = 3;

/// Returns whether a finding of the judgement is a warning or worse that is printed in brief: all wrong
/// figures, and the worst of the others.
pub fn printed_in_brief(judgement: &Judgement) -> impl Fn(&Finding) -> bool {
    let takes_away = |found: &Finding| !found.quiet && found.severity > Severity::Note;
    let first: Vec<&Finding> =
        judgement.findings.iter().filter(|found| takes_away(found)).take(MAX_FINDINGS).collect();
    move |finding| {
        let is_first = || first.iter().any(|found| std::ptr::eq(*found, finding));
        takes_away(finding) && (finding.answers || finding.severity > Severity::Warning || is_first())
    }
}

#[derive(Debug, Default)]
pub struct HiddenFindings {
    count: usize,
    names: Vec<&'static str>,
}

impl HiddenFindings {
    /// Returns `-v shows 2 more: depth-not-reached, steady`; empty = nothing is hidden.
    pub fn in_words(&self) -> String {
        match self.count {
            0 => String::new(),
            count => format!("-v shows {count} more: {}", self.names.join(", ")),
        }
    }
}

/// The finding about the limit of a run of one time span, if it is a note; and the hidden findings.
pub fn notes_of(judgement: &Judgement) -> (Option<&Finding>, HiddenFindings) {
    let (mut limit, mut hidden) = (None, HiddenFindings::default());
    let is_printed = printed_in_brief(judgement);
    let is_hidden = |found: &&Finding| {
        let is_note = found.severity == Severity::Note && !found.answers;
        !found.quiet && (is_note || found.severity > Severity::Note && !is_printed(found))
    };
    for finding in judgement.findings.iter().filter(is_hidden) {
        let is_limit = finding.severity == Severity::Note && Limiter::is_name(finding.name);
        if judgement.limits.len() <= 1 && limit.is_none() && is_limit {
            limit = Some(finding);
            continue;
        }
        hidden.count += 1;
        if !hidden.names.contains(&finding.name) {
            hidden.names.push(finding.name);
        }
    }
    (limit, hidden)
}

/// Returns the limit of the run and the number of hidden findings in one line.
fn notes_text(judgement: &Judgement) -> String {
    let (limit, hidden) = notes_of(judgement);
    let limit = limit.map(|limit| line(&limit.message));
    let more = hidden.in_words();
    let note = match (limit, more.as_str()) {
        (None, "") => return String::new(),
        (None, more) => more.to_owned(),
        (Some(limit), "") => limit.into_owned(),
        (Some(limit), more) => format!("{limit} ({more})"),
    };
    format!("{}\n", Finding::note(note))
}

/// Formats a finding with the first lines of its evidence.
fn brief_text(finding: &Finding, several: bool) -> String {
    let most = if finding.answers { finding.evidence.len() } else { MAX_EVIDENCE };
    let evidence = finding.evidence.iter().take(most).cloned().collect();
    full_text(&Finding { evidence, ..finding.clone() }, several)
}

/// Formats a finding, with the number of its time span if there are several.
fn full_text(finding: &Finding, several: bool) -> String {
    let place = several.then_some(&finding.place);
    format!("{}\n", Printed { place, message: &line(&finding.message), ..finding.printed() })
}

pub fn block(finding: &Finding) -> String {
    full_text(finding, false)
}
