//! All profile settings with other values than the default, in table form.

use diskspd::profile::{Profile, Target, TimeSpan};
use serde_json::Value;

/// Returns `verbose=true 1.duration=30 1.2.path="b.dat"`: settings of the profile, of time span 1, and of
/// its target 2, from the serialized form, so that forgotten settings are included.
pub fn settings(profile: &Profile) -> String {
    let mut found = Vec::new();
    compare("", profile, &Profile::default(), &["time_spans", "command_line"], &mut found);
    for (number, span) in (1..).zip(&profile.time_spans) {
        let prefix = format!("{number}.");
        compare(&prefix, span, &TimeSpan::default(), &["targets"], &mut found);
        for (target, settings) in (1..).zip(&span.targets) {
            let prefix = format!("{prefix}{target}.");
            found.push(format!("{prefix}path={}", json(&settings.path)));
            compare(&prefix, settings, &Target::default(), &["path"], &mut found);
        }
    }
    found.join(" ")
}

fn compare(
    prefix: &str,
    given: &impl serde::Serialize,
    default: &impl serde::Serialize,
    skip: &[&str],
    found: &mut Vec<String>,
) {
    let default = json(default);
    for (name, value) in json(given).as_object().unwrap() {
        if !skip.contains(&name.as_str()) && value != &default[name] {
            found.push(format!("{prefix}{name}={value}"));
        }
    }
}

fn json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}
