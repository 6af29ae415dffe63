//! Maximum sizes of files and messages from others: one table for all readers.
//!
//! A reader takes at most 32 MiB of memory and four times the size of the inflated text. No
//! number in a file decides how much memory or time the program spends. Lists are as long as the text that
//! holds them. Numbers of intervals, threads or bytes have bounds next to their readers.

use diskspd_figures::units;
use std::io::{self, Read};

/// Maximum size of a kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputLimit {
    /// Name of the kind in messages.
    pub what: &'static str,
    /// Bytes, without compression.
    pub bytes: u64,
}

/// A record that is compressed, or comes from a pipe. The largest that the program writes in practice has
/// 1,024 threads, each with two
/// histograms of 1,500 filled buckets (6 KiB each) and an hour of intervals (84 KiB): 96 MiB. A file that
/// is not compressed is read
/// line by line, and may be larger.
pub const RECORD: InputLimit = InputLimit { what: "a record", bytes: 256 << 20 };
/// Results of DISKSPD in XML or text: the figures of a record, with a table per thread.
pub const RESULTS: InputLimit = InputLimit { what: "results of DISKSPD", bytes: 256 << 20 };
/// Results of fio, or one of its log files.
pub const FIO_RESULTS: InputLimit = InputLimit { what: "results of fio", bytes: 64 << 20 };
/// Result of `--repeat`: 10,000 runs with 6 KiB each.
pub const ANSWER: InputLimit = InputLimit { what: "a repetition, sweep or comparison", bytes: 64 << 20 };
/// XML profile with 65,536 targets.
pub const PROFILE: InputLimit = InputLimit { what: "a profile", bytes: 16 << 20 };
pub const FIO_JOBS: InputLimit = InputLimit { what: "a job file", bytes: 1 << 20 };
pub const SUITE: InputLimit = InputLimit { what: "a suite", bytes: 1 << 20 };
/// A file that the program keeps next to runs: notes, a baseline with all its runs, the result of a power
/// cut on all targets.
pub const NOTES: InputLimit = InputLimit { what: "a file of notes", bytes: 16 << 20 };
/// Command of a sweep or a comparison, or one of its runs.
pub const COMMAND: InputLimit = InputLimit { what: "a command that is kept", bytes: 4 << 20 };
/// Message of a rank, which may contain a record.
pub const MESSAGE: InputLimit = InputLimit { what: "a message of a rank", bytes: 1 << 30 };

/// The most intervals of a record with a text of `text` bytes. A record has a row for each in its summary,
/// of 64
/// bytes at least; without them
/// 18 hours of seconds are possible.
pub fn intervals(text: u64) -> u64 {
    (1 << 16) + text / 64
}

/// Maximum number of intervals in a rank's record, which has no summary.
pub const INTERVALS_OF_RANK: u64 = 1 << 24;

/// Maximum number of targets of a profile in a file, including fio threads with a file each.
pub const TARGETS: usize = 65_536;
/// Time spans of a profile, or of all results of a file. The figures of a time span take 4 KiB.
pub const TIME_SPANS: usize = 4_096;
/// Maximum number of ranks without a record that a merged record names.
pub const RANKS: u32 = 65_536;

/// Kind of empty file, with the likely cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EmptyInput {
    /// No bytes, or only white space and an XML declaration.
    #[error("the file is empty: the run or the program that writes it probably failed; see its messages")]
    Blank,
    /// Only comments: lines that begin with `#` or `;`, or comments of XML.
    #[error("the file is empty except for comments; name another file, or add the content")]
    Comments,
    /// Only zero bytes, as after a crash of the machine.
    #[error("the file holds only zero bytes: the machine probably crashed during the write; write it again")]
    Zeros,
}

impl EmptyInput {
    /// Checks a text for content, with the same rule for all readers of files.
    pub fn check(text: &[u8]) -> Result<(), EmptyInput> {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        if !text.is_empty() && text.iter().all(|byte| *byte == 0) {
            return Err(EmptyInput::Zeros);
        }
        if let Some(found) = empty_xml(text) {
            return Err(found);
        }
        let is_comment = |line: &[u8]| matches!(line.trim_ascii_start(), [] | [b'#' | b';', ..]);
        match text.split(|byte| *byte == b'\n').all(is_comment) {
            true if text.trim_ascii().is_empty() => Err(EmptyInput::Blank),
            true => Err(EmptyInput::Comments),
            false => Ok(()),
        }
    }
}

/// Checks an XML document for elements; `None` = it has content, or is not XML.
fn empty_xml(text: &[u8]) -> Option<EmptyInput> {
    let mut found = None;
    let mut rest = text.trim_ascii_start();
    loop {
        let (end, part) = match rest {
            [] => return found,
            [b'<', b'!', b'-', b'-', ..] => (&b"-->"[..], EmptyInput::Comments),
            [b'<', b'?', ..] => (&b"?>"[..], EmptyInput::Blank),
            _ => return None,
        };
        let behind = rest.windows(end.len()).skip(2).position(|window| window == end)? + 2 + end.len();
        rest = rest[behind..].trim_ascii_start();
        found = Some(if found == Some(EmptyInput::Comments) { EmptyInput::Comments } else { part });
    }
}

/// Error of a file that exceeds the limit of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is larger than {}, the limit for {}", units::amount(.0.bytes), .0.what)]
pub struct TooLarge(pub InputLimit);

impl InputLimit {
    /// Reads all of a file, but at most one byte beyond the limit, because it might be a disk image or
    /// endless.
    ///
    /// # Errors
    /// Fails with an error of the source, or [`TooLarge`].
    pub fn read(self, source: impl Read) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        source.take(self.bytes + 1).read_to_end(&mut bytes)?;
        self.check(bytes.len()).map_err(io::Error::other)?;
        Ok(bytes)
    }

    /// Checks the length of a text.
    pub fn check(self, length: usize) -> Result<(), TooLarge> {
        if length as u64 > self.bytes { Err(TooLarge(self)) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_files_are_detected_by_content() {
        for (text, expected) in [
            (&b""[..], Some(EmptyInput::Blank)),
            (b" \r\n\t\n", Some(EmptyInput::Blank)),
            (b"\xef\xbb\xbf\n", Some(EmptyInput::Blank)),
            (b"# made by hand\n\n ; too", Some(EmptyInput::Comments)),
            (&[0; 9000], Some(EmptyInput::Zeros)),
            (b"\0\n", None),
            (b"# made by hand\n{}", None),
            (b"<!-- made by hand -->", Some(EmptyInput::Comments)),
            (b"<?xml version='1.0'?>\n<!-- one -->\n<!-- two\n-->\n", Some(EmptyInput::Comments)),
            (b"<!-- one --><?of a program?>", Some(EmptyInput::Comments)),
            (b"\xef\xbb\xbf<?xml version='1.0'?>", Some(EmptyInput::Blank)),
            (b"<!-- without an end", None),
            (b"<!-- one --> text", None),
            (b"<!-- one --><a/>", None),
            (b"<?xml version='1.0'?><a/>", None),
            (b"<a/>", None),
        ] {
            assert_eq!(EmptyInput::check(text).err(), expected, "{text:?}");
        }
    }

    #[test]
    fn file_one_byte_above_limit_is_refused() {
        let limit = InputLimit { what: "a test", bytes: 5 };
        assert_eq!(limit.read(&b"12345"[..]).unwrap(), b"12345");
        let error = limit.read(io::repeat(0)).unwrap_err().to_string();
        assert!(error.contains('5') && error.contains("a test"), "{error}");
    }
}
