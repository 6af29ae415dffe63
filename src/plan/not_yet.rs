//! Options of DISKSPD that this version can read, validate and print, but not carry out.
//! They are refused, each by name: an option that is accepted and ignored would falsify the run.

use super::PlanError;
use crate::profile::{CacheMode, IoPriority, Profile, Target};

/// An option and how to see that a target uses it.
struct NotYet {
    option: &'static str,
    meaning: &'static str,
    used: fn(&Target) -> bool,
}

const TARGET: &[NotYet] = &[
    NotYet { option: "-I", meaning: "I/O priorities", used: |t| t.io_priority != IoPriority::Normal },
    NotYet { option: "-l", meaning: "large pages for I/O buffers", used: |t| t.use_large_pages },
    NotYet { option: "-Sm", meaning: "memory-mapped I/O", used: |t| t.memory_mapped_io },
    NotYet {
        option: "-Sr",
        meaning: "bypassing only the local cache",
        used: |t| t.cache_mode == CacheMode::DisableLocalCache,
    },
];

/// One error for every option in use that this version can't carry out.
pub fn not_yet(profile: &Profile) -> Vec<PlanError> {
    let targets = || profile.time_spans.iter().flat_map(|s| &s.targets);
    let mut found = Vec::new();
    for row in TARGET {
        if targets().any(row.used) {
            found.push(refusal(row.option, row.meaning));
        }
    }
    found
}

fn refusal(option: &str, meaning: &str) -> PlanError {
    PlanError::profile(format!(
        "{option}: this version can't run with {meaning} yet. The option is understood (-Rp prints the profile), but \
         running without it would measure something else; leave it out, or use a later version"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::TimeSpan;

    fn messages(span: TimeSpan) -> String {
        let profile = Profile { time_spans: vec![span], ..Profile::default() };
        not_yet(&profile).iter().map(|e| format!("{e}\n")).collect()
    }

    #[test]
    fn what_cannot_be_run_is_named_once_however_many_targets_use_it() {
        let target = Target { memory_mapped_io: true, use_large_pages: true, ..Target::default() };
        let span = TimeSpan { targets: vec![target.clone(), target], ..TimeSpan::default() };
        let text = messages(span);
        for option in ["-Sm: ", "-l: "] {
            assert_eq!(text.matches(option).count(), 1, "{text}");
        }
        assert_eq!(text.lines().count(), 2);
    }

    #[test]
    fn a_plain_span_is_refused_nothing() {
        assert_eq!(messages(TimeSpan { targets: vec![Target::default()], ..TimeSpan::default() }), "");
    }
}
