//! Fuzz targets: for each reader of foreign bytes a function that gets any bytes, and panics only if the reader has a defect.
//!
//! The functions need no fuzzer. `fuzz_targets` gives each to libFuzzer, and [`harness`] runs the table [`TARGETS`] on stable Rust.

pub mod command_line;
pub mod fio_jobs;
pub mod fio_result;
pub mod grammars;
pub mod harness;
pub mod journal;
pub mod profile_xml;
pub mod record;
pub mod recorded_ios;
pub mod remote_counters;
pub mod result_text;
pub mod result_xml;
pub mod store;
pub mod suite;
pub mod sweep;

/// The names of the targets, which are the names of their folders in `corpus`, and their functions.
pub const TARGETS: &[(&str, fn(&[u8]))] = &[
    ("command_line", command_line::check),
    ("fio_jobs", fio_jobs::check),
    ("fio_result", fio_result::check),
    ("grammars", grammars::check),
    ("journal", journal::check),
    ("profile_xml", profile_xml::check),
    ("record", record::check),
    ("recorded_ios", recorded_ios::check),
    ("remote_counters", remote_counters::check),
    ("result_text", result_text::check),
    ("result_xml", result_xml::check),
    ("store", store::check),
    ("suite", suite::check),
    ("sweep", sweep::check),
];
