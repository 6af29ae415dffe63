//! The record as JSON: `docs/reference/record-fields.md` describes every field.
//!
//! Reading works line by line (`lines`). A document with another layout is read as a whole, which yields line
//! and column of an error.

mod lines;

use super::index::Index;
use super::short::ShortSummary;
use diskspd_base::fio_log;
use diskspd_base::json_reader::{JsonError, ShapeError};
use diskspd_base::limits::{self, EmptyInput};
use diskspd_checks::{JudgedRecord, Judgement};
use diskspd_profile::{Profile, RunOptions};
use diskspd_results::{
    Host, JudgedProgram, MergedHosts, Preconditioning, Record, RecordFormat, RecordMismatchError, Summary,
};
use lines::LineFormatter;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::error::Category;
use std::fmt;
use std::io::{self, BufRead, Read, Seek, Write};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error(
        "this is not JSON (line {line}, column {column}: {what}): name a record (--out FILE.json); report \
         and compare also read text reports and result XML"
    )]
    NotJson {
        /// Counted from 1.
        line: usize,
        column: usize,
        what: String,
    },
    /// The file cannot be read.
    #[error("cannot be read: {what}")]
    Unreadable { what: String },
    #[error(transparent)]
    Empty(#[from] EmptyInput),
    #[error(
        "line {line}, column {column}: the record is incomplete; the file was probably truncated while it \
         was written or copied"
    )]
    Truncated {
        /// Counted from 1.
        line: usize,
        column: usize,
    },
    #[error(
        "this is JSON, but not a record: \"format\": {{\"name\": \"{}\"}} is missing; records are written by \
         --out FILE.json",
        RecordFormat::NAME
    )]
    NotARecord,
    #[error(
        "this is a log of fio, and only fio's result shows its meaning; name the result \
         (fio --output-format=json+ --output=FILE), which is read together with its logs"
    )]
    FioLog,
    /// Result XML, which has only figures.
    #[error("this is a report without the run's settings (text or XML); name the record (--out FILE.json)")]
    Results,
    #[error(
        "the record has format version {found}, this program reads versions up to {}; use a newer diskspd",
        RecordFormat::VERSION
    )]
    NewerVersion { found: u64 },
    #[error(
        "the record has format version {found}, which only programs before the first release wrote; run it \
         again"
    )]
    OlderVersion { found: u64 },
    #[error("line {line}, column {column}: {shape}; the record was probably edited or damaged")]
    Field {
        /// Counted from 1.
        line: usize,
        column: usize,
        shape: ShapeError,
    },
    /// The fields contradict each other.
    #[error("{what}; the record was probably edited or damaged")]
    Inconsistent {
        #[source]
        what: RecordMismatchError,
    },
}

impl From<JsonError> for RecordError {
    fn from(error: JsonError) -> RecordError {
        match error {
            JsonError::NotJson { line, column, what } => RecordError::NotJson { line, column, what },
            JsonError::Truncated { line, column } => RecordError::Truncated { line, column },
            JsonError::Shape { line, column, shape } => RecordError::Field { line, column, shape },
            JsonError::Empty(empty) => RecordError::Empty(empty),
            JsonError::Unreadable(what) => RecordError::Unreadable { what },
        }
    }
}

/// Stored form of a record, with derived figures for other programs, which the reader ignores.
#[derive(Serialize)]
struct StoredRecord<'a> {
    format: &'a RecordFormat,
    index: &'a Index,
    summary: ShortSummary,
    profile: &'a Profile,
    #[serde(rename = "method")]
    run_options: &'a Option<RunOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preconditioning: &'a Option<Preconditioning>,
    #[serde(skip_serializing_if = "Option::is_none")]
    program: &'a Option<Box<JudgedProgram>>,
    hosts: &'a [Host],
    #[serde(skip_serializing_if = "Option::is_none")]
    merged: &'a Option<Box<MergedHosts>>,
    figures: &'a Summary,
    judgement: &'a Judgement,
}

/// Writes a record as JSON, in lines (`lines`).
pub fn write(judged: &JudgedRecord, sink: &mut dyn Write) -> io::Result<()> {
    let JudgedRecord { record, summary: figures, judgement } = judged;
    let Record { format, profile, run_options, preconditioning, program, hosts, merged } = record;
    let mut buffered = io::BufWriter::new(sink);
    let index = &Index::from_record(judged);
    let summary = ShortSummary::new(index, figures);
    let stored = StoredRecord {
        format,
        index,
        profile,
        run_options,
        preconditioning,
        program,
        summary,
        hosts,
        merged,
        figures,
        judgement,
    };
    stored.serialize(&mut serde_json::Serializer::with_formatter(&mut buffered, LineFormatter::default()))?;
    buffered.write_all(b"\n")?;
    buffered.flush()
}

/// Like [`write()`], for a stored file: an unreadable record must not replace a file. The record is verified
/// with the reader before the first byte is written.
///
/// # Errors
/// Fails with the error of `sink`, or if the record is inconsistent or unreadable.
pub fn write_readable(judged: &JudgedRecord, sink: &mut dyn Write) -> io::Result<()> {
    judged.record.check().map_err(|what| {
        io::Error::other(format!("the record contradicts itself ({what}), and could not be read again"))
    })?;
    let mut text = Vec::new();
    write(judged, &mut text)?;
    read(&text).map_err(|why| {
        io::Error::other(format!(
            "the record could not be read again ({why}); this is a defect, please report it"
        ))
    })?;
    sink.write_all(&text)?;
    sink.flush()
}

pub fn bytes(record: &Record) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Can't fail: memory takes everything, and a record has no maps whose keys JSON could refuse.
    let _ = write(&JudgedRecord::new(record), &mut bytes);
    bytes
}

pub fn read(bytes: &[u8]) -> Result<Record, RecordError> {
    read_from(io::Cursor::new(bytes))
}

/// Like [`read`], from a file in parts, because a large record's text needs many times the memory of its
/// content.
pub fn read_from(mut source: impl BufRead + Seek) -> Result<Record, RecordError> {
    read_any(&mut source)
}

trait RecordSource: BufRead + Seek {}

impl<S: BufRead + Seek> RecordSource for S {}

fn read_any(mut source: &mut dyn RecordSource) -> Result<Record, RecordError> {
    check_format(source)?;
    let unreadable = |error: io::Error| RecordError::Unreadable { what: error.to_string() };
    source.rewind().map_err(unreadable)?;
    let record = match lines::record(&mut source) {
        Ok(record) => record,
        Err(_) => {
            source.rewind().map_err(unreadable)?;
            read_plainly(source)?
        }
    };
    let length = source.stream_position().map_err(unreadable)?;
    record.check_intervals(limits::intervals(length)).map_err(|what| RecordError::Inconsistent { what })?;
    record.check().map_err(|what| RecordError::Inconsistent { what })?;
    Ok(record)
}

/// Reads a record whole: one that is laid out otherwise, or a damaged one. Out of memory, as the lines of
/// others are read, because a second parser would be a twentieth of the program.
fn read_plainly(source: &mut dyn BufRead) -> Result<Record, RecordError> {
    let mut text = Vec::new();
    source.read_to_end(&mut text).map_err(|error| RecordError::Unreadable { what: error.to_string() })?;
    Ok(diskspd_base::json_reader::read_json(&text)?)
}

const MAX_INDEX_BYTES: u64 = 16 << 20;

/// Reads the index of a record from its first line. `Ok(None)` if there is no index.
///
/// # Errors
/// Fails if it is not a record, or the index is damaged.
pub fn read_index(mut source: impl Read) -> Result<Option<Index>, RecordError> {
    index(&mut source)
}

fn index(source: &mut dyn Read) -> Result<Option<Index>, RecordError> {
    let unreadable = |error: io::Error| RecordError::Unreadable { what: error.to_string() };
    let mut source = io::BufReader::new(source.take(MAX_INDEX_BYTES));
    let mut text = Vec::new();
    source.read_until(b'\n', &mut text).map_err(unreadable)?;
    let head = lines::head(&text).and_then(|head| serde_json::from_slice::<Head>(&head).ok());
    if let Some(Head { format, index }) = head
        && format.is_known()
    {
        return Ok(Some(index));
    }
    // Laid out otherwise, or damaged.
    source.read_to_end(&mut text).map_err(unreadable)?;
    let mut found = RecordHead::default();
    let mut parser = serde_json::Deserializer::from_slice(&text);
    // What follows is left unread, which the parser takes for an error.
    let read = parser.deserialize_any(WithIndex(&mut found));
    let is_damaged = |error: &serde_json::Error| {
        let known = found.format.as_ref().is_some_and(FormatName::is_known);
        known && found.index.is_none() && matches!(error.classify(), Category::Data | Category::Eof)
    };
    match read {
        Err(error) if is_damaged(&error) => Err(JsonError::explain(&text, &error).into()),
        read => interpret_format(found.format, read, || Ok(text)).map(|()| found.index),
    }
}

/// Checks name and version first, so that other JSON and newer records give clear errors. It reads only as
/// much as necessary.
fn check_format(mut source: &mut dyn RecordSource) -> Result<(), RecordError> {
    let mut format = None;
    let mut parser = serde_json::Deserializer::from_reader(&mut source);
    let read = parser.deserialize_any(FormatAlone(&mut format));
    interpret_format(format, read, || {
        source.rewind()?;
        let mut text = Vec::new();
        source.take(MAX_INDEX_BYTES).read_to_end(&mut text)?;
        Ok(text)
    })
}

/// Whether the start is a record of the current version. `beginning` returns the text up to an error.
fn interpret_format(
    format: Option<FormatName>,
    read: serde_json::Result<()>,
    beginning: impl FnOnce() -> io::Result<Vec<u8>>,
) -> Result<(), RecordError> {
    match (format, read) {
        (Some(FormatName { name, .. }), _) if name != RecordFormat::NAME => Err(RecordError::NotARecord),
        (Some(FormatName { version, .. }), _) if version > u64::from(RecordFormat::VERSION) => {
            Err(RecordError::NewerVersion { found: version })
        }
        (Some(FormatName { version, .. }), _) if version < u64::from(RecordFormat::VERSION) => {
            Err(RecordError::OlderVersion { found: version })
        }
        (Some(_), _) => Ok(()),
        (None, Err(error)) if !error.is_data() => {
            let unreadable = |error: io::Error| RecordError::Unreadable { what: error.to_string() };
            match JsonError::explain(&beginning().map_err(unreadable)?, &error) {
                JsonError::Shape { .. } => Err(RecordError::NotARecord),
                error => Err(error.into()),
            }
        }
        (None, _) if beginning().is_ok_and(|text| is_fio_log(&text)) => Err(RecordError::FioLog),
        (None, _) => Err(RecordError::NotARecord),
    }
}

/// Whether the first line belongs to a log of fio, whose first cell is valid JSON.
fn is_fio_log(text: &[u8]) -> bool {
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    str::from_utf8(line).is_ok_and(fio_log::is_log_line)
}

#[derive(Deserialize)]
struct FormatName {
    name: String,
    version: u64,
}

impl FormatName {
    fn is_known(&self) -> bool {
        self.name == RecordFormat::NAME && self.version == u64::from(RecordFormat::VERSION)
    }
}

/// First line of a record.
#[derive(Deserialize)]
struct Head {
    format: FormatName,
    index: Index,
}

#[derive(Default)]
struct RecordHead {
    format: Option<FormatName>,
    index: Option<Index>,
}

struct FormatAlone<'a>(&'a mut Option<FormatName>);

impl<'de> Visitor<'de> for FormatAlone<'_> {
    type Value = ();

    fn expecting(&self, text: &mut fmt::Formatter) -> fmt::Result {
        text.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(field) = fields.next_key::<String>()? {
            if field == "format" {
                *self.0 = Some(fields.next_value()?);
                return Ok(());
            }
            fields.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

struct WithIndex<'a>(&'a mut RecordHead);

impl<'de> Visitor<'de> for WithIndex<'_> {
    type Value = ();

    fn expecting(&self, text: &mut fmt::Formatter) -> fmt::Result {
        text.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        FormatAlone(&mut self.0.format).visit_map(&mut fields)?;
        if fields.next_key::<String>()?.as_deref() == Some("index") {
            self.0.index = Some(fields.next_value()?);
        }
        Ok(())
    }
}
