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
use std::io::{self, BufRead, Read, Write};

/// What the list of a thread's targets is called, and how deep its elements lie: `hosts` (2), a host (3),
/// `results` (4), `time_spans` (5), one (6), `threads` (7), one (8), `targets` (9).
const TARGETS: &str = "targets";
const DEPTH: usize = 9;
const OPENED: &[u8] = b"\"targets\":[";
/// Parts of the head, which share a line.
const IN_HEAD: usize = 2;
/// Longest line that is held in memory, bytes.
const LONGEST: u64 = 1 << 30;

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

/// It isn't laid out so, or isn't right. Who reads it as a whole finds out what is wrong, and where.
#[derive(Debug)]
pub(super) struct Unusual;

/// Reads a record of today's version line by line: what a thread did on a target is parsed by itself, and its
/// text isn't kept.
pub(super) fn record(source: &mut dyn BufRead) -> Result<Record, Unusual> {
    let mut skeleton = Vec::new();
    let mut lists: Vec<Vec<TargetResults>> = Vec::new();
    let mut state = InLists::Outside;
    let mut line = Vec::new();
    while source.take(LONGEST).read_until(b'\n', &mut line).map_err(|_| Unusual)? > 0 {
        state = match (line.strip_prefix(b" "), state) {
            (Some(_), InLists::Outside | InLists::Last) => return Err(Unusual),
            (Some(target), InLists::Opened | InLists::More) => {
                let target = target.trim_ascii_end();
                let (target, state) = match target.strip_suffix(b",") {
                    Some(target) => (target, InLists::More),
                    None => (target, InLists::Last),
                };
                let list = lists.last_mut().ok_or(Unusual)?;
                list.push(serde_json::from_slice(target).map_err(|_| Unusual)?);
                state
            }
            (None, InLists::More) => return Err(Unusual),
            (None, _) => {
                skeleton.extend_from_slice(&line);
                let opens = line.trim_ascii_end().ends_with(OPENED);
                lists.extend(opens.then(Vec::new));
                if opens { InLists::Opened } else { InLists::Outside }
            }
        };
        line.clear();
    }
    let mut record: Record = serde_json::from_slice(&skeleton).map_err(|_| Unusual)?;
    let spans = record.hosts.iter_mut().flat_map(|host| &mut host.results.time_spans);
    let mut lists = lists.into_iter();
    for thread in spans.flat_map(|span| &mut span.threads) {
        if !thread.targets.is_empty() {
            return Err(Unusual);
        }
        thread.targets = lists.next().ok_or(Unusual)?;
    }
    if lists.next().is_some() { Err(Unusual) } else { Ok(record) }
}

#[derive(Debug, Clone, Copy)]
enum InLists {
    Outside,
    Opened,
    /// Another target has to follow.
    More,
    /// The list has to end.
    Last,
}

/// The text of the head, as an object of its own; `None` = the first line isn't one.
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
    fn a_record_is_one_document_in_lines_of_which_the_first_is_the_head() {
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
    fn a_record_is_read_line_by_line_as_it_is_as_a_whole() {
        assert_eq!(record(&mut &STORED[..]).ok(), Some(sample_record()));
        assert_eq!(parse_record(&STORED), Ok(sample_record()));
        let index = json::read_index(&STORED[..]).unwrap();
        assert!(index.is_some());
        let value: serde_json::Value = serde_json::from_slice(&STORED).unwrap();
        let otherwise = [serde_json::to_vec(&value), serde_json::to_vec_pretty(&value)];
        for stored in otherwise.map(Result::unwrap) {
            assert_eq!(json::read(&stored), Ok(sample_record()), "laid out otherwise");
        }
    }

    proptest! {
        #[test]
        fn what_is_damaged_is_never_read_as_something_else(
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
