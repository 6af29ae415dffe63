//! Tests that every reader of untrusted bytes has a fuzz target. The code shows which files read; a table
//! here lists their fuzz targets.

use super::source::SOURCES;
use diskspd::formats::table::FORMATS;
use diskspd_fuzz::TARGETS;
use std::collections::BTreeSet;

const OF_THE_SYSTEM: [&str; 4] = ["crates/host/", "crates/sys/", "crates/engine/", "crates/worker/"];

/// Calls that read or parse bytes.
const READS: [&str; 9] = [
    "read_json",
    ".read_to_end(",
    ".read_until(",
    "open_input(",
    "read_input(",
    "serde_json::from_",
    "serde_json::Deserializer",
    "toml::de::",
    "quick_xml::Reader",
];

const READERS: &[(&str, &[&str])] = &[
    ("crates/integrity/src/journal/pieces.rs", &["journal", "journal_pieces"]),
    ("crates/experiments/src/suite/read.rs", &["suite"]),
    ("crates/formats/src/fio/documents.rs", &["fio_result"]),
    ("crates/formats/src/json.rs", &["record"]),
    ("crates/formats/src/json/lines.rs", &["record"]),
    ("crates/formats/src/answers.rs", &["result_comparison", "result_repetition", "result_sweep"]),
    // All readers of documents go through it.
    ("crates/base/src/json_reader.rs", &[]),
    // All readers of files with a limit go through it.
    ("crates/base/src/limits.rs", &[]),
    ("crates/profile/src/xml/tokens.rs", &["profile_xml", "result_xml"]),
    ("crates/trace/src/formats/lines.rs", &["recorded_ios"]),
    // Compares the first bytes of a file with the mark of journals.
    ("crates/output/src/destination/kept.rs", &[]),
    ("crates/store/src/baseline.rs", &["baseline", "suite_notes"]),
    ("crates/store/src/database/rows.rs", &["store"]),
    ("crates/store/src/notes.rs", &["baseline", "store", "suite_notes"]),
    ("crates/store/src/packed.rs", &["store"]),
    ("src/commands/cluster/messages.rs", &["rank_message"]),
    // The end of the output of a program that it has started, for a message.
    ("src/commands/compare/programs.rs", &[]),
    ("src/commands/shared/input/fio_jobs.rs", &["fio_jobs"]),
    ("src/commands/shared/input/fio_logs.rs", &["fio_result"]),
    ("src/commands/foreign.rs", &["sweep_folder", "comparison_run"]),
    ("src/commands/shared/input/load_runs.rs", &["record", "result_xml", "result_text", "fio_result"]),
    (
        "src/commands/shared/input/load_runs/repeated.rs",
        &["result_comparison", "result_repetition", "result_sweep"],
    ),
    ("src/commands/shared/input/load.rs", &["profile_xml", "fio_jobs"]),
    ("src/commands/shared/run_folder.rs", &["comparison_run", "sweep_folder"]),
    // A copy of the program's own values.
    ("src/commands/shared/output/sanitize.rs", &[]),
    ("src/commands/experiments/suite/source.rs", &["suite"]),
    ("src/commands/experiments/sweep/folder.rs", &["sweep_folder"]),
    ("src/commands/read/trace/mod.rs", &["recorded_ios"]),
    ("src/commands/run/judge/claims.rs", &["fio_result", "result_text", "result_xml"]),
    ("src/commands/run/verify_after/campaign.rs", &["journal", "power_cycle"]),
    ("src/commands/run/verify_after/journal.rs", &["journal"]),
    ("src/commands/run/verify_after/cycle.rs", &["power_cycle"]),
    ("src/commands/shared/runs/with/run.rs", &["result_xml"]),
];

/// Returns the fuzz target of a result format, by the word of the format.
fn of_format(word: &str) -> String {
    match word {
        "fio" => "fio_result".to_owned(),
        word => format!("result_{word}"),
    }
}

#[test]
fn every_reader_has_a_fuzz_target() {
    let reads = SOURCES.iter().filter(|source| {
        let is_system = OF_THE_SYSTEM.iter().any(|folder| source.place.starts_with(folder));
        let calls = READS.iter().flat_map(|call| source.code.match_indices(call));
        !is_system && calls.into_iter().any(|(at, _)| !source.is_test(at))
    });
    let found: BTreeSet<&str> = reads.map(|source| source.place.as_str()).collect();
    let known: BTreeSet<&str> = READERS.iter().map(|(place, _)| *place).collect();
    assert_eq!(found, known, "a new reader needs a fuzz target (fuzz/src) and a row here");
    let targets: BTreeSet<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    for target in READERS.iter().flat_map(|(_, targets)| *targets) {
        assert!(targets.contains(target), "{target}");
    }
    for format in FORMATS {
        assert!(targets.contains(of_format(format.word).as_str()), "{}", format.word);
    }
}
