//! Rules that relate several settings of a profile, independent of its source. Their order and names
//! follow DISKSPD's validation. The classes are `V` and `D` errors, `W` warnings, `G` settings that
//! DISKSPD accepts but cannot run, and `M` run option rules. Plans check the rules that depend on the
//! machine.

mod case;
mod content;
mod distribution;
mod each_once;
mod io_features;
mod mix;
mod rules;
mod run_options;
mod shares;
#[cfg(test)]
mod tests;
mod verify;
mod zoned;

pub use run_options::run_options;

use crate::{Profile, RawText, Target};
use case::Case;
use diskspd_base::finding::{Finding, FindingLocation, Severity};
use std::collections::HashSet;

/// Checks all targets of all time spans by all rules; a profile with an error must not be run. With
/// `profile_only` (`-Rp`) template targets may stay unfilled. The profile is not changed.
///
/// Targets of a time span that differ only in their path are checked once. A command line, where targets
/// share all settings, therefore gets each message once.
pub fn validate(profile: &Profile, profile_only: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    if profile.time_spans.is_empty() {
        let message = "the profile has no time span: there is nothing to run";
        findings.push(Finding::of_machine("V0", Severity::Error, message));
    }
    for (index, span) in profile.time_spans.iter().enumerate() {
        let settings: Vec<Target> = span.targets.iter().map(without_path).collect();
        let uniform = profile.time_spans.len() == 1 && settings.windows(2).all(|pair| pair[0] == pair[1]);
        // Nowhere in particular, where it holds for all of the profile.
        let place = |target: Option<(usize, &Target)>| match uniform {
            true => FindingLocation::default(),
            false => FindingLocation {
                time_span: Some(index + 1),
                target_number: target.map(|(number, _)| number + 1),
                target: target.map(|(_, target)| target.path.clone()),
            },
        };

        let compat = profile.compat;
        findings.extend(rules::check_span(span, compat).into_iter().map(|found| found.at_place(place(None))));
        let mut judged = HashSet::new();
        for (number, target) in span.targets.iter().enumerate() {
            let place = place(Some((number, target)));
            let case = Case { span, compat, target };
            if judged.insert(&settings[number]) {
                findings.extend(
                    rules::check_target(&case).into_iter().map(|found| found.at_place(place.clone())),
                );
            }
            if !profile_only {
                findings.extend(rules::check_path(&case).map(|found| found.at_place(place.clone())));
            }
        }
        findings.extend(rules::check_same_paths(span).map(|found| found.at_place(place(None))));
    }
    findings
}

fn without_path(target: &Target) -> Target {
    Target { path: RawText::default(), ..target.clone() }
}
