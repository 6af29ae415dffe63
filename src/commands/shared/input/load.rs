//! The run and its options: from the command line, a file of `-X` or `--fio`, or a record (`rerun`).

use super::{fio_jobs, load_runs};
use crate::cli::{CliError, Exit, ProfileFile, ProfileForm, RunRequest};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::runs::runnable::Runnable;
use crate::commands::shared::runs::stored;
use crate::finding::Finding;
use crate::fio_jobs::ConvertedJob;
use crate::host::claims;
use crate::host::target::locate;
use crate::limits::EmptyInput;
use crate::machine::System;
use crate::message_error::MessageError;
use crate::profile::xml::{self, MAX_BYTES};
use crate::profile::{Origin, Profile, RawText, RunOptions};
use crate::sys::files;
use crate::sys::inode;
use crate::sys::owners;
use crate::sys::standard_error::print_line;
use std::cell::OnceCell;
use std::io::{self, Read};
use std::path::Path;

pub(crate) struct RunSource {
    /// Run with all settings of the command line.
    pub run: Runnable,
    /// Whether run options are known; some records lack them.
    pub run_options_are_known: bool,
    /// Machine of the recorded run, for a rerun.
    pub before: Option<System>,
}

impl RunSource {
    fn new(request: &RunRequest, profile: Profile, run_options: RunOptions, origin: Origin) -> RunSource {
        let run = Runnable { origin, ..Runnable::new(request, profile, run_options) };
        RunSource { run, run_options_are_known: true, before: None }
    }

    pub(crate) fn repetition(&self, number: usize) -> RunSource {
        RunSource { run: self.run.repetition(number), before: self.before.clone(), ..*self }
    }
}

/// The profile of `-X` or `--fio`, its run options and its origin, read once for all runs of a command.
#[derive(Default)]
pub(crate) struct ProfileCache {
    read: OnceCell<(Profile, RunOptions, Origin)>,
    /// Origin of the command line that names the path.
    origin: Origin,
}

impl ProfileCache {
    /// Creates the cache for a command line from this origin.
    pub(crate) fn named_by(origin: Origin) -> ProfileCache {
        ProfileCache { read: OnceCell::new(), origin }
    }

    fn read(&self, from: &ProfileFile, quiet: bool) -> Result<(Profile, RunOptions, Origin), CommandError> {
        if let Some(read) = self.read.get() {
            return Ok(read.clone());
        }
        let read = match from.form {
            ProfileForm::FioLine => {
                let mut origin = self.origin.clone();
                let converted = fio_jobs::converted_command_line(&from.words, &mut origin.owners);
                of_fio(converted, origin, quiet)?
            }
            ProfileForm::Xml | ProfileForm::FioJobs => self.read_file(from, quiet)?,
        };
        Ok(self.read.get_or_init(|| read).clone())
    }

    fn read_file(
        &self,
        from: &ProfileFile,
        quiet: bool,
    ) -> Result<(Profile, RunOptions, Origin), CommandError> {
        let path = from.path.as_path();
        let is_secret = self.origin.is_received();
        let (bytes, owner) =
            read_limited(from, &self.origin.owners).map_err(|why| wrong_profile(from, vec![why.into()]))?;
        let mut origin = self.origin.clone().owned_by(owner);
        if from.form == ProfileForm::FioJobs {
            let converted = fio_jobs::converted(&bytes, path, &mut origin.owners, is_secret);
            return of_fio(converted, origin, quiet);
        }
        let profile = xml::read(&bytes).map_err(|error| match is_secret {
            true => wrong_profile(
                from,
                vec![format!("this profile is not valid; diskspd -Rp -X{} explains", from.path)],
            ),
            false => wrong_profile(from, vec![error.to_string()]),
        })?;
        Ok((profile, RunOptions::default(), origin))
    }
}

fn of_fio(
    converted: Result<ConvertedJob, Vec<Finding>>,
    origin: Origin,
    quiet: bool,
) -> Result<(Profile, RunOptions, Origin), CommandError> {
    let converted = converted.map_err(CommandError::usage)?;
    if !quiet {
        fio_jobs::notes(&converted).for_each(print_line);
    }
    Ok((converted.profile, converted.run_options, origin))
}

/// Returns the run of a command line.
///
/// # Errors
/// Fails if a file cannot be read or is invalid, or the templates of a profile and the targets do not
/// match.
pub(crate) fn requested_run(request: &RunRequest) -> Result<RunSource, CommandError> {
    asked_of(request, &ProfileCache::default())
}

/// Loads a profile in a file without replacing its templates.
pub(crate) fn as_it_is(request: &RunRequest) -> Result<RunSource, CommandError> {
    let Some(from) = &request.profile_file else { return requested_run(request) };
    let (profile, run_options, origin) = ProfileCache::default().read(from, request.quiet)?;
    Ok(RunSource::new(request, profile, run_options, origin))
}

/// Whether the first character of a text, after blanks, is this one; false if unreadable.
pub(crate) fn begins_with(path: &Path, character: u8) -> bool {
    let mut start = Vec::new();
    let read = files::open_input(path).and_then(|file| file.take(512).read_to_end(&mut start));
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
    read.is_ok() && text.trim_ascii_start().first() == Some(&character)
}

/// Loads one of several lines with the same `-X`, which is read once.
pub(crate) fn asked_of(request: &RunRequest, once: &ProfileCache) -> Result<RunSource, CommandError> {
    if let Some(file) = &request.record {
        let found =
            stored::file(file, request.store.as_deref()).and_then(|file| Ok(load_runs::owned_record(&file)?));
        let (record, owner) = found.map_err(|not| not.with_exit(Exit::Usage))?;
        if let Some(program) = &record.program {
            let hint = format!("start the program again: diskspd judge -- {}", program.line());
            return Err(CliError::new("the record is of another program's I/O, which rerun cannot repeat")
                .hint(hint)
                .into());
        }
        let before = Some(record.present().next().unwrap_or(record.host()).system.clone());
        let run_options_are_known = record.run_options.is_some();
        let profile = record.asked_of_each().clone();
        are_targets(&request.permitted, &profile)?;
        let origin = Origin { named: Some(request.permitted.clone()), ..Origin::default() }.owned_by(owner);
        let again = RunSource::new(request, profile, record.run_options.unwrap_or_default(), origin);
        return Ok(RunSource { run_options_are_known, before, ..again });
    }
    let Some(from) = &request.profile_file else {
        let (profile, run_options) = (request.profile.clone(), request.run_options.clone());
        return Ok(RunSource::new(request, profile, run_options, once.origin.clone()));
    };
    let (profile, run_options, origin) = once.read(from, request.quiet)?;
    let complete = from.complete(profile, &request.profile.command_line);
    let profile = complete.map_err(|messages| wrong_profile(from, messages))?;
    Ok(RunSource::new(request, profile, request.run_options.clone().or_else_from(run_options), origin))
}

/// Whether each of these targets is one of the profile. The user repeats a device to permit writing to it.
fn are_targets(named: &[RawText], profile: &Profile) -> Result<(), CommandError> {
    match named.iter().find(|named| !is_target(named, profile)) {
        None => Ok(()),
        Some(other) => Err(CliError::new(format!("'{other}' is not a target of this record"))
            .hint("name one record; after it only devices of it that may be written to")
            .into()),
    }
}

/// Whether a target of the command line is one of the profile, by its path or as the same device.
pub(crate) fn is_target(named: &RawText, profile: &Profile) -> bool {
    let mut targets = profile.time_spans.iter().flat_map(|span| &span.targets);
    targets.any(|target| {
        let same_device = || {
            let place = locate(target.path.as_bytes());
            place.is_ok_and(|place| claims::names_device(named, &place))
        };
        target.path == *named || same_device()
    })
}

fn wrong_profile(from: &ProfileFile, messages: Vec<String>) -> CommandError {
    let given = from.form.form_text(&from.path);
    CommandError::usage_errors(messages).at_place(&given)
}

/// Explains a missing profile: `-Xx\win.xml` is one name without folders on Linux.
fn missing_profile(from: &ProfileFile) -> String {
    let path = from.path.to_string();
    if !path.contains('\\') || cfg!(windows) {
        return "no such file; check the name".to_owned();
    }
    let drive = path.get(1..2) == Some(":") && path.starts_with(|c: char| c.is_ascii_alphabetic());
    let local = if drive { &path[2..] } else { &path };
    let local = from.form.form_text(&RawText::from(local.replace('\\', "/").as_str()));
    format!("no such file; folders end with / here, not with \\: use {local}")
}

/// Reads a file and its owner up to the size limit of profiles, because it might be a disk image or
/// endless.
fn read_limited(from: &ProfileFile, owners: &[u32]) -> Result<(Vec<u8>, u32), MessageError> {
    let file = owners::open(from.path.as_path(), owners).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => missing_profile(from),
        _ => format!("cannot be opened: {error}"),
    })?;
    let unreadable = |error: io::Error| format!("cannot be read: {error}");
    let metadata = file.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err("is a directory; name a file in it".into());
    }
    if metadata.is_file() && metadata.len() > MAX_BYTES {
        return Err(xml::too_large().into());
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(xml::too_large().into());
    }
    EmptyInput::check(&bytes).map_err(|empty| empty.to_string())?;
    Ok((bytes, inode::owner(&metadata)))
}
