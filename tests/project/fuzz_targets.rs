//! The fuzz targets on stable Rust: every target survives its seeds and changes to them.
//!
//! `FUZZ_SECONDS` is the time for each target, and `FUZZ_SEED` selects the changes (`.ci/checks/fuzzing`).

#![allow(clippy::unwrap_used)]

use diskspd_fuzz::TARGETS;
use diskspd_fuzz::harness::{Budget, Job};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;
use std::{env, fs, thread};

/// Number of changed inputs of each target in an ordinary test run.
const INPUTS: u64 = 100;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz"))
}

/// Returns a number from the environment.
fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().unwrap())
}

#[test]
fn targets_survive_seeds_and_changes() {
    let seconds = number("FUZZ_SECONDS");
    let seed = number("FUZZ_SEED").unwrap_or(1);
    let budget = seconds.map_or(Budget::Inputs(INPUTS), |time| Budget::Time(Duration::from_secs(time)));
    let targets = Mutex::new(TARGETS.iter());
    let failures = Mutex::new(Vec::new());
    let work = || {
        while let Some(&(name, check)) = { targets.lock().unwrap().next() } {
            let corpus = folder().join("corpus").join(name);
            let artifacts = folder().join("artifacts");
            match (Job { name, check, corpus: &corpus, failures: &artifacts, seed, budget }).run() {
                Ok(inputs) => eprintln!("{name}: {inputs} inputs, seed {seed}"),
                Err(failure) => failures.lock().unwrap().push(failure),
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    assert_eq!(failures.into_inner().unwrap(), Vec::<String>::new());
}

#[test]
fn harness_reports_panics_with_their_input() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("corpus");
    fs::create_dir(&corpus).unwrap();
    fs::write(corpus.join("seed"), "0123456789").unwrap();
    let failures = folder.path().join("failures");
    let run = |check, budget| {
        Job { name: "sample", check, corpus: &corpus, failures: &failures, seed: 3, budget }.run()
    };
    assert_eq!(run(|_| (), Budget::Inputs(50)), Ok(52), "the empty input, the seed, and 50 changes");
    assert!(!failures.exists());
    let wrong = run(
        |input| assert!(input.len() < 11, "expected in this test"),
        Budget::Time(Duration::from_secs(60)),
    );
    assert!(wrong.unwrap_err().starts_with("sample: panicked"));
    assert!(fs::read(failures.join("sample-3")).unwrap().len() > 10);
}

#[test]
fn every_target_has_a_corpus_and_a_fuzzer() {
    let names = |under: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(folder().join(under)).unwrap().map(|entry| entry.unwrap().path());
        entries.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
    };
    let targets: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(targets.len(), TARGETS.len(), "names are unique");
    assert_eq!(names("corpus"), targets);
    assert_eq!(names("fuzz_targets"), targets);
    for name in targets {
        let fuzzer = fs::read_to_string(folder().join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(fuzzer.contains(&format!("diskspd_fuzz::{name}::check(data)")), "{name}");
    }
}
