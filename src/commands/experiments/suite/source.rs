//! Sources of a suite: a file, the program, a profile or a preset.

use super::super::run_backend;
use crate::cli::{CliError, TypedLine};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::input::load::{self, ProfileCache};
use crate::commands::shared::runs::runnable::Runnable;
use crate::experiments::compare::TestQuestion;
use crate::experiments::suite::{self, MAX_BYTES, SHIPPED, Suite, SuiteTest};
use crate::finding::Finding;
use crate::formats::decode;
use crate::limits::EmptyInput;
use crate::presets;
use crate::profile::{Origin, RawText};
use crate::run::NamedOutput;
use crate::sys::files;
use crate::sys::inode;
use crate::units::near::nearest;
use crate::units::visible;
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io::Read;
use std::path::Path;

pub(crate) struct PlannedSuite {
    pub name: String,
    pub about: String,
    pub tests: Vec<PlannedTest>,
    pub warnings: Vec<Finding>,
}

pub(crate) struct PlannedTest {
    pub test: SuiteTest,
    pub run: Runnable,
    pub typed: String,
}

/// Returns the text of a built-in suite, or of a file.
///
/// # Errors
/// Fails if it does not exist.
pub(crate) fn toml(source: &OsStr) -> Result<String, CommandError> {
    match source.to_str().and_then(suite::shipped) {
        Some(shipped) => Ok(shipped.toml.to_owned()),
        None if Path::new(source).is_file() => Ok(text(source)?.0),
        None => Err(unknown_source(source)),
    }
}

/// Returns the suite of a name, with every line parsed and validated.
///
/// # Errors
/// Fails if the suite is unknown, or a test cannot be run.
pub(crate) fn plan_suite(
    source: &OsStr,
    targets: &[OsString],
    options: &[OsString],
) -> Result<PlannedSuite, CommandError> {
    let name = source.to_str().unwrap_or_default();
    let path = Path::new(source);
    let is_xml = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xml"));
    let mut owners = Vec::new();
    let suite = match (suite::shipped(name), presets::find(name)) {
        (Some(shipped), _) => read(shipped.toml, name)?,
        (None, Some(preset)) if !path.exists() => {
            of_one(name, preset.about, format!("--preset={name}").into())
        }
        _ if is_xml && path.exists() => {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let mut word = OsString::from("-X");
            word.push(source);
            let plain = |c: char| if c.is_alphanumeric() || "-_+".contains(c) { c } else { '-' };
            let stem: String = stem.chars().map(plain).take(32).collect();
            of_one(&format!("xml-{stem}"), "the time spans of a profile", word)
        }
        _ if path.exists() => {
            let (text, owner) = text(source)?;
            owners.push(owner);
            read(&text, &source.to_string_lossy())?
        }
        _ => return Err(unknown_source(source)),
    };
    let origin = Origin { named: Some(raw_words(targets)), owners };
    let mut planned =
        PlannedSuite { name: suite.name, about: suite.about, tests: Vec::new(), warnings: Vec::new() };
    let named = raw_words(targets);
    let mut used = false;
    let reads = path.exists().then(|| NamedOutput { by: "suite".into(), path: path.to_owned() });
    for test in suite.tests {
        let line = test_line(&test, targets, options)?;
        let xml = ProfileCache::named_by(origin.clone());
        let (run, warnings) = run_backend::runnable(&line, &xml, |request, _, _| {
            let option = run_backend::out_of_place(request)?;
            Some(format!("{option} cannot be used in a suite's runs; give it before --, or leave it out"))
        })
        .map_err(|not_done| not_done.at_place(&format!("test '{}'", test.name)))?;
        let new = warnings.into_iter().filter(|new| !planned.warnings.contains(new)).collect::<Vec<_>>();
        planned.warnings.extend(new);
        used |= named.iter().any(|target| load::is_target(target, &run.profile));
        let mut run = run;
        run.own.reads.extend(reads.clone());
        planned.tests.extend(one_by_one(&test, run, &line));
    }
    if let Some(target) = targets.first().filter(|_| !used) {
        let what = format!("'{}' is not used: each test names its own target", target.display());
        return Err(CliError::new(what)
            .hint("leave it out, or use *1 in the suite for the first target")
            .into());
    }
    Ok(planned)
}

fn read(text: &str, name: &str) -> Result<Suite, CommandError> {
    suite::read(text)
        .map_err(|error| CommandError::usage_errors([format!("{}: {error}", visible::line(name))]))
}

/// Returns a suite of one command line, whose time spans are the tests.
fn of_one(name: &str, about: &str, word: OsString) -> Suite {
    // Text that is not UTF-8 is no preset, and is reported as a missing file.
    let command = vec![word.to_string_lossy().into_owned()];
    let test = SuiteTest {
        name: "time-span".into(),
        about: String::new(),
        command,
        repeat: None,
        question: TestQuestion::default(),
    };
    Suite { name: name.to_owned(), about: about.to_owned(), tests: vec![test] }
}

/// Returns the content and the owner of the file.
fn text(source: &OsStr) -> Result<(String, u32), CommandError> {
    let shown = visible::line(&source.to_string_lossy()).into_owned();
    let wrong = |why: &dyn Display| {
        CommandError::usage_errors([format!(
            "{shown}: cannot be read as a suite: \
        {why}"
        )])
    };
    let mut bytes = Vec::new();
    let file = files::open_input(Path::new(source)).map_err(|error| wrong(&error))?;
    let owner = inode::owner(&file.metadata().map_err(|error| wrong(&error))?);
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| wrong(&error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(wrong(&"it is larger than 1 MiB"));
    }
    EmptyInput::check(&bytes).map_err(|error| wrong(&error))?;
    let text = String::from_utf8(decode::in_utf8(&bytes).into_owned());
    Ok((text.map_err(|_| wrong(&"it is not UTF-8 text"))?, owner))
}

fn raw_words(words: &[OsString]) -> Vec<RawText> {
    words.iter().map(|word| RawText::from(word.as_encoded_bytes().to_vec())).collect()
}

fn unknown_source(source: &OsStr) -> CommandError {
    let given = source.to_string_lossy();
    let error = CliError::new(format!("'{}' is neither a file nor a suite", visible::line(&given)));
    let names: Vec<&str> = SHIPPED
        .iter()
        .map(|suite| suite.name)
        .chain(presets::PRESETS.iter().map(|preset| preset.name))
        .collect();
    let hint = match nearest(&names, given.as_bytes()) {
        Some(meant) => format!("did you mean {meant}?"),
        None => "diskspd suite --list lists the suites that come with the program".to_owned(),
    };
    error.hint(hint).into()
}

fn wrong(test: &SuiteTest, why: impl Display) -> CommandError {
    CommandError::usage_errors([format!("test '{}': {why}", test.name)])
}

fn test_line(
    test: &SuiteTest,
    targets: &[OsString],
    options: &[OsString],
) -> Result<TypedLine, CommandError> {
    let of = |words: &[OsString]| TypedLine::from_arguments(words).map_err(|error| wrong(test, error));
    let own: Vec<OsString> = test.command.iter().map(OsString::from).collect();
    let mut line = of(&own)?;
    line.carried_by_file("diskspd suite FILE [TARGET ..] --").map_err(|error| wrong(test, error))?;
    let more = of(options)?;
    if let Some(target) = more.targets.first() {
        let what = format!(
            "'{}' comes after --, where only options belong: put targets before it",
            String::from_utf8_lossy(target)
        );
        return Err(wrong(test, what));
    }
    line.options.extend(more.options);
    let given: Vec<Vec<u8>> = targets.iter().map(|target| target.as_encoded_bytes().to_vec()).collect();
    if line.targets.is_empty() {
        // A job file of fio names its own targets.
        let jobs = line.has_long("fio");
        if given.is_empty() && !line.has_letter(b'X') && !jobs {
            return Err(wrong(test, "no target is named: diskspd suite NAME TARGET [-- OPTIONS]"));
        }
        line.targets = if jobs { Vec::new() } else { given };
    } else {
        for target in &mut line.targets {
            let number =
                target.strip_prefix(b"*").and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
            let Some(number): Option<usize> = number else { continue };
            let place = number.checked_sub(1).and_then(|place| given.get(place));
            let Some(place) = place else {
                let what = format!(
                    "it needs a target {number} (*{number}), but {} given: diskspd suite NAME TARGET1 ..",
                    match given.len() {
                        0 => "none is".to_owned(),
                        1 => "one is".to_owned(),
                        count => format!("{count} are"),
                    }
                );
                return Err(wrong(test, what));
            };
            target.clone_from(place);
        }
    }
    // Percentiles are what changes first.
    let says =
        line.has_letter(b'L') || line.has_letter(b'X') || line.has_long("fio") || line.has_long("preset");
    Ok(if says { line } else { line.with_leading_option("-L") })
}

/// Returns a test for each time span.
fn one_by_one(test: &SuiteTest, run: Runnable, line: &TypedLine) -> Vec<PlannedTest> {
    let typed = line.to_typed_text();
    let count = run.profile.time_spans.len();
    let words = run.run_options.preset.as_deref().and_then(presets::find);
    let planned = |(number, span): (usize, &crate::profile::TimeSpan)| {
        let profile = crate::profile::Profile { time_spans: vec![span.clone()], ..run.profile.clone() };
        let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
        let about = words.and_then(|preset| preset.parts.iter().find(|part| part.time_span == number));
        let name = match (count, about) {
            (1, _) if test.name != "time-span" => test.name.clone(),
            (_, Some(part)) => name_of(part.about),
            _ => format!("{}-{number}", test.name),
        };
        let about = about.map_or(test.about.clone(), |part| part.about.to_owned());
        let test = SuiteTest { name, about, ..test.clone() };
        let run = Runnable { profile, ..run.clone() };
        PlannedTest { test, run, typed: typed.clone() }
    };
    run.profile.time_spans.iter().enumerate().map(planned).collect()
}

/// Converts the description of a preset's part to a name: `sequential-reads-8-outstanding`.
fn name_of(about: &str) -> String {
    let words = about.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}
