//! `diskspd doctor`: properties of the machine that would distort figures, before any measurement.

use super::io_features::{self, FeatureStatus, UNCHECKED_TEXT};
use crate::checks::{arrays, environment};
use crate::cli::Exit;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::output;
use crate::finding::{Finding, Severity};
use crate::host::target::{locate, probe};
use crate::host::{self, storage};
use crate::machine::System;
use crate::machine::target::TargetKind;
use crate::plan::can_be_made;
use crate::profile::RawText;
use crate::report::findings::block;
use serde::Serialize;

#[derive(Serialize)]
struct DoctorAnswer<'a> {
    findings: &'a [Finding],
    system: &'a System,
    ways: &'a [FeatureStatus],
}

/// Inspects the machine and reports findings: [`Exit::Doubtful`] for anything worse than a note.
///
/// # Errors
/// Fails if some targets are unusable, or the output cannot be written.
pub(crate) fn doctor(json: bool, targets: &[RawText]) -> Result<Exit, CommandError> {
    let look = |target: &RawText| {
        let location = locate(target.as_bytes()).map_err(|error| error.to_string())?;
        let facts = probe(&location).map_err(|error| error.to_string())?;
        if facts.kind != TargetKind::Missing {
            return Ok((io_features::probe_features(target, &location), None));
        }
        can_be_made(target, &facts).map_err(|error| error.to_string())?;
        let message = format!("'{target}' does not exist: the devices below its folder were checked");
        let finding = Finding::of_machine("target-missing", Severity::Note, message).on_target(target);
        Ok((Vec::new(), Some(finding.remedy("check the name, or create it: a run does with -c<size>"))))
    };
    let (mut offered, mut missing) = (Vec::new(), Vec::new());
    let mut unusable: Vec<String> = Vec::new();
    for target in targets {
        match look(target) {
            Ok((found, finding)) => {
                offered.extend(found);
                missing.extend(finding);
            }
            Err(why) => unusable.push(why),
        }
    }
    if !unusable.is_empty() {
        return Err(CommandError::failed(unusable));
    }
    let mut system = host::snapshot();
    crate::host::read_environment(&mut system, targets.iter().map(storage::storage).collect());
    let mut findings = environment::findings(&system);
    findings.extend(arrays::of_machine(&host::arrays_beneath(targets)));
    findings.extend(missing);
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    match json {
        true => output::json_to_stdout(
            "the findings",
            &DoctorAnswer { findings: &findings, system: &system, ways: &offered },
        )?,
        false => output::print_sentences(&text(&system, &findings, &offered))?,
    };
    let doubtful = findings.iter().any(|finding| finding.severity > Severity::Note);
    Ok(if doubtful { Exit::Doubtful } else { Exit::Success })
}

fn text(system: &System, findings: &[Finding], offered: &[FeatureStatus]) -> String {
    let mut text: String = findings.iter().map(block).collect();
    if findings.is_empty() {
        text += "found nothing that would distort figures\n";
    }
    text += &io_features::text(offered);
    text += UNCHECKED_TEXT;
    if let Some(fingerprint) = &system.fingerprint {
        text += &format!("fingerprint: {}\n", fingerprint.hash);
    }
    text
}
