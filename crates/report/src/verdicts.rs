//! The verdicts about the devices, for people: the first lines of the block on standard error.

use diskspd_base::finding::{FindingLocation, Printed, Severity};
use diskspd_checks::{DeviceVerdict, Judgement, SpanVerdict};
use diskspd_figures::units::visible::line;
use diskspd_profile::RawText;

/// Returns the statements about all time spans with their severity; empty without observations. For each
/// span the worst part, and every other part with a deficiency.
///
/// ```text
/// VERIFIED: the device read what was counted (1.00 x, 123,456 reads of 4 KiB)
/// ```
pub fn blocks(judgement: &Judgement, brief: bool) -> Vec<(Option<Severity>, String)> {
    let several = judgement.verdicts.len() > 1;
    judgement.verdicts.iter().flat_map(|verdict| span_blocks(verdict, several, brief)).collect()
}

fn span_blocks(verdict: &SpanVerdict, several: bool, brief: bool) -> Vec<(Option<Severity>, String)> {
    let place =
        FindingLocation { time_span: several.then_some(verdict.time_span), ..FindingLocation::default() };
    let parts = verdict.parts.iter().enumerate();
    parts
        .filter(|(index, part)| *index == 0 || part.severity.is_some())
        .map(|(_, part)| (part.severity, part_block(part, &place, verdict.parts.len() > 1, brief)))
        .collect()
}

fn part_block(part: &DeviceVerdict, place: &FindingLocation, named: bool, brief: bool) -> String {
    let label = format!("{}: ", word(part));
    let targets = match named && !part.targets.is_empty() {
        true => format!("{}: ", target_names(&part.targets)),
        false => String::new(),
    };
    let message = format!("{targets}{}", line(&part.message));
    let remedy = part.remedy.as_deref();
    let printed =
        Printed { label: &label, place: Some(place), message: &message, evidence: &part.evidence, remedy };
    match brief && part.severity < Some(Severity::Warning) && part.flush_seconds.is_none() {
        true => format!("{}\n", Printed { evidence: &[], remedy: None, ..printed }),
        false => format!("{printed}\n"),
    }
}

/// Formats a verdict with its severity: `CACHED (WRONG)`.
pub fn word(part: &DeviceVerdict) -> String {
    let doubt = match part.severity.filter(|severity| *severity > Severity::Note) {
        None => String::new(),
        Some(severity) => format!(" ({})", severity.capitals()),
    };
    format!("{}{doubt}", part.verdict.word())
}

fn target_names(paths: &[RawText]) -> String {
    match paths {
        [one] => format!("'{one}'"),
        [one, other] => format!("'{one}', '{other}'"),
        [first, rest @ ..] => format!("'{first}' and {} more", rest.len()),
        [] => String::new(),
    }
}
