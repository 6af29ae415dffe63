//! The XML results against DISKSPD's own output and hand-made samples.

use super::{pairs, synth};
use diskspd::machine::System;
use diskspd::profile::ResultFormat;
use diskspd::report::xml;
use diskspd::report_formats::format_named;
use diskspd::results::{Record, Results, Summary};
use std::collections::BTreeSet;

fn document(record: &Record) -> String {
    String::from_utf8(format_named("xml").unwrap().bytes(record)).unwrap()
}

#[derive(serde::Deserialize)]
struct Sample {
    command_line: String,
    system: System,
    results: Results,
    summary: Summary,
}

#[test]
fn xml_three_nines_match_the_original() {
    // The original computes ranks with 0.999 in text and with 99.9 / 100 in XML, which is 0.9990000000000001.
    let mut input: serde_json::Value =
        serde_json::from_slice(include_bytes!("../../data/synth/16_ties.json")).unwrap();
    let io = |number: u64| serde_json::json!(["R", 4096, 0, number * 10]);
    input["timespans"][0]["threads"][0]["targets"][0]["io"] = (1..=1000).map(io).collect();
    let record = synth::record(&serde_json::to_vec(&input).unwrap());
    let text = String::from_utf8(diskspd::report::text::text(&record)).unwrap();
    let nines = text.lines().find(|line| line.starts_with("3-nines")).unwrap();
    // Percentiles are the middle of a cell: up to 0.1 % off, so that neighbours are told apart by their cells.
    let of = |latency: u64| {
        let mut histogram = diskspd::stats::Histogram::new();
        (1..=1000).for_each(|number| histogram.record(number * 1000));
        let at = histogram.percentile(latency as f64 / 1000.0).unwrap();
        format!("{:.3}", at as f64 / 1e6)
    };
    assert!(nines.contains(&format!("| {:>10} |", of(999))), "{nines}");
    let xml = document(&record);
    let (_, bucket) = xml.split_once("<Percentile>99.9</Percentile>").unwrap();
    let read = bucket.split_once("<ReadMilliseconds>").unwrap().1.split_once('<').unwrap().0;
    assert_eq!((read, of(999)), (of(1000).as_str(), "0.999".to_owned()));
}

#[test]
fn xml_samples_match_byte_for_byte() {
    let pairs = pairs("samples", "xml");
    assert_eq!(pairs.len(), 3);
    for (name, input, expected) in pairs {
        let sample: Sample = serde_json::from_slice(&input).unwrap();
        let Sample { command_line, system, results, summary } = sample;
        let profile = synth::profile(command_line.split(' '));
        assert_eq!(profile.result_format, ResultFormat::Xml);
        let mut got = Vec::new();
        xml::render(&mut got, &profile, &system, &results, &summary).unwrap();
        let (got, expected) = (String::from_utf8(got).unwrap(), String::from_utf8(expected).unwrap());
        for (number, (got, expected)) in got.lines().zip(expected.lines()).enumerate() {
            assert_eq!(got, expected, "{name}, line {}", number + 1);
        }
        assert_eq!(got, expected, "{name}");
    }
}

#[test]
fn recorded_runs_differ_by_histogram_rounding_only() {
    let pairs = pairs("synth", "xml");
    assert_eq!(pairs.len(), 15);
    for (name, input, expected) in pairs {
        let got = document(&synth::record(&input));
        let expected = String::from_utf8(expected).unwrap();
        assert_eq!(got.lines().count(), expected.lines().count(), "{name}");
        assert!(got.ends_with("</Results>"), "{name}");
        let mut percentile = String::new();
        let mut halves = 0;
        for (number, (got, expected)) in got.lines().zip(expected.lines()).enumerate() {
            if let Some(text) = element(expected, "Percentile") {
                percentile = text.to_owned();
            }
            let between = percentile != "0" && percentile != "100";
            let same = got == expected
                || ["ReadMilliseconds", "WriteMilliseconds", "TotalMilliseconds"]
                    .iter()
                    .any(|cell| between && near(element(got, cell), element(expected, cell)))
                || expected.contains("HistoBuckets=")
                    && distinct(&input).is_some_and(|(exact, told_apart)| {
                        (attributes(expected), attributes(got)) == (exact, told_apart)
                    })
                || differs_in_the_minimum_of_an_empty_contributor(got, expected)
                || {
                    halves += 1;
                    halves <= 2 && differs_in_a_rounded_half(got, expected)
                };
            assert!(same, "{name}, line {}: {got:?} instead of {expected:?}", number + 1);
        }
    }
}

fn element<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.trim().strip_prefix(&format!("<{name}>"))?.strip_suffix(&format!("</{name}>"))
}

/// Whether figures differ by at most a thousandth and the rounding of both.
fn near(got: Option<&str>, expected: Option<&str>) -> bool {
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<f64>().ok());
    number(got)
        .zip(number(expected))
        .is_some_and(|(got, expected)| (got - expected).abs() <= expected * 0.001 + 0.001 + 1e-9)
}

fn attributes(line: &str) -> Vec<usize> {
    line.split('"').filter_map(|text| text.parse().ok()).collect()
}

/// Counts the distinct latencies of reads, writes and both in the recorded I/Os, and those that a histogram
/// with 512 buckets per octave distinguishes (all below 65 µs).
fn distinct(input: &[u8]) -> Option<(Vec<usize>, Vec<usize>)> {
    let run: serde_json::Value = serde_json::from_slice(input).unwrap();
    let mut latencies = [BTreeSet::new(), BTreeSet::new(), BTreeSet::new()];
    for thread in run["timespans"][0]["threads"].as_array()? {
        for target in thread["targets"].as_array()? {
            for io in target["io"].as_array()? {
                let nanos = (io[3].as_u64()? - io[2].as_u64()?) * 100;
                latencies[usize::from(io[0] == "W")].insert(nanos);
                latencies[2].insert(nanos);
            }
        }
    }
    let bucket = |nanos: &u64| {
        let octave = nanos.max(&1).ilog2();
        (octave, nanos >> octave.saturating_sub(9))
    };
    let told_apart = |set: &BTreeSet<u64>| set.iter().map(bucket).collect::<BTreeSet<_>>().len();
    Some((latencies.iter().map(BTreeSet::len).collect(), latencies.iter().map(told_apart).collect()))
}

/// Whether a mean differs only by rounding. DISKSPD adds latencies in floating point, so a mean exactly
/// between two printed ones may be rounded down: 13.3765 ms prints as 13.376.
fn differs_in_a_rounded_half(got: &str, expected: &str) -> bool {
    let parts = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let value = |part: &str| part.split('"').nth(1).and_then(|text| text.parse::<f64>().ok());
    let (got, expected) = (parts(got), parts(expected));
    let differ: Vec<_> = got.iter().zip(&expected).filter(|(got, expected)| got != expected).collect();
    match differ[..] {
        [(got, expected)] if got.contains("AvgLatency") => {
            value(got).zip(value(expected)).is_some_and(|(got, expected)| (got - expected).abs() < 0.0011)
        }
        _ => false,
    }
}

/// DISKSPD prints 0 as an interval's minimum if one of several threads and targets had no I/O in it.
fn differs_in_the_minimum_of_an_empty_contributor(got: &str, expected: &str) -> bool {
    let parts = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (got, expected) = (parts(got), parts(expected));
    got.len() == expected.len()
        && got.iter().any(|part| part.starts_with("SampleMillisecond"))
        && got.iter().zip(&expected).all(|(got, expected)| {
            got == expected
                || got.contains("MinLatency") && expected.ends_with("MinLatencyMilliseconds=\"0.000\"")
        })
}
