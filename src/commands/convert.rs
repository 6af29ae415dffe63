//! `diskspd convert`: a job file of fio, or an XML profile, becomes a command line or a profile.

use super::load;
use super::not_done::NotDone;
use super::output::OutFile;
use crate::cli::typed::quoted;
use crate::cli::{ConvertRequest, Exit, Overrides, ProfileFile, ProfileForm, RunRequest, written};
use crate::finding::{Finding, Severity};
use crate::profile::validate::{self, validate};
use crate::profile::{Profile, RawText, RunOptions, xml};
use crate::report::{self, profile_xml};
use crate::run::destination::named;
use crate::run::{Named, OutputDoor, Patience};
use crate::sys::standard_error;
use std::ffi::OsString;
use std::path::Path;

/// Does it. Nothing is run, and no target is opened.
///
/// # Errors
/// The file can't be read or converted, no command line says what it says, or the profile can't be written.
pub fn convert(request: &ConvertRequest) -> Result<Exit, NotDone> {
    let out = request.out.as_deref().map(|path| open_output(path, &request.file)).transpose()?;
    let path = RawText::from(request.file.as_os_str().as_encoded_bytes().to_vec());
    let form = form_of(&request.file);
    let file = ProfileFile { path, form, overrides: Overrides::default(), substitutions: Vec::new() };
    let of_file = RunRequest { profile_file: Some(file), quiet: request.quiet, ..RunRequest::default() };
    let run = load::as_it_is(&of_file)?.run;
    let (profile, run_options) = (&run.profile, &run.run_options);
    judge_profile(profile, run_options)?;
    let Some((path, out)) = request.out.as_deref().zip(out) else {
        return match written::command_line(profile, run_options) {
            Some(words) => super::print(&format!("diskspd {}\n", quoted(&words))),
            None => Err(no_line(request, profile)),
        };
    };
    let file = request.file.display();
    let bytes = write_document(profile).ok_or_else(|| {
        let what = format!("{file}: can't be expressed as an XML profile");
        let finding = Finding { remedy: Some(as_it_is(request)), ..Finding::error(what) };
        NotDone::usage(vec![finding])
    })?;
    out.save_page(&|sink| sink.write_all(&bytes))?;
    let text = how_to_run(path, profile, run_options);
    if named(path) == named(Path::new("-")) {
        standard_error::write(&text);
        return Ok(Exit::Success);
    }
    super::print(&text)
}

/// The XML profile; `None` = read back it would be another one.
fn write_document(profile: &Profile) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    profile_xml::write_whole_profile(&mut bytes, profile);
    (xml::read(&bytes).map(comparable_profile) == Ok(comparable_profile(profile.clone()))).then_some(bytes)
}

fn as_it_is(request: &ConvertRequest) -> String {
    let file = request.file.display();
    match form_of(&request.file) {
        ProfileForm::FioJobs => format!("run it as it is: diskspd --fio {file}"),
        _ => format!("run it as it is: diskspd -X{file}"),
    }
}

/// XML begins with `<`; a job file can't.
fn form_of(path: &Path) -> ProfileForm {
    match load::begins_with(path, b'<') {
        true => ProfileForm::Xml,
        false => ProfileForm::FioJobs,
    }
}

fn open_output(path: &Path, file: &Path) -> Result<OutFile, NotDone> {
    let from = Named { by: "convert".into(), path: file.to_owned() };
    let permitted = OutputDoor::default().which_reads(Some(from)).permit("--out", path)?;
    let xml = report::format_named("xml").ok_or_else(|| NotDone::failed(["there is no XML"]))?;
    OutFile::open(permitted, path, xml, &Patience::default())
}

fn judge_profile(profile: &Profile, run_options: &RunOptions) -> Result<(), NotDone> {
    let findings = validate(profile, true).into_iter().chain(validate::run_options(run_options, profile));
    let errors: Vec<Finding> = findings.filter(|found| found.severity == Severity::Error).collect();
    if errors.is_empty() { Ok(()) } else { Err(NotDone::usage(errors)) }
}

fn no_line(request: &ConvertRequest, profile: &Profile) -> NotDone {
    let why = match profile.time_spans.len() {
        1 => "targets with settings of their own".to_owned(),
        spans => format!("{spans} time spans"),
    };
    let file = request.file.display();
    let mut finding = Finding::error(format!("{file}: can't be expressed as one command line: it has {why}"));
    finding.remedy = Some(match write_document(profile) {
        Some(_) => format!("write a profile: diskspd convert {file} --out FILE.xml"),
        None => as_it_is(request),
    });
    NotDone::usage(vec![finding])
}

/// A profile without what a document always states.
fn comparable_profile(mut profile: Profile) -> Profile {
    profile.command_line = RawText::default();
    for target in profile.time_spans.iter_mut().flat_map(|span| &mut span.targets) {
        if !target.is_mixed() {
            target.block_alignment = target.stride();
        }
    }
    profile
}

/// The command lines that run it.
fn how_to_run(path: &Path, profile: &Profile, run_options: &RunOptions) -> String {
    let file = if path == Path::new("-") { "FILE".into() } else { path.to_string_lossy() };
    let options = std::iter::once(format!("-X{file}")).chain(written::words_of_run_options(run_options));
    let words: Vec<OsString> = options.map(OsString::from).collect();
    let with_file = format!("run it: diskspd {}\n", quoted(&words));
    match written::command_line(profile, run_options) {
        Some(words) => format!("{with_file}or:     diskspd {}\n", quoted(&words)),
        None => with_file,
    }
}
