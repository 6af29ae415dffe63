//! One thing that whoever reads the figures should know.

use super::SpanView;
use crate::profile::RawText;
use serde::Serialize;

/// How much a finding takes away from the figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know; the figures are what they seem to be.
    Note,
    /// The figures are true, but may not mean what the reader thinks.
    Warning,
    /// The figures are not what they seem to be: `--strict` fails.
    Wrong,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// Its name for programs, lower case with dashes: `throughput-limit`. Never changes its meaning.
    pub name: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The time span it is about, from 1; `None` = the whole run.
    pub time_span: Option<usize>,
    /// The target it is about, as the user gave it; `None` = all of them.
    pub target: Option<RawText>,
    /// What is the matter, in one plain sentence without a full stop.
    pub message: String,
    /// The figures and facts that show it, one each.
    pub evidence: Vec<String>,
    /// What to do about it, without a full stop; `None` = nothing.
    pub remedy: Option<String>,
    /// For JSON and `diskspd doctor` alone: not worth a line after every run.
    #[serde(skip)]
    pub quiet: bool,
}

impl Finding {
    /// A finding about a time span.
    pub fn new(name: &'static str, severity: Severity, span: &SpanView, message: String) -> Finding {
        Finding { time_span: Some(span.number), ..Finding::of_machine(name, severity, message) }
    }

    /// A finding about the machine, whatever runs on it.
    pub fn of_machine(name: &'static str, severity: Severity, message: String) -> Finding {
        let (time_span, target, remedy) = (None, None, None);
        Finding { name, severity, time_span, target, message, evidence: Vec::new(), remedy, quiet: false }
    }

    /// It is not worth a line after every run.
    pub fn quietly(self) -> Finding {
        Finding { quiet: true, ..self }
    }

    /// It is about this target.
    pub fn on(self, target: &RawText) -> Finding {
        Finding { target: Some(target.clone()), ..self }
    }

    /// This shows it.
    pub fn shown_by(mut self, evidence: String) -> Finding {
        self.evidence.push(evidence);
        self
    }

    /// This helps.
    pub fn remedy(self, remedy: impl Into<String>) -> Finding {
        Finding { remedy: Some(remedy.into()), ..self }
    }
}
