//! The formats of results that other programs wrote: which one a file has, by its content, and how it is
//! read. A record of this program is none of them (`json`).

use super::decode::decoded;
use super::{fio, result_text, result_xml};
use diskspd_model::profile::xml::error::XmlError;
use diskspd_model::results::KnownRun;
use std::fmt;

/// A format of results.
pub struct ResultFormat {
    /// What people call it.
    pub name: &'static str,
    /// What a list of runs calls it, and the history: one word.
    pub word: &'static str,
    /// Largest file that is read, bytes.
    pub max_bytes: u64,
    /// Whether a text that begins so is of this format.
    is_it: fn(&str) -> bool,
    /// Reads all runs of a file. With one it has this name; with several each has its number behind it:
    /// `name#2`.
    pub read: fn(&[u8], &str) -> Result<Vec<KnownRun>, ResultError>,
    /// The runs of a file, each as bytes that can be read alone, in the order of `read`.
    pub parts: fn(&[u8]) -> Vec<Vec<u8>>,
}

/// All formats; what a file holds is decided by the first that knows it.
pub const FORMATS: [ResultFormat; 3] = [
    ResultFormat {
        name: "fio's JSON",
        word: "fio",
        max_bytes: fio::MAX_BYTES,
        is_it: fio::begins_so,
        read: fio::read,
        parts: fio::parts,
    },
    ResultFormat {
        name: "result XML",
        word: "xml",
        max_bytes: result_xml::MAX_BYTES,
        is_it: result_xml::begins_so,
        read: |bytes, name| result_xml::read(bytes, name).map_err(ResultError::Xml),
        parts: result_xml::parts,
    },
    ResultFormat {
        name: "a text report",
        word: "text",
        max_bytes: result_text::MAX_BYTES,
        is_it: result_text::begins_so,
        read: result_text::read,
        parts: result_text::parts,
    },
];

/// The format of a file that begins so; `None` = none of these.
pub fn of_beginning(bytes: &[u8]) -> Option<&'static ResultFormat> {
    let text = decoded(bytes);
    let text = text.trim_start_matches(['\u{feff}', '\0']).trim_start();
    // A record of this program says so at once; whatever its texts hold, it is nothing else.
    let own = text.get(..200.min(text.len())).unwrap_or(text);
    if own.starts_with('{') && own.contains("\"diskspd-record\"") {
        return None;
    }
    FORMATS.iter().find(|format| (format.is_it)(text))
}

/// That which lists and the history call by this word.
pub fn of_word(word: &str) -> Option<&'static ResultFormat> {
    FORMATS.iter().find(|format| format.word == word)
}

/// Results that can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResultError {
    /// Of result XML.
    #[error(transparent)]
    Xml(XmlError),
    /// Of a text, by its line.
    #[error(transparent)]
    Text(#[from] LineFault),
}

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineFault {
    /// Counted from 1; `None` = the text as a whole.
    pub line: Option<usize>,
    /// What is wrong.
    pub what: String,
    /// Likely cause and what to do.
    pub hint: Option<&'static str>,
}

impl LineFault {
    /// What is wrong in a line.
    pub fn at(line: usize, what: impl Into<String>) -> LineFault {
        LineFault { line: Some(line), what: what.into(), hint: None }
    }

    /// What is wrong with all of it.
    pub fn of_all(what: impl Into<String>) -> LineFault {
        LineFault { line: None, what: what.into(), hint: None }
    }

    /// The same, with its likely cause and what to do.
    pub fn hint(self, hint: &'static str) -> LineFault {
        LineFault { hint: Some(hint), ..self }
    }
}

impl std::error::Error for LineFault {}

impl fmt::Display for LineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.what)?;
        match self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

/// Gives the runs of a file their names: one alone that of the file, of several each its number.
pub(super) fn named(mut runs: Vec<KnownRun>, name: &str) -> Vec<KnownRun> {
    let several = runs.len() > 1;
    for (run, number) in runs.iter_mut().zip(1..) {
        run.name = if several { format!("{name}#{number}") } else { name.to_owned() };
    }
    runs
}
