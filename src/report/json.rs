//! The record as JSON: `docs/record.md` describes every field.

use crate::profile::Profile;
use crate::results::{Record, RecordFormat, Results, Summary, summarize};
use crate::system::System;
use crate::truth::{Judgement, judge};
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use std::io::{self, Write};

/// Why bytes are not a record that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// Not JSON at all.
    #[error(
        "line {line}, column {column}: {what}; this is not JSON, and records are (text and XML reports can't be read back)"
    )]
    NotJson {
        /// From 1.
        line: usize,
        /// From 1; 0 = before the first character.
        column: usize,
        /// What is wrong there.
        what: String,
    },
    /// Ends in the middle.
    #[error(
        "line {line}, column {column}: the record ends here unfinished; the file was probably cut off while it was written or copied"
    )]
    Truncated {
        /// From 1.
        line: usize,
        /// From 1; 0 = before the first character.
        column: usize,
    },
    /// JSON, but something else.
    #[error(
        "this is JSON, but not a record: \"format\": {{\"name\": \"{}\"}} is missing; write records with the format json",
        RecordFormat::NAME
    )]
    NotARecord,
    /// Of a later program.
    #[error(
        "the record has version {found} of the format, this program knows versions up to {}; read it with a newer program",
        RecordFormat::VERSION
    )]
    NewerVersion {
        /// Its version.
        found: u64,
    },
    /// A field is missing, or holds what it can't.
    #[error("line {line}, column {column}: {what}; the record was probably edited or damaged")]
    Field {
        /// From 1.
        line: usize,
        /// From 1; 0 = before the first character.
        column: usize,
        /// What is wrong there.
        what: String,
    },
    /// All fields are there, but they contradict each other.
    #[error("{what}; the record was probably edited or damaged")]
    Inconsistent {
        /// Which ones, and how.
        what: String,
    },
}

/// A record as it is stored, with the figures that follow from it: those are for other programs; reading ignores them.
#[derive(Serialize)]
struct Stored<'a> {
    format: &'a RecordFormat,
    profile: &'a Profile,
    system: &'a System,
    results: &'a Results,
    summary: &'a Summary,
    judgement: &'a Judgement,
}

/// Writes a record as one line of JSON.
///
/// # Errors
/// Those of `sink`.
pub fn write(record: &Record, sink: &mut dyn Write) -> io::Result<()> {
    let Record { format, profile, system, results } = record;
    let summary = &summarize(record);
    let judgement = &judge(record, summary);
    let mut buffered = io::BufWriter::new(sink);
    serde_json::to_writer(&mut buffered, &Stored { format, profile, system, results, summary, judgement })?;
    buffered.write_all(b"\n")?;
    buffered.flush()
}

/// A record as one line of JSON in memory.
pub fn bytes(record: &Record) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Can't fail: memory takes everything, and a record has no maps whose keys JSON could refuse.
    let _ = write(record, &mut bytes);
    bytes
}

/// Reads a record back. What is returned has passed [`Record::check`].
pub fn read(bytes: &[u8]) -> Result<Record, RecordError> {
    check_format(bytes)?;
    let record: Record = serde_json::from_slice(bytes).map_err(|error| explain(error, bytes))?;
    record.check().map_err(|what| RecordError::Inconsistent { what })?;
    Ok(record)
}

/// Name and version come first: whatever else differs in other JSON or in a newer record would only be a riddle.
fn check_format(bytes: &[u8]) -> Result<(), RecordError> {
    #[derive(Deserialize)]
    struct Head {
        format: Name,
    }
    #[derive(Deserialize)]
    struct Name {
        name: String,
        version: u64,
    }
    let head: Head = serde_json::from_slice(bytes).map_err(|error| match error.classify() {
        Category::Data => RecordError::NotARecord,
        _ => explain(error, bytes),
    })?;
    match head.format {
        Name { name, .. } if name != RecordFormat::NAME => Err(RecordError::NotARecord),
        Name { version, .. } if version > u64::from(RecordFormat::VERSION) => {
            Err(RecordError::NewerVersion { found: version })
        }
        _ => Ok(()),
    }
}

fn explain(error: serde_json::Error, bytes: &[u8]) -> RecordError {
    let (line, column) = (error.line(), error.column());
    // The error's own text ends with the position.
    let text = error.to_string();
    let what = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text).to_owned();
    match error.classify() {
        // A number that ends behind its point is no number, and it's the end all the same.
        Category::Syntax if what == "invalid number" && is_end(bytes, line, column) => {
            RecordError::Truncated { line, column }
        }
        Category::Eof => RecordError::Truncated { line, column },
        Category::Data => RecordError::Field { line, column, what },
        Category::Syntax | Category::Io => RecordError::NotJson { line, column, what },
    }
}

/// Whether a position, both from 1, is that of the last byte.
fn is_end(bytes: &[u8], line: usize, column: usize) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    lines.nth(line.saturating_sub(1)).is_some_and(|last| last.len() <= column) && lines.next().is_none()
}
