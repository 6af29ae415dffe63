//! The files that are created once, before the first time span.

use crate::files::creation;
use crate::options::Options;
use crate::precreate::{File, PrecreateError, files};
use diskspd_host::target::{self, LocateError};
use diskspd_profile::{Profile, RawText};
use diskspd_worker::{Control, RunReporter, SpanOutcome};
use std::collections::HashSet;
use std::path::PathBuf;

/// Creates the files. Returns their paths; none after an interruption.
///
/// # Errors
/// Fails with the first file that could not be created, and whether any file was changed.
pub(crate) fn create_all(
    profile: &Profile,
    options: &Options,
    control: &Control,
    voice: &RunReporter,
) -> Result<HashSet<RawText>, Box<SpanOutcome>> {
    let mut wanted = if options.run_options.simulated() { Vec::new() } else { files(profile) };
    wanted.retain(|file| !options.made.contains(&file.path));
    let made = wanted.iter().map(|file| file.path.clone()).collect();
    match create(wanted, options, control, voice) {
        Ok(()) => Ok(made),
        // Nothing runs on them any more.
        Err(PrecreateError::Interrupted) => Ok(HashSet::new()),
        Err(not) => Err(Box::new(not.into())),
    }
}

/// Creates these files before a run begins.
///
/// # Errors
/// Fails with the first file that could not be created.
pub fn create(
    wanted: Vec<File>,
    options: &Options,
    control: &Control,
    voice: &RunReporter,
) -> Result<(), PrecreateError> {
    let located: Vec<(File, PathBuf)> = wanted
        .into_iter()
        .map(|file| target::locate(file.path.as_bytes()).map(|path| (file, path)))
        .collect::<Result<_, _>>()
        .map_err(|error: LocateError| PrecreateError::Refused(error.to_string()))?;
    creation::create_all(&located, options, control, voice)
}
