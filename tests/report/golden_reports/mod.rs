//! The text report against DISKSPD's own output and hand-made samples.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

mod compare;
pub mod synth;
mod xml;

use self::compare::Tolerance;
use crate::common::schema;
use diskspd::machine::System;
use diskspd::profile::Profile;
use diskspd::report::text;
use diskspd::results::{CpuRow, CpuTable, CpuTimes, Record, Results, SpanResults, Summary, summarize};
use std::fs;
use std::path::{Path, PathBuf};

fn data(directory: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(directory)
}

fn pairs(directory: &str, extension: &str) -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let mut names: Vec<PathBuf> =
        fs::read_dir(data(directory)).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| {
        path.extension().is_some_and(|extension| extension == "json")
            && path.with_extension(extension).exists()
    });
    names.sort();
    let pair = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, fs::read(&path).unwrap(), fs::read(path.with_extension(extension)).unwrap())
    };
    names.into_iter().map(pair).collect()
}

pub fn inputs(directory: &str) -> Vec<(String, Vec<u8>)> {
    pairs(directory, "xml").into_iter().map(|(name, input, _)| (name, input)).collect()
}

#[derive(serde::Deserialize)]
struct Sample {
    profile: Profile,
    system: System,
    summary: Summary,
}

#[test]
fn golden_reports_match_byte_for_byte() {
    let pairs = pairs("samples", "txt");
    assert_eq!(pairs.len(), 5);
    for (name, input, expected) in pairs {
        let Sample { profile, system, summary } = serde_json::from_slice(&input).unwrap();
        compare::reports(&name, &text::render(&profile, &system, &summary), &expected, Tolerance::None);

        // Except for the one from an XML file, the command line makes the profile.
        let command_line = profile.command_line.to_string();
        if !command_line.contains("-X") {
            let mut read = synth::profile(command_line.split(' '));
            // The samples are older than the rule for devices, and say nothing of it.
            let targets = read.time_spans.iter_mut().flat_map(|span| &mut span.targets);
            targets.for_each(|target| target.uncached_devices = false);
            assert_eq!(read, profile, "{name}");
        }

        // The CPU rows and the columns shown follow from the machine alone.
        let cpus = vec![CpuTimes::default(); system.topology.active_cpus().count()];
        let span = SpanResults { measured: 1_000_000_000, cpus, ..SpanResults::default() };
        let time_spans = vec![span; profile.time_spans.len()];
        let derived = summarize(&Record::new(profile, system, Results { time_spans }));
        for (derived, sample) in derived.time_spans.iter().flatten().zip(summary.time_spans.iter().flatten())
        {
            let places = |table: &CpuTable| -> Vec<CpuRow> {
                let usage = table.average;
                table.rows.iter().map(|row| CpuRow { usage, ..row.clone() }).collect()
            };
            let sample = CpuTable { average: derived.cpu.average, ..sample.cpu.clone() };
            assert_eq!(derived.cpu.columns, sample.columns, "{name}");
            assert_eq!(places(&derived.cpu), places(&sample), "{name}");
        }
    }
}

#[test]
fn recorded_runs_differ_by_percentiles_only() {
    let pairs = pairs("synth", "txt");
    assert_eq!(pairs.len(), 15);
    for (name, input, expected) in pairs {
        let record = synth::record(&input);
        compare::reports(&name, &text::text(&record), &expected, Tolerance::Percentiles);
    }
}

#[test]
fn stored_record_gives_the_same_reports() {
    for (name, input, _) in pairs("synth", "txt") {
        let record = synth::record(&input);
        let json = diskspd::formats::json::bytes(&record);
        schema::record(&json);
        let read = diskspd::formats::json::read(&json).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read, record, "{name}");
        for format in diskspd::report_formats::FORMATS {
            assert_eq!(format.bytes(&read), format.bytes(&record), "{name} as {}", format.name);
        }
    }
}
