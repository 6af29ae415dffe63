//! A record part by part: its large lists are taken apart down to the results of a thread on a target, and
//! each of these is parsed by itself. What is held in memory beside the record is one of them.
//!
//! Whatever is unusual about a record, this gives up, and the plain reader says what is wrong.

use super::values::{JsonValues, Unusual};
use super::{Index, Name};
use diskspd_model::results::{
    Host, Record, RecordFormat, Results, SpanResults, TargetResults, ThreadResults,
};
use serde::de::{DeserializeOwned, IgnoredAny};
use std::io::Read;

/// Bytes that a record is read in.
const PIECE: usize = 1 << 20;

/// Bytes that the index is looked for in at first: those of most records lie in them.
const BEGINNING: usize = 1 << 12;

/// Reads a record of this version of the format.
pub fn record(source: impl Read) -> Result<Record, Unusual> {
    let mut values = JsonValues::new(source, PIECE);
    let mut hosts = Vec::new();
    let ignored: &[&[u8]] = &[b"\"index\"", b"\"summary\"", b"\"judgement\""];
    let mut record: Record = object(&mut values, ignored, ("\"hosts\"", "[]"), |values| {
        values.elements(|values| {
            hosts.push(host(values)?);
            Ok(())
        })
    })?;
    values.end()?;
    record.hosts = hosts;
    Ok(record)
}

/// Reads the index behind the name of the format, and hardly more.
pub fn index(source: impl Read) -> Result<Index, Unusual> {
    let mut values = JsonValues::new(source, BEGINNING);
    values.take(b'{')?;
    if values.name()? != b"\"format\"" {
        return Err(Unusual);
    }
    let Name { name, version } = values.value()?;
    values.take(b',')?;
    let is_known = name == RecordFormat::NAME && version == u64::from(RecordFormat::VERSION);
    if !is_known || values.name()? != b"\"index\"" {
        return Err(Unusual);
    }
    values.value()
}

fn host(values: &mut JsonValues<impl Read>) -> Result<Host, Unusual> {
    let mut results = Results::default();
    let mut host: Host = object(values, &[], ("\"results\"", "{\"time_spans\":[]}"), |values| {
        let mut spans = Vec::new();
        results = object(values, &[], ("\"time_spans\"", "[]"), |values| {
            values.elements(|values| {
                spans.push(span(values)?);
                Ok(())
            })
        })?;
        results.time_spans = spans;
        Ok(())
    })?;
    host.results = results;
    Ok(host)
}

fn span(values: &mut JsonValues<impl Read>) -> Result<SpanResults, Unusual> {
    let mut threads = Vec::new();
    let mut span: SpanResults = object(values, &[], ("\"threads\"", "[]"), |values| {
        values.elements(|values| {
            threads.push(thread(values)?);
            Ok(())
        })
    })?;
    span.threads = threads;
    Ok(span)
}

fn thread(values: &mut JsonValues<impl Read>) -> Result<ThreadResults, Unusual> {
    let mut targets: Vec<TargetResults> = Vec::new();
    let mut thread: ThreadResults = object(values, &[], ("\"targets\"", "[]"), |values| {
        values.elements(|values| {
            targets.push(values.value()?);
            Ok(())
        })
    })?;
    thread.targets = targets;
    Ok(thread)
}

/// Reads an object of which one field is read by itself, and `empty` stands for it meanwhile. Fields that are
/// `ignored` have to be JSON, and no more.
fn object<T: DeserializeOwned, R: Read>(
    values: &mut JsonValues<R>,
    ignored: &[&[u8]],
    (large, empty): (&str, &str),
    mut read: impl FnMut(&mut JsonValues<R>) -> Result<(), Unusual>,
) -> Result<T, Unusual> {
    let mut text = vec![b'{'];
    let mut found = false;
    values.fields(|values, name| {
        if ignored.contains(&name) {
            return values.value::<IgnoredAny>().map(drop);
        }
        if text.len() > 1 {
            text.push(b',');
        }
        text.extend_from_slice(name);
        text.push(b':');
        if name == large.as_bytes() {
            text.extend_from_slice(empty.as_bytes());
            // The parser finds out that it is there twice, but by then the first one is lost.
            return if std::mem::replace(&mut found, true) { Err(Unusual) } else { read(values) };
        }
        text.extend_from_slice(values.text()?);
        Ok(())
    })?;
    text.push(b'}');
    serde_json::from_slice(&text).map_err(|_| Unusual)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::json;
    use diskspd_model::machine::System;
    use diskspd_model::profile::{Profile, Target, TargetId, TimeSpan};
    use diskspd_model::results::DirectionResults;
    use diskspd_model::stats::{Histogram, Series};
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static STORED: LazyLock<Vec<u8>> = LazyLock::new(|| json::bytes(&sample()));

    /// Two threads on two targets each.
    fn sample() -> Record {
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
            let (latency, series) = (Some(latency), Some(series));
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

    fn plainly(stored: &[u8]) -> Result<Record, json::RecordError> {
        json::read_plainly(&mut std::io::Cursor::new(stored), 2)
    }

    #[test]
    fn a_record_is_read_part_by_part_as_it_is_as_a_whole() {
        assert_eq!(record(&STORED[..]).ok(), Some(sample()));
        let spread: Vec<u8> = serde_json::from_slice::<serde_json::Value>(&STORED)
            .and_then(|value| serde_json::to_vec_pretty(&value))
            .unwrap_or_default();
        assert_eq!(record(&spread[..]).ok(), Some(sample()));
        assert_eq!(index(&STORED[..]).ok(), json::read_index(&STORED[..]).ok().flatten());
        assert!(index(&STORED[..]).is_ok());
    }

    proptest! {
        #[test]
        fn what_is_damaged_is_never_read_as_something_else(
            at: prop::sample::Index, gone in 0..9_usize, with in "[]{}\",:0-9a-e\\\\ ]{0,6}",
        ) {
            let at = at.index(STORED.len());
            let behind = &STORED[(at + gone).min(STORED.len())..];
            let damaged = [&STORED[..at], with.as_bytes(), behind].concat();
            if let Ok(read) = record(&damaged[..]) {
                prop_assert_eq!(plainly(&damaged), Ok(read));
            }
        }
    }
}
