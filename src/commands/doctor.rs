//! `diskspd doctor`: what about the machine would distort figures, before anything is measured.

use super::output;
use crate::cli::{EXIT_DOUBTFUL, EXIT_RUN_FAILED, EXIT_SUCCESS};
use crate::profile::RawText;
use crate::report::findings::block;
use crate::sys::standard_error::say;
use crate::system::target::{locate, probe};
use crate::system::{self, System, storage};
use crate::truth::{Finding, Severity, environment};
use serde::Serialize;

/// What programs get.
#[derive(Serialize)]
struct Answer<'a> {
    /// The worst first.
    findings: &'a [Finding],
    /// What was looked at, with the fingerprint.
    system: &'a System,
}

/// Returns the exit code: [`EXIT_DOUBTFUL`] when anything worse than a note was found.
pub fn doctor(json: bool, targets: &[RawText]) -> u8 {
    let mut unusable = false;
    for target in targets {
        let looked =
            locate(target.as_bytes()).and_then(|path| probe(&path).map_err(|error| error.to_string()));
        if let Err(message) = looked {
            say(format_args!("ERROR: {message}"));
            unusable = true;
        }
    }
    if unusable {
        return EXIT_RUN_FAILED;
    }
    let mut system = system::snapshot();
    system.look_around(targets.iter().map(storage::storage).collect());
    let findings = environment::findings(&system);
    let printed = if json {
        print_json(&system, &findings)
    } else {
        output::to_stdout(text(&system, &findings).as_bytes())
    };
    let doubtful = findings.iter().any(|finding| finding.severity > Severity::Note);
    if printed == EXIT_SUCCESS && doubtful { EXIT_DOUBTFUL } else { printed }
}

/// The findings, and the number to compare machines by.
fn text(system: &System, findings: &[Finding]) -> String {
    let mut text: String = findings.iter().map(block).collect();
    if findings.is_empty() {
        text += "nothing was found that would distort figures\n";
    }
    if let Some(fingerprint) = &system.fingerprint {
        text += &format!("fingerprint: {}\n", fingerprint.hash);
    }
    text
}

fn print_json(system: &System, findings: &[Finding]) -> u8 {
    let answer = Answer { findings, system };
    match serde_json::to_string_pretty(&answer) {
        Ok(text) => output::to_stdout(format!("{text}\n").as_bytes()),
        Err(error) => {
            say(format_args!("ERROR: the findings can't be written as JSON: {error}"));
            EXIT_RUN_FAILED
        }
    }
}
