//! A finding: the type for all messages to users, from the command line to the verdict, and their printed
//! form.

#![warn(missing_docs)]

pub mod known_names;
pub mod text_form;

use crate::path::RawText;
use diskspd_figures::units::mark::{Tone, VerdictMark};
use diskspd_figures::units::visible::line;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Information without influence on the figures.
    Note,
    /// Before a run: a setting is not as requested, or probably unintended. After it: the figures are
    /// correct, but may be misunderstood.
    Warning,
    /// The figures are misleading, and `--strict` fails.
    Wrong,
    /// An action is impossible, or has failed.
    Error,
}

impl Severity {
    /// Returns the word in records and XML results.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Wrong => "wrong",
            Severity::Error => "error",
        }
    }

    /// Returns the severity with this name; `None` if unknown.
    pub fn from_word(word: &str) -> Option<Severity> {
        [Severity::Note, Severity::Warning, Severity::Wrong, Severity::Error]
            .into_iter()
            .find(|severity| severity.word() == word)
    }

    /// Returns the displayed word, such as `WARNING`.
    pub fn capitals(self) -> &'static str {
        self.label().trim_end_matches(": ")
    }

    /// Returns the word with its sign and tone.
    pub fn mark(self) -> VerdictMark {
        let (tone, sign) = match self {
            Severity::Error | Severity::Wrong => (Tone::Wrong, "✕"),
            Severity::Warning => (Tone::Warning, "!"),
            Severity::Note => (Tone::Note, "i"),
        };
        VerdictMark::new(tone, sign, self.capitals())
    }

    /// Returns the label printed before a message, such as `WARNING: `.
    pub fn label(self) -> &'static str {
        match self {
            Severity::Note => "NOTE: ",
            Severity::Warning => "WARNING: ",
            Severity::Wrong => "WRONG: ",
            Severity::Error => "ERROR: ",
        }
    }
}

/// Time span and targets of a finding.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct FindingLocation {
    /// Time span, from 1; `None` = the whole run.
    pub time_span: Option<usize>,
    /// The number of the target in its time span, from 1, if the message does not name the target.
    #[serde(skip)]
    pub target_number: Option<usize>,
    /// Target as entered by the user; `None` = all targets.
    pub target: Option<RawText>,
}

impl fmt::Display for FindingLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(number) = self.time_span else { return Ok(()) };
        write!(f, "time span {number}")?;
        if let (Some(number), Some(path)) = (self.target_number, &self.target) {
            write!(f, ", target {number} '{path}'")?;
        }
        f.write_str(": ")
    }
}

/// One finding. A record's verdict and `doctor --json` list it as JSON; see [`text_form`] for the form of a
/// notice.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Finding {
    /// Stable name for programs: lower case with dashes (`throughput-limit`), or a profile rule (`V12`).
    /// Empty without a name.
    pub name: &'static str,
    /// Severity of the finding.
    pub severity: Severity,
    /// Time span and targets of the finding.
    #[serde(flatten)]
    pub place: FindingLocation,
    /// Message: one plain sentence without a full stop. A list may follow on separate lines.
    pub message: String,
    /// Figures and facts as evidence, one per entry.
    pub evidence: Vec<String>,
    /// Remedy without a full stop; `None` = none, or part of the message.
    pub remedy: Option<String>,
    /// Whether only JSON and `diskspd doctor` contain it, not the output of each run.
    #[serde(skip)]
    pub quiet: bool,
    /// Whether it answers the request, so that each run prints it regardless of severity.
    #[serde(skip)]
    pub answers: bool,
}

impl Finding {
    /// Creates a finding about a location.
    pub fn new(
        name: &'static str,
        severity: Severity,
        place: impl Into<FindingLocation>,
        message: impl Into<String>,
    ) -> Finding {
        let (place, message) = (place.into(), message.into());
        Finding {
            name,
            severity,
            place,
            message,
            evidence: Vec::new(),
            remedy: None,
            quiet: false,
            answers: false,
        }
    }

    /// Creates a finding about the whole run, or about the machine.
    pub fn of_machine(name: &'static str, severity: Severity, message: impl Into<String>) -> Finding {
        Finding::new(name, severity, FindingLocation::default(), message)
    }

    /// Creates an informational note without a name.
    pub fn note(message: impl Into<String>) -> Finding {
        Finding::of_machine("", Severity::Note, message)
    }

    /// Creates a warning without a name.
    pub fn warning(message: impl Into<String>) -> Finding {
        Finding::of_machine("", Severity::Warning, message)
    }

    /// Creates an error without a name: an impossible or failed action.
    pub fn error(message: impl Into<String>) -> Finding {
        Finding::of_machine("", Severity::Error, message)
    }

    /// Restricts the finding to JSON and `diskspd doctor`.
    pub fn quietly(self) -> Finding {
        Finding { quiet: true, ..self }
    }

    /// Marks the finding as part of the answer, which is always printed.
    pub fn as_answer(self) -> Finding {
        Finding { answers: true, ..self }
    }

    /// Sets the location.
    pub fn at_place(self, place: FindingLocation) -> Finding {
        Finding { place, ..self }
    }

    /// Sets the time span, from 1; `None` = the whole run.
    pub fn in_time_span(mut self, number: Option<usize>) -> Finding {
        self.place.time_span = number;
        self
    }

    /// Sets the target.
    pub fn on_target(mut self, target: &RawText) -> Finding {
        self.place.target = Some(target.clone());
        self
    }

    /// Adds evidence.
    pub fn shown_by(mut self, evidence: String) -> Finding {
        self.evidence.push(evidence);
        self
    }

    /// Sets the remedy.
    pub fn remedy(self, remedy: impl Into<String>) -> Finding {
        Finding { remedy: Some(remedy.into()), ..self }
    }

    /// Returns the parts to print.
    pub fn printed(&self) -> Printed<'_> {
        Printed {
            label: self.severity.label(),
            place: Some(&self.place),
            message: &self.message,
            evidence: &self.evidence,
            remedy: self.remedy.as_deref(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.printed().fmt(f)
    }
}

/// A message for people, with what shows it and what to do, in lines; the last one has no line feed.
///
/// ```text
/// WARNING: time span 2: not steady: still falling when it ended: from 9000 to 4000 IOPS
///          60 intervals of 1.000 s vary by 21.0 %, the five parts of the run by 60.1 %, slope -73.2 %
///          -> warm up for longer than this run took: --until-steady finds out how long
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Printed<'a> {
    /// In front of the first line, with a colon and a space; the others are indented by its length.
    pub label: &'a str,
    /// Location of the finding; `None` = obvious.
    pub place: Option<&'a FindingLocation>,
    /// One sentence with the quantity.
    pub message: &'a str,
    /// Measured values, one per line.
    pub evidence: &'a [String],
    /// Remedy.
    pub remedy: Option<&'a str>,
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label)?;
        if let Some(place) = self.place {
            place.fmt(f)?;
        }
        f.write_str(self.message)?;
        let indent = self.label.len();
        for evidence in self.evidence {
            write!(f, "\n{:indent$}{}", "", line(evidence))?;
        }
        match self.remedy {
            Some(remedy) => write!(f, "\n{:indent$}-> {}", "", line(remedy)),
            None => Ok(()),
        }
    }
}
