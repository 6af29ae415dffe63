//! A record divided into lines: one JSON document with lines that can be read separately.
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

use diskspd_figures::json_lists::{ListFormatError, ListLocation, ListPart, ListSplitter};
use diskspd_figures::stats::{Interval, Intervals};
use diskspd_results::{HostTarget, Record, TargetResults};
use serde::de::DeserializeOwned;
use serde_json::ser::Formatter;
use std::io::{self, BufRead, Write};

/// Key of a thread's target list, and the depth of its elements: `hosts` (2), a host (3), `results` (4),
/// `time_spans` (5), one (6), `threads` (7), one (8), `targets` (9).
const TARGETS: &str = "targets";
const DEPTH: usize = 9;
/// Number of parts of the head, which share a line.
const IN_HEAD: usize = 2;

/// Inserts the line ends.
#[derive(Debug, Default)]
pub(super) struct LineFormatter {
    depth: usize,
    /// Number of parts so far.
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

/// Lists of a record whose elements are parsed separately.
static LISTS: [ListLocation; 4] = [
    ListLocation { names: &[b"hosts", b"targets"], objects: &[1, 3] },
    ListLocation {
        names: &[b"hosts", b"results", b"time_spans", b"intervals", b"intervals"],
        objects: &[1, 3, 4, 6, 7],
    },
    ListLocation {
        names: &[b"hosts", b"results", b"time_spans", b"responses", b"intervals"],
        objects: &[1, 3, 4, 6, 7],
    },
    ListLocation {
        names: &[b"hosts", b"results", b"time_spans", b"threads", b"targets"],
        objects: &[1, 3, 4, 6, 8],
    },
];

/// Elements of [`LISTS`].
#[derive(Debug, Default)]
struct Elements {
    targets: Vec<Vec<HostTarget>>,
    intervals: Vec<Vec<Interval>>,
    responses: Vec<Vec<Interval>>,
    results: Vec<Vec<TargetResults>>,
}

/// Reads a record of today's version in any layout. The elements of its long lists are parsed separately,
/// and their text is not kept.
///
/// # Errors
/// Fails without a cause if the text is not a record, or its lists contain other elements than objects.
pub(super) fn record(source: &mut dyn BufRead) -> Result<Record, ListFormatError> {
    let mut splitter = ListSplitter::new(&LISTS);
    let mut elements = Elements::default();
    loop {
        let bytes = source.fill_buf().map_err(|_| ListFormatError)?;
        if bytes.is_empty() {
            return elements.join_index(&splitter.into_skeleton());
        }
        splitter.take(bytes, &mut |place, part| elements.take(place, part))?;
        let length = bytes.len();
        source.consume(length);
    }
}

impl Elements {
    fn take(&mut self, place: usize, part: ListPart) -> Result<(), ListFormatError> {
        match place {
            0 => add_part(&mut self.targets, part, parse),
            1 => add_part(&mut self.intervals, part, parse_interval),
            2 => add_part(&mut self.responses, part, parse_interval),
            _ => add_part(&mut self.results, part, parse),
        }
    }

    fn join_index(self, skeleton: &[u8]) -> Result<Record, ListFormatError> {
        let mut record: Record = parse(skeleton)?;
        let (mut targets, mut results) = (self.targets.into_iter(), self.results.into_iter());
        let (mut intervals, mut responses) = (self.intervals.into_iter(), self.responses.into_iter());
        for host in &mut record.hosts {
            fill(&mut host.targets, &mut targets)?;
            for span in &mut host.results.time_spans {
                fill_intervals(&mut span.intervals, &mut intervals)?;
                fill_intervals(&mut span.responses, &mut responses)?;
                span.threads.iter_mut().try_for_each(|thread| fill(&mut thread.targets, &mut results))?;
            }
        }
        let is_done = targets.next().is_none() && results.next().is_none();
        let has_intervals = intervals.chain(responses).next().is_some();
        if is_done && !has_intervals { Ok(record) } else { Err(ListFormatError) }
    }
}

fn parse<T: DeserializeOwned>(text: &[u8]) -> Result<T, ListFormatError> {
    serde_json::from_slice(text).map_err(|_| ListFormatError)
}

fn parse_interval(text: &[u8]) -> Result<Interval, ListFormatError> {
    Interval::from_compact_json(text).map_or_else(|| parse(text), Ok)
}

fn add_part<T>(
    lists: &mut Vec<Vec<T>>,
    part: ListPart,
    parse: impl FnOnce(&[u8]) -> Result<T, ListFormatError>,
) -> Result<(), ListFormatError> {
    match part {
        ListPart::Begin => lists.push(Vec::new()),
        ListPart::Element(text) => lists.last_mut().ok_or(ListFormatError)?.push(parse(text)?),
    }
    Ok(())
}

/// Restores a list that was removed for separate parsing.
fn fill<T>(place: &mut Vec<T>, lists: &mut impl Iterator<Item = Vec<T>>) -> Result<(), ListFormatError> {
    let list = lists.next().ok_or(ListFormatError)?;
    if place.is_empty() {
        *place = list;
        return Ok(());
    }
    Err(ListFormatError)
}

fn fill_intervals(
    place: &mut Option<Intervals>,
    lists: &mut impl Iterator<Item = Vec<Interval>>,
) -> Result<(), ListFormatError> {
    let Some(found) = place else { return Ok(()) };
    let mut list = Vec::new();
    fill(&mut list, lists)?;
    if std::mem::replace(found, list.into()).is_empty() { Ok(()) } else { Err(ListFormatError) }
}

pub(super) fn head(first_line: &[u8]) -> Option<Vec<u8>> {
    let line = first_line.strip_suffix(b"\n")?;
    Some([line, b"}"].concat())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::json;
    use diskspd_figures::stats::{Histogram, Series};
    use diskspd_machine::System;
    use diskspd_profile::{Profile, Target, TargetId, TimeSpan};
    use diskspd_results::{DirectionResults, Results, SpanResults, ThreadResults};
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static STORED: LazyLock<Vec<u8>> = LazyLock::new(|| json::bytes(&sample_record()));

    /// Returns a record of two threads with two targets each.
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
        let stored = r#"{"intervals":[{"read_bytes":1,"write_bytes":2,"latencies":[[3,4]]}]}"#;
        let intervals = || serde_json::from_str(stored).unwrap();
        let results = SpanResults {
            measured: 2_000_000_000,
            intervals: Some(intervals()),
            responses: Some(intervals()),
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
    fn record_parts_are_read_in_any_layout() {
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
