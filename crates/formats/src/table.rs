//! The formats of results: of other programs, and the answers of this one (repetitions, sweeps, comparisons).
//! The content of a file decides which one it has. Records of this program are not among them (`json`).

use super::decode::decoded;
use super::error::{LineError, ResultError};
use super::{answers, fio, result_text, result_xml};
use diskspd_base::limits::{self, InputLimit};
use diskspd_experiments::compare::RunComparison;
use diskspd_experiments::repetition::Repetition;
use diskspd_experiments::sweep::SweepResult;
use diskspd_results::RunSummary;

pub struct InputFormat {
    pub name: &'static str,
    /// Name in lists of runs and the history: one word.
    pub word: &'static str,
    pub limit: InputLimit,
    /// Whether the beginning of a text identifies this format.
    is_it: fn(&str) -> bool,
    /// Reads all runs of a file. A single run has the file's name; several runs have a number after it:
    /// `name#2`.
    pub read: fn(&[u8], &str) -> Result<Vec<RunSummary>, ResultError>,
    /// The runs of a file, each as bytes that can be read alone, in the order of `read`.
    pub parts: fn(&[u8]) -> Vec<Vec<u8>>,
}

/// All formats; the first match determines the format of a file.
pub const FORMATS: [InputFormat; 6] = [
    InputFormat {
        name: "a repetition",
        word: "repetition",
        limit: limits::ANSWER,
        is_it: answers::begins_so::<Repetition>,
        read: |bytes, name| Ok(answers::read::<Repetition>(bytes)?.summaries(name)),
        // Its runs are in records.
        parts: |_| Vec::new(),
    },
    InputFormat {
        name: "a sweep",
        word: "sweep",
        limit: limits::ANSWER,
        is_it: answers::begins_so::<SweepResult>,
        read: |bytes, name| Ok(answers::read::<SweepResult>(bytes)?.summaries(name)),
        parts: |_| Vec::new(),
    },
    InputFormat {
        name: "a comparison",
        word: "comparison",
        limit: limits::ANSWER,
        is_it: answers::begins_so::<RunComparison>,
        read: |bytes, _| {
            answers::read::<RunComparison>(bytes)?;
            let alone = "report it alone: diskspd report FILE [--html PAGE]";
            Err(LineError::of_all("a comparison contains no runs").hint(alone).into())
        },
        parts: |_| Vec::new(),
    },
    InputFormat {
        name: "fio's JSON",
        word: "fio",
        limit: limits::FIO_RESULTS,
        is_it: fio::begins_so,
        read: fio::read,
        parts: fio::parts,
    },
    InputFormat {
        name: "result XML",
        word: "xml",
        limit: limits::RESULTS,
        is_it: result_xml::begins_so,
        read: |bytes, name| result_xml::read(bytes, name).map_err(ResultError::Xml),
        parts: result_xml::parts,
    },
    InputFormat {
        name: "a text report",
        word: "text",
        limit: limits::RESULTS,
        is_it: result_text::begins_so,
        read: result_text::read,
        parts: result_text::parts,
    },
];

/// Returns the format of a file with this beginning; `None` = unknown.
pub fn of_beginning(bytes: &[u8]) -> Option<&'static InputFormat> {
    let text = decoded(bytes);
    let text = text.trim_start_matches(['\u{feff}', '\0']).trim_start();
    // A record of this program is identified by its head, regardless of its texts.
    let own = text.get(..200.min(text.len())).unwrap_or(text);
    if own.starts_with('{') && own.contains("\"diskspd-record\"") {
        return None;
    }
    FORMATS.iter().find(|format| (format.is_it)(text))
}

pub fn of_word(word: &str) -> Option<&'static InputFormat> {
    FORMATS.iter().find(|format| format.word == word)
}
