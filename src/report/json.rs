//! The record as JSON: `docs/record.md` describes every field.

use crate::results::{Record, RecordFormat};
use serde::Deserialize;
use serde_json::error::Category;

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

/// A record as one line of JSON.
pub fn write(record: &Record) -> Vec<u8> {
    let mut out = Vec::new();
    // Can't fail: memory takes everything, and a record has neither floats nor maps, all that JSON could refuse.
    let _ = serde_json::to_writer(&mut out, record);
    out.push(b'\n');
    out
}

/// Reads a record back. What is returned has passed [`Record::check`].
pub fn read(bytes: &[u8]) -> Result<Record, RecordError> {
    check_format(bytes)?;
    let record: Record = serde_json::from_slice(bytes).map_err(explain)?;
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
        _ => explain(error),
    })?;
    match head.format {
        Name { name, .. } if name != RecordFormat::NAME => Err(RecordError::NotARecord),
        Name { version, .. } if version > u64::from(RecordFormat::VERSION) => {
            Err(RecordError::NewerVersion { found: version })
        }
        _ => Ok(()),
    }
}

fn explain(error: serde_json::Error) -> RecordError {
    let (line, column) = (error.line(), error.column());
    // The error's own text ends with the position.
    let text = error.to_string();
    let what = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text).to_owned();
    match error.classify() {
        Category::Eof => RecordError::Truncated { line, column },
        Category::Data => RecordError::Field { line, column, what },
        Category::Syntax | Category::Io => RecordError::NotJson { line, column, what },
    }
}
