//! Options that cannot be converted, and differences of the conversion, each with its place in the file.

use std::fmt;
use std::io;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobLocation {
    pub file: String,
    /// Line in the file, from 1; 0 = no specific line.
    pub line: usize,
    /// Section; empty = none.
    pub section: String,
    /// Whether messages may quote the file: not if another file names it, because it may be any file.
    pub is_secret: bool,
}

impl fmt::Display for JobLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        match self.section.is_empty() {
            true => Ok(()),
            false => write!(f, ": [{}]", self.section),
        }
    }
}

/// Reason against the conversion of a job file, with its remedy.
#[derive(Debug, thiserror::Error)]
#[error("{}", format_problem(place, problem, remedy.as_deref()))]
pub struct ConversionError {
    pub place: JobLocation,
    #[source]
    pub problem: ConversionErrorKind,
    /// Remedy; `None` = part of the problem.
    pub remedy: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum ConversionErrorKind {
    #[error("{0}")]
    Syntax(String),
    /// An included file cannot be read.
    #[error("include {name}: the file cannot be read: {error}")]
    Include {
        name: String,
        #[source]
        error: io::Error,
    },
    /// A job file of a command line cannot be read.
    #[error("cannot read the job file {name}: {error}")]
    JobFile {
        name: String,
        #[source]
        error: io::Error,
    },
    /// A variable of the environment has no value.
    #[error("${{{0}}}: this variable is not set")]
    Variable(String),
    /// The option is unknown.
    #[error("{0}: fio's option is unknown here")]
    Unknown(String),
    /// The value of the option is invalid.
    #[error("{setting}: {what}")]
    Value {
        /// Option with its value as given.
        setting: String,
        what: String,
    },
    /// The option is known, but has no equivalent.
    #[error("{setting}: {reason}")]
    Refused {
        /// Option with its value, if it has one.
        setting: String,
        reason: String,
    },
}

/// Formats an error.
fn format_problem(place: &JobLocation, problem: &ConversionErrorKind, remedy: Option<&str>) -> String {
    match (place.is_secret, remedy) {
        (true, _) => format!("{place}: {}", problem.unquoted_text()),
        (false, None) => format!("{place}: {problem}"),
        (false, Some(remedy)) => format!("{place}: {problem}; {remedy}"),
    }
}

impl ConversionErrorKind {
    /// Returns the problem without text of the file.
    fn unquoted_text(&self) -> String {
        match self {
            ConversionErrorKind::Syntax(what) => what.clone(),
            ConversionErrorKind::Include { error, .. } => format!("include: cannot read the file: {error}"),
            ConversionErrorKind::JobFile { error, .. } => format!("cannot read a job file: {error}"),
            ConversionErrorKind::Variable(_) => "a variable in this line is not set".to_owned(),
            ConversionErrorKind::Unknown(_) => "fio's option in this line is unknown here".to_owned(),
            ConversionErrorKind::Value { .. } => "the option in this line does not take its value".to_owned(),
            ConversionErrorKind::Refused { .. } => {
                "the option in this line, or its value, has no equivalent here".to_owned()
            }
        }
    }
}

impl ConversionError {
    pub(super) fn syntax(place: &JobLocation, what: impl Into<String>) -> ConversionError {
        ConversionError {
            place: place.clone(),
            problem: ConversionErrorKind::Syntax(what.into()),
            remedy: None,
        }
    }

    /// Refuses an option without an equivalent.
    pub(super) fn refuse_option(
        place: &JobLocation,
        setting: impl Into<String>,
        reason: impl Into<String>,
    ) -> ConversionError {
        let problem = ConversionErrorKind::Refused { setting: setting.into(), reason: reason.into() };
        ConversionError { place: place.clone(), problem, remedy: None }
    }

    pub(super) fn hint(self, remedy: impl Into<String>) -> ConversionError {
        ConversionError { remedy: Some(remedy.into()), ..self }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversionNote {
    /// Affected option of fio.
    pub option: String,
    pub what: String,
    /// Affected jobs in order.
    pub jobs: Vec<String>,
}

impl fmt::Display for ConversionNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fio's {} ({}): {}", self.option, self.jobs.join(", "), self.what)
    }
}

/// Notes of all jobs without duplicates.
#[derive(Debug, Default)]
pub(super) struct Notes(pub(super) Vec<ConversionNote>);

impl Notes {
    pub(super) fn add_note(&mut self, job: &str, option: &str, what: impl Into<String>) {
        let what = what.into();
        match self.0.iter_mut().find(|note| note.option == option && note.what == what) {
            None => {
                self.0.push(ConversionNote { option: option.to_owned(), what, jobs: vec![job.to_owned()] })
            }
            Some(note) if note.jobs.iter().any(|known| known == job) => {}
            Some(note) => note.jobs.push(job.to_owned()),
        }
    }
}
