//! `--preset`: the options of a named workload, followed by the command line's options.

use super::error::CliError;
use super::line::{OptionOnLine, TypedLine};
use super::suggest;
use super::{Invocation, RunRequest};
use crate::finding::Finding;
use crate::presets::{self, Preset};
use crate::profile::RawText;
use std::ffi::OsString;

/// Returns the preset of a line, and the rest of the line; `None` without a preset.
///
/// # Errors
/// Fails if the preset is unknown, or if two are given.
pub(super) fn split_preset(line: &TypedLine) -> Result<Option<(&'static Preset, TypedLine)>, CliError> {
    let (given, options): (Vec<OptionOnLine>, Vec<OptionOnLine>) =
        line.options.iter().cloned().partition(|given| given.is_long("preset"));
    let Some(one) = given.first() else { return Ok(None) };
    let name = String::from_utf8_lossy(&one.value);
    match (presets::find(&name), given.get(1)) {
        (None, _) => {
            let error = CliError::at(&one.value, 0, format!("there is no preset '{name}'"));
            Err(error.hint(match suggest_preset(&name) {
                Some(suggest_preset) => format!("did you mean {suggest_preset}? diskspd preset lists all"),
                None => format!("diskspd preset shows what each is: {}", presets::names()),
            }))
        }
        (_, Some(other)) => Err(CliError::at(&other.argument, 0, "one preset at a time")
            .hint("several workloads alternately: diskspd suite --help")),
        (Some(preset), None) => Ok(Some((preset, TypedLine { options, ..line.clone() }))),
    }
}

fn suggest_preset(name: &str) -> Option<String> {
    let names: Vec<&'static str> = presets::PRESETS.iter().map(|preset| preset.name).collect();
    let near = suggest::nearest(&names, name.as_bytes()).map(str::to_owned);
    let begin_so: Vec<&str> = names.into_iter().filter(|known| known.starts_with(name)).collect();
    near.or_else(|| (!name.is_empty() && !begin_so.is_empty()).then(|| begin_so.join(" or ")))
}

/// Returns the run of a preset and the rest of the line; `read` parses the line of a part.
///
/// # Errors
/// Fails with the errors of options given by hand.
pub(super) fn request(
    preset: &Preset,
    rest: &TypedLine,
    command_line: RawText,
    read: fn(&TypedLine, RawText) -> Result<Invocation, CliError>,
) -> Result<Invocation, CliError> {
    if let Some(profile) = rest.options.iter().find(|given| given.names_profile()) {
        let name = if profile.is_long("fio") { "--fio" } else { "-X" };
        let what = format!("{name} and --preset exclude each other: both define the workload");
        return Err(CliError::at(&profile.argument, 0, what).hint("leave out one of them"));
    }
    let mut all: Option<RunRequest> = None;
    let mut last = 0;
    for part in preset.parts {
        let own: Vec<OsString> = part.options.split(' ').map(OsString::from).collect();
        let mut line = TypedLine::split(&own)?;
        line.options.extend(rest.options.iter().cloned());
        line.targets.clone_from(&rest.targets);
        let request = match read(&line, command_line.clone())? {
            Invocation::Run(request) => *request,
            answer => return Ok(answer),
        };
        match &mut all {
            None => all = Some(request),
            Some(all) => add(all, request, part.time_span == last),
        }
        last = part.time_span;
    }
    let Some(mut all) = all else { return Err(CliError::new("the preset is empty")) };
    all.run_options.preset = Some(preset.name.to_owned());
    Ok(Invocation::Run(Box::new(all)))
}

fn add(all: &mut RunRequest, part: RunRequest, same_time_span: bool) {
    let spans = part.profile.time_spans;
    match all.profile.time_spans.last_mut().filter(|_| same_time_span) {
        Some(last) => last.targets.extend(spans.into_iter().flat_map(|span| span.targets)),
        None => all.profile.time_spans.extend(spans),
    }
    let new: Vec<Finding> = part.warnings.into_iter().filter(|line| !all.warnings.contains(line)).collect();
    all.warnings.extend(new);
}
