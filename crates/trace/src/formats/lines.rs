//! TraceLines of a file, one at a time.

use super::TraceError;
use super::fault::TraceErrorKind;
use std::io::{BufRead, Read};
use std::sync::Arc;

/// Maximum bytes of a line; a longer line is not part of a trace, and is not read to its end.
const MAX_LINE_BYTES: u64 = 8192;

/// Reader of lines into one buffer.
pub(super) struct TraceLines<R> {
    input: R,
    bytes: Vec<u8>,
    text: String,
    number: u64,
}

/// Line without its line feed.
pub(super) struct LineText<'a> {
    /// Counted from 1.
    pub number: u64,
    pub text: &'a str,
}

impl<R: BufRead> TraceLines<R> {
    pub(super) fn new(input: R) -> TraceLines<R> {
        TraceLines { input, bytes: Vec::new(), text: String::new(), number: 0 }
    }

    /// Returns the number of the last line, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn next(&mut self) -> Result<Option<LineText<'_>>, TraceError> {
        self.bytes.clear();
        self.number += 1;
        let line = Some(self.number);
        let read = self.input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut self.bytes);
        let length =
            read.map_err(|error| TraceError { line, fault: TraceErrorKind::NotRead(Arc::new(error)) })?;
        if length == 0 {
            return Ok(None);
        }
        if self.bytes.pop_if(|last| *last == b'\n').is_none() && length as u64 == MAX_LINE_BYTES {
            return Err(TraceError { line, fault: TraceErrorKind::LongLine(MAX_LINE_BYTES) });
        }
        self.bytes.pop_if(|last| *last == b'\r');
        let marked = if self.number == 1 { self.bytes.strip_prefix(b"\xef\xbb\xbf") } else { None };
        self.text.clear();
        self.text.push_str(&String::from_utf8_lossy(marked.unwrap_or(&self.bytes)));
        Ok(Some(LineText { number: self.number, text: &self.text }))
    }
}

/// Whether a line is a comment of its author.
pub(super) fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#')
}
