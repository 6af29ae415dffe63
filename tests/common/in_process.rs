//! Runs within this process: requests of command lines, and their results.

use diskspd::cli::{self, Invocation, RunRequest};
use diskspd::prelude::*;
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

/// Runs a line, which has to go well.
#[track_caller]
pub fn run(line: &str) -> Record {
    let (profile, run_options) = profile_and_options(line);
    let executed =
        execute(&profile, &run_options, &Session::default()).unwrap_or_else(|why| panic!("{line}: {why}"));
    assert!(executed.failures.is_empty(), "{line}: {:?}", executed.failures);
    executed.record
}
