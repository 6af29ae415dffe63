//! Runs within this process: requests of command lines, and their results.

use diskspd::cli::{self, Invocation, RunRequest};
use diskspd::prelude::*;
use diskspd::results::TargetResults;
use std::ffi::OsString;

#[track_caller]
pub fn requested(line: &str) -> RunRequest {
    let words = ["diskspd"].into_iter().chain(line.split_whitespace());
    let arguments: Vec<OsString> = words.map(Into::into).collect();
    match cli::parse(&arguments) {
        Ok(Invocation::Run(request)) => *request,
        other => panic!("{line}: {other:?}"),
    }
}

#[track_caller]
pub fn profile_and_options(line: &str) -> (Profile, RunOptions) {
    let RunRequest { profile, run_options, .. } = requested(line);
    (profile, run_options)
}

/// Runs a line, which must succeed.
#[track_caller]
pub fn run(line: &str) -> Record {
    let (profile, run_options) = profile_and_options(line);
    let executed =
        execute(&profile, &run_options, &Session::default()).unwrap_or_else(|why| panic!("{line}: {why}"));
    assert!(executed.failures.is_empty(), "{line}: {:?}", executed.failures);
    executed.record
}

/// Returns the results of each thread on each target in the first time span.
pub fn target_rows(record: &Record) -> Vec<&TargetResults> {
    record.host().results.time_spans[0].threads.iter().flat_map(|thread| &thread.targets).collect()
}

/// Whether a part of random choices has about this share, within chance.
pub fn has_share(part: u64, all: u64, percent: u64) -> bool {
    let share = percent as f64 / 100.0;
    let slack = 5.0 * (all as f64 * share * (1.0 - share)).sqrt() + 64.0;
    all > 200 && (part as f64 - all as f64 * share).abs() <= slack
}
