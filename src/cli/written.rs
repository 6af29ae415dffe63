//! The command line that says what a profile says, where there is one: each row of the table of options
//! prints what it reads.

use super::flag::Print;
use super::parse::parse;
use super::{Invocation, RunRequest, flags};
use crate::profile::{Profile, RawText, RunOptions, Target, TimeSpan};
use std::ffi::OsString;

/// What sets these run options on a command line, one word each.
pub fn words_of_run_options(run_options: &RunOptions) -> Vec<String> {
    words(|print| match print {
        Print::RunOptions(of) => of(run_options),
        Print::Work(_) | Print::Nothing => Vec::new(),
    })
}

/// What sets what is done in a time span, as its first target has it.
fn words_of_work(span: &TimeSpan, target: &Target) -> Vec<String> {
    words(|print| match print {
        Print::Work(of) => of(span, target),
        Print::RunOptions(_) | Print::Nothing => Vec::new(),
    })
}

fn words(values: impl Fn(&Print) -> Vec<String>) -> Vec<String> {
    flags::all().flat_map(|flag| flag.words(values(&flag.print))).collect()
}

/// The words behind the program's name, all that matters among them; `None` = no command line says all of
/// this. Whether one does is found by reading it.
pub fn command_line(profile: &Profile, run_options: &RunOptions) -> Option<Vec<OsString>> {
    written(profile, run_options, |span, target| words_of_work(span, target))
}

/// The same without what holds anyway: as it would be typed.
pub fn short_command_line(profile: &Profile, run_options: &RunOptions) -> Option<Vec<OsString>> {
    let default = words_of_work(&TimeSpan::default(), &Target::default());
    written(profile, run_options, |span, target| {
        words_of_work(span, target).into_iter().filter(|word| !default.contains(word)).collect()
    })
}

fn written(
    profile: &Profile,
    run_options: &RunOptions,
    work: impl Fn(&TimeSpan, &Target) -> Vec<String>,
) -> Option<Vec<OsString>> {
    let [span] = &profile.time_spans[..] else { return None };
    let mut words = work(span, span.targets.first()?);
    let mut run_options = run_options.clone();
    if span.until_written.or(span.until_read).is_some() {
        (run_options.until_written, run_options.until_read) = (span.until_written, span.until_read);
    }
    words.extend(words_of_run_options(&run_options));
    let options = words.into_iter().map(OsString::from);
    let paths = span.targets.iter().map(|target| target.path.as_os_str().to_owned());
    let words: Vec<OsString> = options.chain(paths).collect();
    let arguments: Vec<OsString> = std::iter::once("diskspd".into()).chain(words.iter().cloned()).collect();
    match parse(&arguments) {
        Ok(Invocation::Run(request)) if says(&request, profile, &run_options) => Some(words),
        _ => None,
    }
}

/// Whether a line that was read asks for this.
fn says(request: &RunRequest, profile: &Profile, run_options: &RunOptions) -> bool {
    let plain = |profile: &Profile| {
        let mut profile = Profile { command_line: RawText::default(), ..profile.clone() };
        for span in &mut profile.time_spans {
            (span.until_written, span.until_read) = (None, None);
            span.targets.iter_mut().filter(|target| !target.is_mixed()).for_each(|target| {
                target.block_alignment = target.stride();
            });
        }
        profile
    };
    request.run_options == *run_options && plain(&request.profile) == plain(profile)
}
