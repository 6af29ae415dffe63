//! Reading of JSON by all readers of files and messages. An error states whether the text is JSON at all. If
//! it is, the error names the path of the value that does not fit, such as `hosts[0].results`.

use crate::limits::EmptyInput;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;
use std::fmt::Write;

/// The text is not JSON, or its values do not match the reader.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    #[error("line {line}, column {column}: this is not JSON ({what})")]
    NotJson {
        /// Counted from 1.
        line: usize,
        column: usize,
        what: String,
    },
    #[error("line {line}, column {column}: the text ends too early; it was probably truncated")]
    Truncated {
        /// Counted from 1.
        line: usize,
        column: usize,
    },
    #[error("line {line}, column {column}: {shape}")]
    Shape {
        /// Counted from 1.
        line: usize,
        column: usize,
        shape: ShapeError,
    },
    #[error(transparent)]
    Empty(#[from] EmptyInput),
    #[error("cannot be read: {0}")]
    Unreadable(String),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {what}", if .path.is_empty() { "the document" } else { .path })]
pub struct ShapeError {
    /// Keys and indexes from the root, as `hosts[0].results`; empty = the document itself.
    pub path: String,
    pub what: String,
}

impl JsonError {
    /// Moves the error to its line in a file, in which the text begins after `lines` lines.
    pub fn moved_by(mut self, lines: usize) -> JsonError {
        match &mut self {
            JsonError::NotJson { line, .. }
            | JsonError::Truncated { line, .. }
            | JsonError::Shape { line, .. } => *line += lines,
            JsonError::Empty(_) | JsonError::Unreadable(_) => {}
        }
        self
    }

    pub fn explain(text: &[u8], error: &serde_json::Error) -> JsonError {
        let (line, column, what) = (error.line(), error.column(), message(error));
        match error.classify() {
            Category::Eof if (line, column) == (1, 0) => JsonError::Empty(EmptyInput::Blank),
            Category::Eof => JsonError::Truncated { line, column },
            Category::Io => JsonError::Unreadable(what),
            Category::Data => JsonError::Shape { line, column, shape: ShapeError::find(text, error, what) },
            // The parser of a list or a number with a given size reports these errors for good JSON, too.
            Category::Syntax => match check_syntax(text) {
                Ok(()) => JsonError::Shape { line, column, shape: ShapeError::find(text, error, what) },
                Err(Some(error)) if error.is_eof() || is_cut_number(text, &error) => {
                    JsonError::Truncated { line: error.line(), column: error.column() }
                }
                Err(Some(error)) => {
                    JsonError::NotJson { line: error.line(), column: error.column(), what: message(&error) }
                }
                Err(None) => JsonError::NotJson { line, column, what },
            },
        }
    }
}

pub fn read_json<T: DeserializeOwned>(text: &[u8]) -> Result<T, JsonError> {
    serde_json::from_slice(text).map_err(|error| JsonError::explain(text, &error))
}

/// Returns the message of an error without its location.
fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// Checks that a text is JSON, regardless of its values. `Err(None)` = invalid UTF-8.
fn check_syntax(text: &[u8]) -> Result<(), Option<serde_json::Error>> {
    serde_json::from_slice::<IgnoredAny>(text).map_err(Some)?;
    std::str::from_utf8(text).map(drop).map_err(|_| None)
}

/// Whether a text is truncated within a number, for example after its decimal point.
fn is_cut_number(text: &[u8], error: &serde_json::Error) -> bool {
    message(error) == "invalid number" && text[place_of(text, error)..].trim_ascii().is_empty()
}

/// Returns the byte position of an error.
fn place_of(text: &[u8], error: &serde_json::Error) -> usize {
    let before = text.split_inclusive(|byte| *byte == b'\n').take(error.line().saturating_sub(1));
    (before.map(<[u8]>::len).sum::<usize>() + error.column()).min(text.len())
}

/// The parser's message for a list with more values than expected, and for text after a document.
const MORE_VALUES: &str = "trailing characters";

/// Open object or list of a document.
enum Open {
    /// Object with the text of its last key, if one was read.
    Object(Option<String>),
    /// List with the index of its last value.
    List(usize),
}

impl ShapeError {
    fn find(text: &[u8], error: &serde_json::Error, what: String) -> ShapeError {
        // The parser stops at the first byte of the value that is one too many.
        let is_long = what == MORE_VALUES;
        let place = place_of(text, error) - usize::from(is_long);
        let mut open = open_values(&text[..place]);
        let what = match open.pop_if(|last| is_long && matches!(last, Open::List(_))) {
            Some(Open::List(size)) => format!("expected a list of {size}, found more values"),
            _ => what,
        };
        ShapeError { path: path_text(&open), what }
    }
}

/// Returns the objects and lists that are open after the beginning of a document.
fn open_values(beginning: &[u8]) -> Vec<Open> {
    let mut open = Vec::new();
    let mut rest = beginning;
    let mut last_text = String::new();
    while let [byte, after @ ..] = rest {
        rest = after;
        match (byte, open.last_mut()) {
            (b'"', _) => {
                let length = text_length(after);
                last_text = String::from_utf8_lossy(&after[..length]).into_owned();
                rest = after.get(length + 1..).unwrap_or_default();
            }
            (b':', Some(Open::Object(key))) => *key = Some(std::mem::take(&mut last_text)),
            (b',', Some(Open::Object(key))) => *key = None,
            (b',', Some(Open::List(index))) => *index += 1,
            (b'{', _) => open.push(Open::Object(None)),
            (b'[', _) => open.push(Open::List(0)),
            (b'}' | b']', _) => drop(open.pop()),
            _ => {}
        }
    }
    open
}

/// Returns the number of bytes before the closing quote of a text.
fn text_length(text: &[u8]) -> usize {
    let mut is_escaped = false;
    let ends = |byte: &u8| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    };
    text.iter().position(ends).unwrap_or(text.len())
}

fn path_text(open: &[Open]) -> String {
    let mut path = String::new();
    for value in open {
        let written = match value {
            Open::Object(None) => Ok(()),
            Open::Object(Some(key)) if path.is_empty() => write!(path, "{key}"),
            Open::Object(Some(key)) => write!(path, ".{key}"),
            Open::List(index) => write!(path, "[{index}]"),
        };
        debug_assert!(written.is_ok());
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Document {
        rows: Vec<Row>,
    }

    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Row {
        pair: (u32, u32),
        #[serde(default)]
        name: String,
    }

    fn path_of(text: &str) -> (String, String) {
        match read_json::<Document>(text.as_bytes()) {
            Err(JsonError::Shape { shape, .. }) => (shape.path, shape.what),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn wrong_shape_names_path_and_expectation() {
        let row =
            |pair: &str| format!("{{\"rows\": [{{\"pair\": [1, 2], \"name\": \"a\\\"]\"}},\n {{{pair}}}]}}");
        let pair = "rows[1].pair";
        for (values, path, what) in [
            ("\"pair\": [1, 2, 3]", pair, "expected a list of 2"),
            ("\"pair\": [1, 2, 3, 4]", pair, "expected a list of 2"),
            ("\"pair\": [1, 2, [3]], \"name\": \"b\"", pair, "expected a list of 2"),
            ("\"pair\": [1]", pair, "invalid length 1"),
            ("\"pair\": []", pair, "invalid length 0"),
            ("\"pair\": [1, \"2\"]", "rows[1].pair[1]", "expected u32"),
            ("\"pair\": [1, -2]", "rows[1].pair[1]", "expected u32"),
            ("\"pair\": 5", pair, "invalid type: integer"),
            ("\"pair\": {}", pair, "invalid type: map"),
            ("\"pair\": [1, 2], \"name\": [\"b\"]", "rows[1].name", "expected a string"),
            ("\"name\": \"b\"", "rows[1]", "missing field `pair`"),
            ("\"pair\": [1, 1e999]", "rows[1].pair[1]", "number out of range"),
        ] {
            let (found, told) = path_of(&row(values));
            assert_eq!(found, path, "{values}: {told}");
            assert!(told.contains(what), "{values}: {told}");
        }
        assert_eq!(path_of("[[{\"pair\": [1, 2]}], 7]").0, "");
        assert_eq!(path_of("{\"rows\": {}}").0, "rows");
        assert_eq!(path_of("7").0, "");
    }

    #[test]
    fn invalid_json_is_not_a_shape_error() {
        let error = |text: &[u8]| read_json::<Document>(text).unwrap_err();
        let is_broken = |text: &str| matches!(error(text.as_bytes()), JsonError::NotJson { .. });
        assert!(is_broken("{\"rows\": []} x"));
        assert!(is_broken("{\"rows\": [{\"pair\": [1, 2, 3]}}"), "the first error alone would be of a shape");
        assert!(is_broken("{\"rows\": [}"));
        assert!(is_broken("rows: 1"));
        assert!(matches!(
            error(b"{\"rows\": [{\"pair\": [1, 2], \"name\": \"\xff\"}]}"),
            JsonError::NotJson { .. }
        ));
        for cut in ["{\"rows\": [{\"pair\": [1, 2", "{\"rows\": [{\"pair\": [1, 2.", "{"] {
            assert!(matches!(error(cut.as_bytes()), JsonError::Truncated { .. }), "{cut}");
        }
        assert_eq!(error(b""), JsonError::Empty(EmptyInput::Blank));
    }
}
