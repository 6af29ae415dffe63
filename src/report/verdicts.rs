//! The verdicts about the devices, for people: the first lines of the block on standard error.

use super::findings::Detail;
use crate::profile::RawText;
use crate::truth::{DeviceVerdict, Judgement, Severity, SpanVerdict};
use crate::units::visible::line;

/// What is said of all time spans, with how bad it is; empty = nothing was observed. Of each span the worst
/// part, and every other one that isn't as good as it can be.
///
/// ```text
/// VERIFIED: the device read what was counted (1.00 x, 123,456 reads of 4 KiB)
/// ```
pub fn blocks(judgement: &Judgement, detail: Detail) -> Vec<(Option<Severity>, String)> {
    let several = judgement.verdicts.len() > 1;
    judgement.verdicts.iter().flat_map(|verdict| span(verdict, several, detail)).collect()
}

fn span(verdict: &SpanVerdict, several: bool, detail: Detail) -> Vec<(Option<Severity>, String)> {
    let place = if several { format!("time span {}: ", verdict.time_span) } else { String::new() };
    let parts = verdict.parts.iter().enumerate();
    parts
        .filter(|(index, part)| *index == 0 || part.severity.is_some())
        .map(|(_, part)| (part.severity, block(part, &place, verdict.parts.len() > 1, detail)))
        .collect()
}

/// In brief what takes nothing away is a single line, unless somebody asked how long the flush took.
fn block(part: &DeviceVerdict, place: &str, named: bool, detail: Detail) -> String {
    let doubt = match part.severity {
        None | Some(Severity::Note) => "",
        Some(Severity::Warning) => " (WARNING)",
        Some(Severity::Wrong) => " (WRONG)",
    };
    let label = format!("{}{doubt}: ", part.verdict.word());
    let targets = if named { format!("{}: ", targets(&part.targets)) } else { String::new() };
    let indent = " ".repeat(label.len());
    let mut text = format!("{label}{place}{targets}{}\n", line(&part.message));
    if detail == Detail::Brief && part.severity < Some(Severity::Warning) && part.flush_seconds.is_none() {
        return text;
    }
    for evidence in &part.evidence {
        text += &format!("{indent}{}\n", line(evidence));
    }
    if let Some(remedy) = &part.remedy {
        text += &format!("{indent}-> {}\n", line(remedy));
    }
    text
}

fn targets(paths: &[RawText]) -> String {
    match paths {
        [one] => format!("'{one}'"),
        [one, other] => format!("'{one}', '{other}'"),
        [first, rest @ ..] => format!("'{first}' and {} more", rest.len()),
        [] => String::new(),
    }
}
