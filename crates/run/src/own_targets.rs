//! Targets that are files of the program, or of the command that executes the runs.

use super::options::Options;
use diskspd_host::target::locate;
use diskspd_output::{OutputError, refuse_targets_of_command};
use diskspd_plan as plan;
use diskspd_profile::TimeSpan;

/// Returns an error for each target that must not be written.
pub(crate) fn faults(span: &TimeSpan, options: &Options) -> Vec<OutputError> {
    if options.run_options.simulated() {
        return Vec::new();
    }
    let filled = options.run_options.prefill.is_some();
    let changed = span.targets.iter().filter(|target| filled || target.is_changed() || plan::creates(target));
    let places =
        changed.filter_map(|target| Some((target.path.to_string(), locate(target.path.as_bytes()).ok()?)));
    refuse_targets_of_command(places, &options.own)
}
