//! Fuzz targets: for each reader of foreign bytes a function that gets any bytes, and panics only if the
//! reader has a defect.
//!
//! The functions need no fuzzer. `fuzz_targets` gives each to libFuzzer, and [`harness`] runs the table
//! [`TARGETS`] on stable Rust.

pub mod baseline;
pub mod command_line;
pub mod comparison_run;
pub mod fio_jobs;
pub mod fio_result;
pub mod grammars;
pub mod harness;
pub mod journal;
pub mod journal_pieces;
pub mod power_cycle;
pub mod profile_xml;
pub mod rank_message;
pub mod record;
pub mod recorded_ios;
pub mod remote_counters;
pub mod result_comparison;
pub mod result_repetition;
pub mod result_sweep;
pub mod result_text;
pub mod result_xml;
pub mod store;
pub mod suite;
pub mod suite_notes;
pub mod sweep;
pub mod sweep_folder;

/// The names of the targets, which are the names of their folders in `corpus`, and their functions.
pub const TARGETS: &[(&str, fn(&[u8]))] = &[
    ("baseline", baseline::check),
    ("command_line", command_line::check),
    ("comparison_run", comparison_run::check),
    ("fio_jobs", fio_jobs::check),
    ("fio_result", fio_result::check),
    ("grammars", grammars::check),
    ("journal", journal::check),
    ("journal_pieces", journal_pieces::check),
    ("power_cycle", power_cycle::check),
    ("profile_xml", profile_xml::check),
    ("rank_message", rank_message::check),
    ("record", record::check),
    ("recorded_ios", recorded_ios::check),
    ("remote_counters", remote_counters::check),
    ("result_comparison", result_comparison::check),
    ("result_repetition", result_repetition::check),
    ("result_sweep", result_sweep::check),
    ("result_text", result_text::check),
    ("result_xml", result_xml::check),
    ("store", store::check),
    ("suite", suite::check),
    ("suite_notes", suite_notes::check),
    ("sweep", sweep::check),
    ("sweep_folder", sweep_folder::check),
];
