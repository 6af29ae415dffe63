//! The tests of a baseline to be repeated, each by its latest record.

use super::find;
use crate::cli::BaselineCheck;
use crate::cli::CliError;
use crate::commands::experiments::suite::source::PlannedTest;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::input::load_runs;
use crate::commands::shared::runs::runnable::Runnable;
use crate::experiments::compare::{Metric, TestQuestion};
use crate::experiments::suite::SuiteTest;
use crate::formats::result_xml;
use crate::profile::{Origin, Profile, RawText};
use crate::store::{Baseline, Store, StoreEntry, StoredForm, packed};
use std::ffi::OsString;
use std::fmt::Display;

pub(super) fn question(baseline: &Baseline, test: &str) -> TestQuestion {
    let asked = baseline.asked.tests.iter().find(|asked| asked.name == test);
    asked.map_or_else(TestQuestion::default, |asked| TestQuestion {
        metric: asked.metric.as_deref().and_then(Metric::from_name),
        same: asked.same,
        worse: asked.worse,
    })
}

/// All tests of the suite, each as often as in the baseline.
///
/// # Errors
/// Fails if a test has no record to repeat, or the targets do not match.
pub(super) fn tests(
    store: &Store,
    baseline: &Baseline,
    entries: &[StoreEntry],
    asked: &BaselineCheck,
) -> Result<Vec<PlannedTest>, CommandError> {
    let mut tests = Vec::new();
    for name in find::tests(baseline) {
        let of_test =
            |entry: &&StoreEntry| baseline.runs.iter().any(|run| run.test == name && run.id == entry.id);
        let count = entries.iter().filter(of_test).count();
        let says_how = |entry: &&StoreEntry| {
            entry.source == StoredForm::Record
                || asked.with.is_some() && entry.source == StoredForm::ResultXml
        };
        let Some(latest) = entries.iter().filter(of_test).rfind(says_how) else {
            let is_of_tool =
                entries.iter().filter(of_test).any(|entry| entry.source == StoredForm::ResultXml);
            return Err(cannot_rerun(name, &asked.name, is_of_tool));
        };
        let mut run = asked_by(store, latest)?;
        (run.destroy, run.with) = (asked.destroy, asked.with.clone());
        replace_targets(&mut run.profile, &asked.targets, name)?;
        let named = asked.targets.iter().map(|target| RawText::from(target.as_encoded_bytes().to_vec()));
        run.origin.named = Some(named.collect());
        let typed = run.profile.command_line.to_string();
        let notes = baseline.asked.tests.iter().find(|notes| notes.name == name);
        let test = SuiteTest {
            name: name.to_owned(),
            about: notes.map(|notes| notes.about.clone()).unwrap_or_default(),
            command: Vec::new(),
            repeat: u32::try_from(count).ok(),
            question: question(baseline, name),
        };
        tests.push(PlannedTest { test, run, typed });
    }
    Ok(tests)
}

fn cannot_rerun(test: &str, baseline: &str, is_of_tool: bool) -> CommandError {
    let what = format!("test '{test}' cannot be run again: its runs are results of another program");
    let with = if is_of_tool { "let DISKSPD make them: --with 'ssh host diskspd.exe'; or " } else { "" };
    let hint =
        format!("{with}compare runs that are there: diskspd baseline check {baseline} --against FILES");
    CliError::new(what).hint(hint).into()
}

fn asked_by(store: &Store, entry: &StoreEntry) -> Result<Runnable, CommandError> {
    let file = store.file(&entry.id, entry.source);
    if entry.source == StoredForm::Record {
        let (record, owner) = load_runs::owned_record(&file)?;
        let profile = record.asked_of_each().clone();
        let run_options = record.run_options.unwrap_or_default();
        let origin = Origin::default().owned_by(owner);
        return Ok(Runnable { profile, run_options, origin, ..Runnable::default() });
    }
    let unread =
        |why: &dyn Display| CommandError::from(format!("@{}: its profile cannot be read: {why}", entry.id));
    let bytes = packed::unpack_file(&file).map_err(|error| unread(&error))?;
    let profile = result_xml::profile(&bytes).map_err(|error| unread(&error))?;
    Ok(Runnable { profile, ..Runnable::default() })
}

fn replace_targets(profile: &mut Profile, targets: &[OsString], test: &str) -> Result<(), CommandError> {
    if targets.is_empty() {
        return Ok(());
    }
    let mut paths: Vec<RawText> = Vec::new();
    for target in profile.time_spans.iter().flat_map(|span| &span.targets) {
        if !paths.contains(&target.path) {
            paths.push(target.path.clone());
        }
    }
    if paths.len() != targets.len() {
        let what = format!("test '{test}' measured {} targets, but {} are given", paths.len(), targets.len());
        return Err(CliError::new(what).hint("give as many, in the same order, or none").into());
    }
    for target in profile.time_spans.iter_mut().flat_map(|span| &mut span.targets) {
        if let Some(place) = paths.iter().position(|path| *path == target.path) {
            target.path = RawText::from(targets[place].as_encoded_bytes().to_vec());
        }
    }
    Ok(())
}
