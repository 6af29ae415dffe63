//! A record laid out in lines: one JSON document, of which a line can be read without the others.
//!
//! ```text
//! {"format":{..},"index":{..}                      the head: what a list of runs shows
//! ,"summary":{..}                                  the same in a dozen numbers, for scripts
//! ,"profile":{..}                                  each further part in a line of its own
//! ,"hosts":[{.. "threads":[{"targets":[            what a thread did on a target is large:
//!  {..},                                           a line each, behind a blank
//!  {..}
//! ]}]}]
//! ,"figures":{..}
//! ,"judgement":{..}}
//! ```

use diskspd_model::results::{Record, TargetResults};
use serde_json::ser::Formatter;
use std::io::{self, BufRead, Write};

/// Key of a thread's target list, and the depth of its elements: `hosts` (2), a host (3), `results` (4),
/// `time_spans` (5), one (6), `threads` (7), one (8), `targets` (9).
const TARGETS: &str = "targets";
const DEPTH: usize = 9;
/// Parts of the head, which share a line.
const IN_HEAD: usize = 2;
/// A longer text is not a name of [`PATH`].
const LONGEST_NAME: usize = 16;

/// Puts the line ends where they belong.
#[derive(Debug, Default)]
pub(super) struct LineFormatter {
    depth: usize,
    /// Parts of the record so far.
    parts: usize,
    in_name: bool,
    names_targets: bool,
    in_targets: bool,
}

impl LineFormatter {
    fn in_list(&self) -> bool {
        self.in_targets && self.depth == DEPTH
    }
}

impl Formatter for LineFormatter {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        self.in_targets |= self.depth == DEPTH && self.names_targets;
        writer.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if self.in_list() {
            writer.write_all(b"\n")?;
            self.in_targets = false;
        }
        self.depth -= 1;
        writer.write_all(b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        writer.write_all(match (self.in_list(), first) {
            (true, true) => b"\n ",
            (true, false) => b",\n ",
            (false, true) => b"",
            (false, false) => b",",
        })
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        writer.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        (self.in_name, self.names_targets) = (true, false);
        if self.depth == 1 {
            self.parts += 1;
            if self.parts > IN_HEAD {
                writer.write_all(b"\n")?;
            }
        }
        if first { Ok(()) } else { writer.write_all(b",") }
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.in_name = false;
        Ok(())
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, text: &str) -> io::Result<()> {
        if self.in_name {
            self.names_targets = self.depth + 1 == DEPTH && text == TARGETS;
        }
        writer.write_all(text.as_bytes())
    }
}

/// Error of a text that is not a record, or has other elements than objects in its lists. A reader of the
/// whole text finds the reason.
#[derive(Debug)]
pub(super) struct Unusual;

/// Reads a record of today's version in any layout. Each result of a thread on a target is parsed
/// separately, and its text is not kept.
pub(super) fn record(source: &mut dyn BufRead) -> Result<Record, Unusual> {
    let mut parts = Parts::default();
    loop {
        let bytes = source.fill_buf().map_err(|_| Unusual)?;
        if bytes.is_empty() {
            return parts.joined();
        }
        bytes.iter().try_for_each(|byte| parts.take(*byte))?;
        let length = bytes.len();
        source.consume(length);
    }
}

/// Names of the lists that lead to the targets of a thread; `hosts` is a member of the record.
const PATH: [&[u8]; 5] = [b"hosts", b"results", b"time_spans", b"threads", b"targets"];
/// Depths of the objects that have these members: the record, a host, its results, a time span, a thread.
const OBJECTS: [usize; 5] = [1, 3, 4, 6, 8];

/// The text of a record, taken apart byte by byte.
#[derive(Default)]
struct Parts {
    /// All text except elements of the lists of targets.
    skeleton: Vec<u8>,
    lists: Vec<Vec<TargetResults>>,
    element: Vec<u8>,
    depth: usize,
    in_text: bool,
    is_escaped: bool,
    /// The last text, which may be the name of a member.
    last: Vec<u8>,
    /// How many names of [`PATH`] the open objects have, from the outermost.
    found: usize,
    list: InList,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum InList {
    #[default]
    Outside,
    /// An element may follow, or the end.
    Opened,
    Element,
    /// A comma has to follow, or the end.
    After,
    /// An element has to follow.
    Comma,
}

impl Parts {
    fn take(&mut self, byte: u8) -> Result<(), Unusual> {
        match self.list {
            InList::Outside => {
                self.skeleton.push(byte);
                self.step(byte)
            }
            InList::Element => {
                self.element.push(byte);
                self.step(byte)?;
                if self.depth == DEPTH {
                    let target = serde_json::from_slice(&self.element).map_err(|_| Unusual)?;
                    self.lists.last_mut().ok_or(Unusual)?.push(target);
                    self.element.clear();
                    self.list = InList::After;
                }
                Ok(())
            }
            _ => self.between(byte),
        }
    }

    /// Takes a byte of a list outside of its elements.
    fn between(&mut self, byte: u8) -> Result<(), Unusual> {
        self.list = match (byte, self.list) {
            (b' ' | b'\n' | b'\r' | b'\t', list) => list,
            (b'{', InList::Opened | InList::Comma) => {
                self.element.push(byte);
                self.depth += 1;
                InList::Element
            }
            (b',', InList::After) => InList::Comma,
            (b']', InList::Opened | InList::After) => {
                self.skeleton.push(byte);
                self.depth -= 1;
                self.found = PATH.len() - 1;
                InList::Outside
            }
            _ => return Err(Unusual),
        };
        Ok(())
    }

    fn step(&mut self, byte: u8) -> Result<(), Unusual> {
        if self.in_text {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.in_text = false,
                _ => {}
            }
            if self.in_text && self.last.len() <= LONGEST_NAME {
                self.last.push(byte);
            }
            return Ok(());
        }
        match byte {
            b'"' => {
                self.in_text = true;
                self.last.clear();
            }
            b':' if self.list == InList::Outside => self.name(),
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.checked_sub(1).ok_or(Unusual)?;
                // The members of an object that ended do not lead anywhere.
                let is_open = |depth: &&usize| **depth <= self.depth;
                self.found = self.found.min(OBJECTS.iter().filter(is_open).count());
            }
            _ => {}
        }
        if byte == b'[' && self.found == PATH.len() && self.depth == DEPTH {
            self.lists.push(Vec::new());
            self.list = InList::Opened;
        }
        Ok(())
    }

    /// A member of the innermost object begins.
    fn name(&mut self) {
        let Some(level) = OBJECTS.iter().position(|depth| *depth == self.depth) else { return };
        if self.found >= level {
            self.found = level + usize::from(self.last == PATH[level]);
        }
    }

    fn joined(self) -> Result<Record, Unusual> {
        let mut record: Record = serde_json::from_slice(&self.skeleton).map_err(|_| Unusual)?;
        let spans = record.hosts.iter_mut().flat_map(|host| &mut host.results.time_spans);
        let mut lists = self.lists.into_iter();
        for thread in spans.flat_map(|span| &mut span.threads) {
            if !thread.targets.is_empty() {
                return Err(Unusual);
            }
            thread.targets = lists.next().ok_or(Unusual)?;
        }
        if lists.next().is_some() { Err(Unusual) } else { Ok(record) }
    }
}

pub(super) fn head(first_line: &[u8]) -> Option<Vec<u8>> {
    let line = first_line.strip_suffix(b"\n")?;
    Some([line, b"}"].concat())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::record::json;
    use diskspd_model::machine::System;
    use diskspd_model::profile::{Profile, Target, TargetId, TimeSpan};
    use diskspd_model::results::{DirectionResults, Results, SpanResults, ThreadResults};
    use diskspd_model::stats::{Histogram, Series};
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static STORED: LazyLock<Vec<u8>> = LazyLock::new(|| json::bytes(&sample_record()));

    /// Two threads on two targets each.
    fn sample_record() -> Record {
        let path = |path: &str| Target { path: path.into(), ..Target::default() };
        let span = TimeSpan {
            duration: 2,
            thread_count: 2,
            targets: vec![path("a\"}]\\"), path("b")],
            ..TimeSpan::default()
        };
        let direction = || {
            let (mut latency, mut series) = (Histogram::new(), Series::new(1000, 2));
            latency.record(1234);
            series.record(1_500_000_000, 1234);
            let (latency, series) = (Some(Box::new(latency)), Some(Box::new(series)));
            DirectionResults { ios: 1, bytes: 512, latency, series, ..DirectionResults::default() }
        };
        let target =
            |id| TargetResults { target: TargetId(id), read: direction(), ..TargetResults::default() };
        let thread = || ThreadResults { targets: vec![target(0), target(1)], ..ThreadResults::default() };
        let results = SpanResults {
            measured: 2_000_000_000,
            threads: vec![thread(), thread()],
            ..SpanResults::default()
        };
        let profile = Profile { time_spans: vec![span], ..Profile::default() };
        Record::new(profile, System::default(), Results { time_spans: vec![results] })
    }

    fn parse_record(stored: &[u8]) -> Result<Record, json::RecordError> {
        json::read_plainly(&mut std::io::Cursor::new(stored))
    }

    #[test]
    fn record_is_one_document_with_a_head_line() {
        let text = String::from_utf8(STORED.clone()).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).expect("one document");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("{\"format\":{") && lines[0].contains(",\"index\":{"), "{}", lines[0]);
        let begins = |with: &str| lines.iter().filter(|line| line.starts_with(with)).count();
        for part in ["profile", "method", "hosts", "summary", "figures", "judgement"] {
            assert_eq!(begins(&format!(",\"{part}\":")), 1, "{part}");
        }
        assert_eq!(begins(" {"), 4, "two threads on two targets each");
    }

    #[test]
    fn record_is_read_in_parts_in_any_layout() {
        assert_eq!(record(&mut &STORED[..]).ok(), Some(sample_record()));
        assert_eq!(parse_record(&STORED), Ok(sample_record()));
        let index = json::read_index(&STORED[..]).unwrap();
        assert!(index.is_some());
        let value: serde_json::Value = serde_json::from_slice(&STORED).unwrap();
        let otherwise = [serde_json::to_vec(&value), serde_json::to_vec_pretty(&value)];
        for stored in otherwise.map(Result::unwrap) {
            assert_eq!(record(&mut &stored[..]).ok(), Some(sample_record()), "laid out otherwise");
            assert_eq!(json::read(&stored), Ok(sample_record()), "laid out otherwise");
        }
    }

    proptest! {
        #[test]
        fn damaged_record_is_never_misread(
            at: prop::sample::Index, gone in 0..9_usize, with in "[]{}\",:0-9a-e\\\\ ]{0,6}",
        ) {
            let at = at.index(STORED.len());
            let behind = &STORED[(at + gone).min(STORED.len())..];
            let damaged = [&STORED[..at], with.as_bytes(), behind].concat();
            if let Ok(read) = record(&mut &damaged[..]) {
                prop_assert_eq!(parse_record(&damaged), Ok(read));
            }
        }
    }
}
