//! Inputs of a run, which no output may overwrite.

use super::doubles::NamedOutput;
use diskspd_profile::{Profile, RawText, RunOptions};

/// Returns the inputs of a run other than its targets: data to write, and I/Os to replay.
pub(crate) fn inputs_of(profile: &Profile, run_options: &RunOptions) -> Vec<NamedOutput> {
    let of =
        |by: &str, path: &RawText| NamedOutput { by: format!("{by}{path}"), path: path.as_path().to_owned() };
    let targets = profile.time_spans.iter().flat_map(|span| &span.targets);
    let sources = targets.filter_map(|target| target.random_data_source.as_ref()?.path.as_ref());
    let replayed = run_options.replay.as_ref().map(|replay| of("--replay ", &replay.file));
    sources.map(|path| of("-Z<size>,", path)).chain(replayed).collect()
}
