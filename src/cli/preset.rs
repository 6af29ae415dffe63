//! `--preset`: the options of a named workload, with those of the command line behind them.

use super::error::CliError;
use super::{Invocation, RunRequest};
use crate::finding::Finding;
use crate::presets::{self, Preset};
use crate::profile::RawText;
use std::ffi::OsString;

/// The preset that arguments (without the program's name) ask for, and the other arguments; `None` = none.
///
/// # Errors
/// There is no such preset, or two are asked for.
pub fn split(arguments: &[OsString]) -> Result<Option<(&'static Preset, Vec<OsString>)>, CliError> {
    let mut found = None;
    let mut rest = Vec::new();
    let mut all = arguments.iter();
    while let Some(argument) = all.next() {
        let text = argument.as_encoded_bytes();
        let name = match text.strip_prefix(b"--preset") {
            Some(b"") => all.next().map(|value| value.as_encoded_bytes()).unwrap_or_default(),
            Some([b'=', name @ ..]) => name,
            _ => {
                rest.push(argument.clone());
                continue;
            }
        };
        let name = String::from_utf8_lossy(name);
        let error = |what: &str| {
            let error = CliError::at(text, 0, what);
            error.hint(format!("diskspd preset shows what each is: {}", presets::names()))
        };
        let preset = presets::find(&name).ok_or_else(|| error(&format!("there is no preset '{name}'")))?;
        if found.replace(preset).is_some() {
            return Err(error("one preset at a time"));
        }
    }
    Ok(found.map(|preset| (preset, rest)))
}

/// The run that a preset and further arguments make; `understand` reads the command line of a part.
///
/// # Errors
/// What is wrong with the arguments, as beside options given by hand.
pub fn request(
    preset: &Preset,
    rest: &[OsString],
    command_line: RawText,
    understand: fn(&[OsString]) -> Result<Invocation, CliError>,
) -> Result<Invocation, CliError> {
    if let Some(profile) = rest.iter().find(|argument| argument.as_encoded_bytes().starts_with(b"-X")) {
        let what = "-X and --preset exclude each other: both define the workload";
        return Err(CliError::at(profile.as_encoded_bytes(), 0, what).hint("leave out one of them"));
    }
    let mut all: Option<RunRequest> = None;
    let mut last = 0;
    for part in preset.parts {
        let own = ["diskspd"].into_iter().chain(part.options.split(' ')).map(OsString::from);
        let arguments: Vec<OsString> = own.chain(rest.iter().cloned()).collect();
        let request = match understand(&arguments)? {
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
    all.profile.command_line = command_line;
    all.method.preset = Some(preset.name.to_owned());
    Ok(Invocation::Run(Box::new(all)))
}

/// Adds a further part: to the last time span, or as the next one.
fn add(all: &mut RunRequest, part: RunRequest, same_time_span: bool) {
    let spans = part.profile.time_spans;
    match all.profile.time_spans.last_mut().filter(|_| same_time_span) {
        Some(last) => last.targets.extend(spans.into_iter().flat_map(|span| span.targets)),
        None => all.profile.time_spans.extend(spans),
    }
    let new: Vec<Finding> = part.warnings.into_iter().filter(|line| !all.warnings.contains(line)).collect();
    all.warnings.extend(new);
}
