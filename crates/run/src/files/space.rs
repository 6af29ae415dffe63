//! The space that a whole run needs on its file systems, checked before the first write.

use crate::files::creation::last_of_each;
use crate::files::prepare::{Growth, PrepareError, all_fit};
use crate::options::Options;
use crate::precreate;
use diskspd_host::target::locate;
use diskspd_plan as plan;
use diskspd_profile::{Profile, RawText};
use std::path::PathBuf;

/// Returns the first time span whose files do not fit, and the reason. Files of earlier time spans stay, so
/// they need their space as well.
pub fn lack(profile: &Profile, options: &Options) -> Option<(usize, PrepareError)> {
    if options.run_options.simulated() {
        return None;
    }
    let filled = options.run_options.prefill.is_some();
    let located = |path: &RawText| locate(path.as_bytes()).ok();
    let mut files: Vec<(Growth, PathBuf)> = Vec::new();
    let mut precreated: Vec<PathBuf> = Vec::new();
    for file in precreate::files(profile) {
        let Some(place) = located(&file.path) else { continue };
        files.push((Growth::To(file.size), place.clone()));
        precreated.push(place);
    }
    for (number, span) in profile.time_spans.iter().enumerate() {
        let known = files.len();
        for target in &span.targets {
            let Some(place) = located(&target.path).filter(|place| !precreated.contains(place)) else {
                continue;
            };
            match target.file_size {
                Some(size) if plan::creates(target) => files.push((Growth::To(size), place)),
                // What the run has made is complete.
                _ if filled && !files.iter().any(|(_, known)| *known == place) => {
                    files.push((Growth::Filled, place));
                }
                _ => {}
            }
        }
        if number > 0 && files.len() == known {
            continue;
        }
        let wanted = last_of_each(&files).map(|(growth, place)| (place.as_path(), *growth));
        if let Err(error) = all_fit(wanted, options.recreate) {
            return Some((number, error));
        }
    }
    None
}
