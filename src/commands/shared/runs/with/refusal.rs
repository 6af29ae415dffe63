//! Features that DISKSPD does not support, rejected explicitly before any run.

use super::WithError;
use super::profile::{represents_all, text};
use super::tool::Tool;
use crate::cli::print_options;
use crate::finding::Finding;
use crate::host::refusal::WriteRefusedError;
use crate::profile::{Compat, Profile, RawText, RunOptions, Target};
use std::collections::BTreeSet;

pub(crate) struct WithRequest<'a> {
    pub run_options: &'a RunOptions,
    /// Options that only this program supports.
    pub own_options: Vec<&'static str>,
    pub destroy: bool,
    /// Disks and volumes that may be overwritten; `None` = all.
    pub named: Option<&'a [RawText]>,
}

/// Returns the features of a run that only this program supports, and necessary permissions.
pub(crate) fn refusals(profile: &Profile, beside: &WithRequest) -> Vec<Finding> {
    let options = options_beyond(profile, beside);
    let named = |option: &String| {
        format!("--with: DISKSPD has no option like {option}: leave it out, or let this program make the run")
    };
    let mut refused: Vec<String> = options.iter().map(named).collect();
    if options.is_empty() {
        refused.extend(own_elements(profile).into_iter().map(|element| {
            format!("--with: DISKSPD cannot do <{element}> of this profile; let this program make the run")
        }));
    }
    refused.extend(unnamed_target(profile, beside.named));
    refused.extend(written_device(profile, |_| true).map(overwrite_refusal).filter(|_| !beside.destroy));
    refused.into_iter().map(Finding::error).collect()
}

/// Returns the options of the profile that DISKSPD does not support.
fn options_beyond(profile: &Profile, beside: &WithRequest) -> BTreeSet<String> {
    // A preset is a profile; only its judgement is of this program.
    let run_options = RunOptions { preset: None, ..beside.run_options.clone() };
    let spans = profile.time_spans.iter();
    let of_targets = spans.flat_map(|span| span.targets.iter().map(move |target| (span, target)));
    let of_work = of_targets.flat_map(|(span, target)| print_options::beyond_diskspd(span, target));
    let of_run = print_options::words_of_run_options(&run_options).into_iter();
    let own = beside.own_options.iter().map(|option| (*option).to_owned());
    let mut options: BTreeSet<String> = of_work.chain(of_run).chain(own).collect();
    // None is ignored because no row writes it.
    if options.is_empty() && run_options != RunOptions::default() {
        options.insert("an option of this program that is given here".to_owned());
    }
    options
}

fn own_elements(profile: &Profile) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(&text(profile, Compat::V2_3)).into_owned();
    let elements = text.match_indices("<linux:").map(|(at, _)| {
        let name = &text[at + 1..];
        name[..name.find([' ', '>']).unwrap_or(name.len())].to_owned()
    });
    elements.collect()
}

fn overwrite_refusal(path: &RawText) -> String {
    format!(
        "--with: {path} would be overwritten, and the content of this disk or volume cannot be checked from \
         here: pass --destroy to allow it"
    )
}

/// Refuses disks and volumes in a file, which is not a permission to write to them.
fn unnamed_target(profile: &Profile, named: Option<&[RawText]>) -> Option<String> {
    let path = written_device(profile, |path| named.is_some_and(|named| !named.contains(path)))?;
    Some(WriteRefusedError::Unnamed { path: path.as_path().to_owned() }.to_string())
}

/// Returns the first of these disks and volumes that the run writes to.
fn written_device(profile: &Profile, is_meant: impl Fn(&RawText) -> bool) -> Option<&RawText> {
    let targets = profile.time_spans.iter().flat_map(|span| &span.targets);
    let mut written =
        targets.filter(|target| is_device(target) && writes_target(target)).map(|target| &target.path);
    written.find(|path| is_meant(path))
}

fn writes_target(target: &Target) -> bool {
    target.write_ratio > 0 || target.file_size.is_some()
}

/// Whether the target is a device: `#1`, `C:`, `\\.\PhysicalDrive1`, `/dev/sdb`.
fn is_device(target: &Target) -> bool {
    let path = target.path.as_bytes();
    let is_volume =
        matches!(path, [letter, b':'] | [letter, b':', b'\\' | b'/'] if letter.is_ascii_alphabetic());
    path.starts_with(b"#") || path.starts_with(b"\\\\.\\") || path.starts_with(b"/dev/") || is_volume
}

impl Tool {
    /// Checks that this version of DISKSPD can express all of it.
    pub(crate) fn fits(&self, asked: &Profile) -> Result<(), WithError> {
        if asked.compat.is_2_3() && !self.version.compat().is_2_3() {
            return Err(WithError::Unfit(format!(
                "--with: --compat 2.3 needs DISKSPD 2.3, and this is {self}; leave it out, or name a DISKSPD \
                 2.3"
            )));
        }
        if !represents_all(asked, self.version.compat()) {
            return Err(WithError::Unfit(format!(
                "--with: {self} does not have all of these options; leave out the options of a newer \
                 DISKSPD"
            )));
        }
        Ok(())
    }
}
