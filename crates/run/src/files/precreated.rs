//! The files that are created once, before the first time span.

use crate::files::creation;
use crate::options::Options;
use crate::precreate::{File, NotCreated, files};
use diskspd_host::target::{self, NotLocated};
use diskspd_model::profile::{Profile, RawText};
use diskspd_worker::{Control, SpanOutcome, Voice};
use std::collections::HashSet;
use std::path::PathBuf;

/// Creates the files. Returns their paths; none after an interruption.
///
/// # Errors
/// The first file that could not be created, and whether any was touched.
pub fn create_all(
    profile: &Profile,
    options: &Options,
    control: &Control,
    voice: &Voice,
) -> Result<HashSet<RawText>, Box<SpanOutcome>> {
    let wanted = if options.run_options.simulated() { Vec::new() } else { files(profile) };
    let located: Vec<(File, PathBuf)> = wanted
        .into_iter()
        .map(|file| target::locate(file.path.as_bytes()).map(|path| (file, path)))
        .collect::<Result<_, _>>()
        .map_err(|error: NotLocated| Box::new(SpanOutcome::refused(vec![error.to_string()])))?;
    match creation::create_all(&located, options, control, voice) {
        Ok(()) => Ok(located.into_iter().map(|(file, _)| file.path).collect()),
        // Nothing runs on them any more.
        Err(NotCreated::Interrupted) => Ok(HashSet::new()),
        Err(not) => Err(Box::new(not.into())),
    }
}
