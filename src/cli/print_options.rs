//! The command line for a profile, if one exists. Each row of the table of options prints its parsed form.

use super::flag::{Compatibility, Flag, Print};
use super::parse::parse;
use super::{Invocation, RunRequest, TypedLine, flags};
use crate::profile::{Profile, RawText, RunOptions, Target, TimeSpan};
use std::ffi::OsString;

/// Returns the words that set these run options.
pub fn words_of_run_options(run_options: &RunOptions) -> Vec<String> {
    let of_row = |flag: &'static Flag| match flag.print {
        Print::RunOptions(of) => of(run_options),
        Print::Work(_) | Print::Nothing => Vec::new(),
    };
    flags::all().flat_map(|flag| flag.words(of_row(flag))).collect()
}

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

/// Returns the words for features of a target that DISKSPD does not have.
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

/// Returns the words after the program's name; `None` if no command line expresses all of this, which is
/// verified by parsing it.
pub fn command_line(profile: &Profile, run_options: &RunOptions) -> Option<Vec<OsString>> {
    write_options(profile, run_options, |_| true)
}

/// Returns the command line in the style of `line`, with the defaults that it states.
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
        Ok(Invocation::Run(request)) if is_equivalent(&request, profile, &run_options) => Some(words),
        _ => None,
    }
}

/// Whether a parsed request equals this profile and these options.
fn is_equivalent(request: &RunRequest, profile: &Profile, run_options: &RunOptions) -> bool {
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
