//! `diskspd convert`: a job file of fio, or an XML profile, is converted to a command line or a profile.

use crate::cli::shell_quote::quoted;
use crate::cli::{
    ConvertRequest, ConvertSource, Exit, Overrides, ProfileFile, ProfileForm, RunRequest, print_options,
};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::input::load;
use crate::commands::shared::output::OutFile;
use crate::commands::shared::runs::own_files::own_files;
use crate::finding::{Finding, Severity};
use crate::profile::validate::{self, validate};
use crate::profile::{Profile, RawText, RunOptions, xml};
use crate::report::profile_xml;
use crate::run::destination::resolve_name;
use crate::run::{HangGuard, NamedOutput, OutputPolicy};
use crate::sys::standard_error;
use std::ffi::OsString;
use std::path::Path;

/// Converts without running or opening a target.
///
/// # Errors
/// Fails if the file cannot be read or converted, no command line expresses it, or the profile cannot be
/// written.
pub(crate) fn convert(request: &ConvertRequest) -> Result<Exit, CommandError> {
    let file = profile_file(&request.source);
    let of_file = RunRequest { profile_file: Some(file), quiet: request.quiet, ..RunRequest::default() };
    let out = request.out.as_deref().map(|path| open_output(path, &of_file)).transpose()?;
    let run = load::as_it_is(&of_file)?.run;
    let (profile, run_options) = (&run.profile, &run.run_options);
    judge_profile(profile, run_options)?;
    let Some((path, out)) = request.out.as_deref().zip(out) else {
        return match print_options::command_line(profile, run_options) {
            Some(words) => {
                crate::commands::shared::output::print::print(&format!("diskspd {}\n", quoted(&words)))
            }
            None => Err(no_line(&request.source, profile)),
        };
    };
    let bytes = write_document(profile).ok_or_else(|| {
        let what = format!("{}: cannot be expressed as an XML profile", name(&request.source));
        let finding = Finding { remedy: Some(as_it_is(&request.source)), ..Finding::error(what) };
        CommandError::usage(vec![finding])
    })?;
    out.save_page(&|sink| sink.write_all(&bytes))?;
    let text = how_to_run(path, profile, run_options);
    if resolve_name(path) == resolve_name(Path::new("-")) {
        standard_error::write(&text);
        return Ok(Exit::Success);
    }
    crate::commands::shared::output::print::print(&text)
}

/// Returns the XML profile; `None` = XML cannot represent it.
fn write_document(profile: &Profile) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    profile_xml::write_whole_profile(&mut bytes, profile);
    (xml::read(&bytes).map(comparable_profile) == Ok(comparable_profile(profile.clone()))).then_some(bytes)
}

fn profile_file(source: &ConvertSource) -> ProfileFile {
    let (path, form, words) = match source {
        ConvertSource::File(file) => {
            let path = RawText::from(file.as_os_str().as_encoded_bytes().to_vec());
            (path, form_of(file), Vec::new())
        }
        ConvertSource::FioLine(words) => (RawText::default(), ProfileForm::FioLine, words.clone()),
    };
    ProfileFile { path, form, words, overrides: Overrides::default(), substitutions: Vec::new() }
}

fn name(source: &ConvertSource) -> String {
    match source {
        ConvertSource::File(file) => file.display().to_string(),
        ConvertSource::FioLine(_) => "fio's command line".to_owned(),
    }
}

/// Returns the source as words of a command line.
fn to_typed_text(source: &ConvertSource) -> String {
    match source {
        ConvertSource::File(file) => file.display().to_string(),
        ConvertSource::FioLine(words) => {
            let words: Vec<OsString> =
                std::iter::once("fio").chain(words.iter().map(String::as_str)).map(OsString::from).collect();
            quoted(&words)
        }
    }
}

fn as_it_is(source: &ConvertSource) -> String {
    let option = match source {
        ConvertSource::FioLine(_) => "",
        ConvertSource::File(file) if form_of(file) == ProfileForm::FioJobs => "--fio ",
        ConvertSource::File(_) => "-X",
    };
    format!("run it directly: diskspd {option}{}", to_typed_text(source))
}

/// Detects the form: XML begins with `<`, which a job file cannot.
fn form_of(path: &Path) -> ProfileForm {
    match load::begins_with(path, b'<') {
        true => ProfileForm::Xml,
        false => ProfileForm::FioJobs,
    }
}

fn open_output(path: &Path, request: &RunRequest) -> Result<OutFile, CommandError> {
    let read = own_files(request).reads.into_iter().map(|file| NamedOutput { by: "convert".into(), ..file });
    let permitted = OutputPolicy::default().which_reads(read).permit("--out", path)?;
    let xml = crate::report_formats::format_named("xml")
        .ok_or_else(|| CommandError::failed(["there is no XML"]))?;
    OutFile::open(permitted, path, xml, &HangGuard::default())
}

fn judge_profile(profile: &Profile, run_options: &RunOptions) -> Result<(), CommandError> {
    let findings = validate(profile, true).into_iter().chain(validate::run_options(run_options, profile));
    let errors: Vec<Finding> = findings.filter(|found| found.severity == Severity::Error).collect();
    if errors.is_empty() { Ok(()) } else { Err(CommandError::usage(errors)) }
}

fn no_line(source: &ConvertSource, profile: &Profile) -> CommandError {
    let why = match profile.time_spans.len() {
        1 => "targets with separate settings".to_owned(),
        spans => format!("{spans} time spans"),
    };
    let what = format!("{}: cannot be expressed as one command line: it has {why}", name(source));
    let mut finding = Finding::error(what);
    finding.remedy = Some(match write_document(profile) {
        Some(_) => format!("write a profile: diskspd convert {} --out FILE.xml", to_typed_text(source)),
        None => as_it_is(source),
    });
    CommandError::usage(vec![finding])
}

fn comparable_profile(mut profile: Profile) -> Profile {
    profile.command_line = RawText::default();
    for target in profile.time_spans.iter_mut().flat_map(|span| &mut span.targets) {
        if !target.is_mixed() {
            target.block_alignment = target.stride();
        }
    }
    profile
}

/// Returns the command lines that run the profile.
fn how_to_run(path: &Path, profile: &Profile, run_options: &RunOptions) -> String {
    let file = if path == Path::new("-") { "FILE".into() } else { path.to_string_lossy() };
    let options =
        std::iter::once(format!("-X{file}")).chain(print_options::words_of_run_options(run_options));
    let words: Vec<OsString> = options.map(OsString::from).collect();
    let with_file = format!("run it: diskspd {}\n", quoted(&words));
    match print_options::command_line(profile, run_options) {
        Some(words) => format!("{with_file}or:     diskspd {}\n", quoted(&words)),
        None => with_file,
    }
}
