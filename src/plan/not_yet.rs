//! Options of DISKSPD that this version can read, validate and print, but not carry out.
//! They are refused, each by name: an option that is accepted and ignored would falsify the run.

use super::PlanError;
use crate::profile::{Profile, Target, TimeSpan};

/// An option and how to see that a time span or target uses it.
struct NotYet<T: 'static> {
    option: &'static str,
    meaning: &'static str,
    used: fn(&T) -> bool,
}

const SPAN: &[NotYet<TimeSpan>] = &[
    NotYet { option: "-x", meaning: "completion routines", used: |s| s.completion_routines },
    NotYet { option: "-Zr", meaning: "fresh random data for every write", used: |s| s.random_write_data },
];

const TARGET: &[NotYet<Target>] = &[
    NotYet { option: "-g", meaning: "throughput limits", used: |t| t.throughput.is_some() },
    NotYet {
        option: "-i and -j",
        meaning: "bursts and think time",
        used: |t| t.think_time.is_some_and(|ms| ms > 0),
    },
    NotYet {
        option: "-Z<size>",
        meaning: "write data from a random source",
        used: |t| t.random_data_source.is_some(),
    },
];

/// One error for every option in use that this version can't carry out.
pub fn not_yet(profile: &Profile) -> Vec<PlanError> {
    let spans = || profile.time_spans.iter();
    let targets = || spans().flat_map(|s| &s.targets);
    let mut found = Vec::new();
    if profile.verbose_stats {
        found.push(refusal("-vs", "wait statistics"));
    }
    for row in SPAN {
        if spans().any(row.used) {
            found.push(refusal(row.option, row.meaning));
        }
    }
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
    use crate::profile::Throughput;

    fn messages(span: TimeSpan) -> String {
        let profile = Profile { time_spans: vec![span], ..Profile::default() };
        not_yet(&profile).iter().map(|e| format!("{e}\n")).collect()
    }

    #[test]
    fn what_cannot_be_run_is_named_once_however_many_targets_use_it() {
        let target = Target {
            throughput: Some(Throughput::Iops(5)),
            cache_mode: CacheMode::DisableLocalCache,
            ..Target::default()
        };
        let span = TimeSpan {
            completion_routines: true,
            targets: vec![target.clone(), target],
            ..TimeSpan::default()
        };
        let text = messages(span);
        for option in ["-x: ", "-g: ", "-Sr: "] {
            assert_eq!(text.matches(option).count(), 1, "{text}");
        }
        assert_eq!(text.lines().count(), 3);
    }

    #[test]
    fn a_plain_span_is_refused_nothing() {
        assert_eq!(messages(TimeSpan { targets: vec![Target::default()], ..TimeSpan::default() }), "");
    }
}
