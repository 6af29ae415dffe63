//! Rules that relate several settings of a profile, however it was stated. The rules are in DISKSPD's
//! validation order; what depends on the machine (CPUs, sizes of targets) is the plan's to judge.

mod distribution;
mod method;
mod rules;
#[cfg(test)]
mod tests;

pub use method::method;

use crate::profile::{Profile, RawText, Target, TimeSpan};
use std::collections::HashSet;
use std::fmt;

/// Whether a finding forbids the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The profile can't be run.
    Error,
    /// The profile can be run, but hardly does what was meant.
    Warning,
}

/// One broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whether it forbids the run.
    pub severity: Severity,
    /// Name of the rule: `V` and `D` errors, `W` warnings, `G` what DISKSPD accepts and then can't run.
    pub rule: &'static str,
    /// What is wrong and what to do, for the user.
    pub message: String,
    /// Where in the profile; `None` where it holds for all of it (one time span whose targets share their
    /// settings).
    pub place: Option<Place>,
}

/// A place in a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Number of the time span, 1-based.
    pub time_span: usize,
    /// Number of the target in the time span, 1-based, and its path; `None` = the time span itself.
    pub target: Option<(usize, RawText)>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.severity {
            Severity::Error => "ERROR: ",
            Severity::Warning => "WARNING: ",
        })?;
        if let Some(place) = &self.place {
            write!(f, "time span {}", place.time_span)?;
            if let Some((number, path)) = &place.target {
                write!(f, ", target {number} '{path}'")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

/// One target in its time span: what most rules look at.
struct Case<'a> {
    span: &'a TimeSpan,
    target: &'a Target,
}

/// Judges all targets of all time spans by all rules; a profile with an error must not be run.
/// With `profile_only` (`-Rp`) template targets may stay unfilled. The profile is not changed.
///
/// Targets of a time span that differ in nothing but their path are judged once, so that a command line,
/// whose targets share all settings, gets each message once.
pub fn validate(profile: &Profile, profile_only: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    if profile.time_spans.is_empty() {
        findings.push(Finding {
            severity: Severity::Error,
            rule: "V0",
            message: "the profile has no time span: there is nothing to run".to_owned(),
            place: None,
        });
    }
    for (index, span) in profile.time_spans.iter().enumerate() {
        let settings: Vec<Target> = span.targets.iter().map(without_path).collect();
        let uniform = profile.time_spans.len() == 1 && settings.windows(2).all(|pair| pair[0] == pair[1]);
        let place = |target| (!uniform).then_some(Place { time_span: index + 1, target });

        findings.extend(rules::check_span(span).into_iter().map(|found| found.at(place(None))));
        let mut judged = HashSet::new();
        for (number, target) in span.targets.iter().enumerate() {
            let place = place(Some((number + 1, target.path.clone())));
            let case = Case { span, target };
            if judged.insert(&settings[number]) {
                findings.extend(rules::check_target(&case).into_iter().map(|found| found.at(place.clone())));
            }
            if !profile_only {
                findings.extend(rules::check_path(&case).map(|found| found.at(place.clone())));
            }
        }
    }
    findings
}

fn without_path(target: &Target) -> Target {
    Target { path: RawText::default(), ..target.clone() }
}

impl Finding {
    fn at(self, place: Option<Place>) -> Finding {
        Finding { place, ..self }
    }
}
