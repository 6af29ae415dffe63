//! The command line that says what a profile says, where there is one: each row of the table of options
//! prints what it reads.

use super::flag::{Compatibility, Flag, Print};
use super::parse::parse;
use super::{Invocation, RunRequest, TypedLine, flags};
use crate::profile::{Profile, RawText, RunOptions, Target, TimeSpan};
use std::ffi::OsString;

/// What sets these run options on a command line, one word each.
pub fn words_of_run_options(run_options: &RunOptions) -> Vec<String> {
    let of_row = |flag: &'static Flag| match flag.print {
        Print::RunOptions(of) => of(run_options),
        Print::Work(_) | Print::Nothing => Vec::new(),
    };
    flags::all().flat_map(|flag| flag.words(of_row(flag))).collect()
}

/// What sets what is done in a time span, as its first target has it; `says`: whether a row says what holds
/// anyway.
fn words_of_work(span: &TimeSpan, target: &Target, says: impl Fn(&Flag) -> bool) -> Vec<String> {
    let default = (TimeSpan::default(), Target::default());
    let of_row = |flag: &'static Flag| match flag.print {
        Print::Work(of) => {
            let (values, others) = (of(span, target), of(&default.0, &default.1));
            if values == others && !says(flag) { Vec::new() } else { values }
        }
        Print::RunOptions(_) | Print::Nothing => Vec::new(),
    };
    flags::all().flat_map(|flag| flag.words(of_row(flag))).collect()
}

/// The words for what of a target's work DISKSPD has no option for.
pub fn beyond_diskspd(span: &TimeSpan, target: &Target) -> Vec<String> {
    let default = (TimeSpan::default(), Target::default());
    let of_row = |flag: &'static Flag| match (&flag.print, flag.compatibility) {
        (Print::Work(of), Compatibility::LinuxOnly) => {
            let values = of(span, target);
            if values == of(&default.0, &default.1) { Vec::new() } else { values }
        }
        _ => Vec::new(),
    };
    flags::all().flat_map(|flag| flag.words(of_row(flag))).collect()
}

/// The words behind the program's name; `None` = no command line says all of this. Whether one does is found
/// by reading it.
pub fn command_line(profile: &Profile, run_options: &RunOptions) -> Option<Vec<OsString>> {
    write_options(profile, run_options, |_| true)
}

/// The same as somebody types it who has typed `line`: what holds anyway is said where it is said there.
pub fn command_line_like(
    line: &TypedLine,
    profile: &Profile,
    run_options: &RunOptions,
) -> Option<Vec<OsString>> {
    write_options(profile, run_options, |flag| line.options.iter().any(|given| given.flag == Some(flag)))
}

fn write_options(
    profile: &Profile,
    run_options: &RunOptions,
    says: impl Fn(&Flag) -> bool,
) -> Option<Vec<OsString>> {
    let [span] = &profile.time_spans[..] else { return None };
    let mut words = words_of_work(span, span.targets.first()?, says);
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
        Ok(Invocation::Run(request)) if asks_for(&request, profile, &run_options) => Some(words),
        _ => None,
    }
}

/// Whether a line that was read asks for this.
fn asks_for(request: &RunRequest, profile: &Profile, run_options: &RunOptions) -> bool {
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
