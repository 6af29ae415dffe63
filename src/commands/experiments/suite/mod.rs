//! `diskspd suite`: tests are run alternately in several rounds, and stored in the history as one unit.

pub(crate) mod fits;
pub(crate) mod kept;
mod outputs;
pub(crate) mod rounds;
pub(crate) mod source;

use super::foreseen;
use crate::cli::shell_quote::quoted;
use crate::cli::{Exit, RoundsRequest, SuiteAction, SuiteRequest};
use crate::commands::shared::command_error::{CommandError, report_error};
use crate::commands::shared::output;
use crate::commands::shared::output::answer_files::AnswerFiles;
use crate::commands::shared::output::print::print;
use crate::commands::shared::runs::stored;
use crate::experiments::RunRow;
use crate::experiments::compare::PlannedRuns;
use crate::experiments::repeat::Repeat;
use crate::experiments::suite::{self, DEFAULT_ROUNDS, SuiteReport, SuiteRow, suite_text};
use crate::experiments::sweep::time_in_words;
use crate::run::OutputPolicy;
use crate::store::{SuiteNotes, TestNotes};
use crate::sys::standard_error::print_line;
use crate::sys::standard_output;
use crate::units::{count_of, visible};
use kept::SuiteKeeper;
use rounds::{RoundsOutcome, SuiteRounds};
use source::{PlannedSuite, PlannedTest};
use std::ffi::OsString;

const MAX_HALF_WIDTH: f64 = 0.02;

/// Lists, shows or runs.
///
/// # Errors
/// Fails if the suite is unknown, or a test cannot be run.
pub(crate) fn suite(request: &SuiteRequest) -> Result<Exit, CommandError> {
    match &request.action {
        SuiteAction::List => print(&suite::list(standard_output::room())),
        SuiteAction::Show(source) => print(&visible::lines(&source::toml(source)?)),
        SuiteAction::Run { source, targets, options } => run(request, source, targets, options),
    }
}

fn run(
    request: &SuiteRequest,
    source: &OsString,
    targets: &[OsString],
    options: &[OsString],
) -> Result<Exit, CommandError> {
    let mut planned = source::plan_suite(source, targets, options)?;
    let store = stored::store(request.store.as_deref()).ok().map(|store| store.folder().to_owned());
    planned.tests.iter_mut().for_each(|test| test.run.own.keeps.extend(store.clone()));
    fits::machine(&planned.tests, request.dry_run)?;
    if !request.quiet {
        planned.warnings.iter().for_each(print_line);
    }
    let rounds = rounds(&planned.tests, request.rounds);
    if !request.rounds.until_sure {
        warn_of_few_runs(&planned.tests, &rounds, request);
    }
    if request.dry_run {
        return print(&visible::lines(&list_tests(&planned, &rounds)));
    }
    let door = planned.tests.iter().fold(OutputPolicy::default(), |door, planned| planned.run.door(door));
    let files = AnswerFiles::open(&request.out, &[], door)?;
    let keeper =
        SuiteKeeper::open(request.store.as_deref(), &notes(&planned.name, &planned.about, &planned.tests))?;
    if !request.quiet {
        print_line(format_args!(
            "{}; its runs are kept as @{}",
            announced(&planned.tests, &rounds),
            keeper.label
        ));
    }
    let mut walk = SuiteRounds::new(&planned.tests, &keeper, request.rounds.budget_s, request.quiet);
    let ended = walk_all(&mut walk, rounds, request.rounds);
    report_suite(request, &planned, &keeper, &walk, ended, &files)
}

/// Warns if a later run of the suite, compared with this one, could not show a change.
fn warn_of_few_runs(tests: &[PlannedTest], rounds: &[u32], request: &SuiteRequest) {
    let fewest = rounds.iter().min().map_or(0, |rounds| rounds * request.rounds.sessions.max(1)) as usize;
    foreseen::warn(PlannedRuns::Sides([fewest; 2]), count_deciding(tests), request.quiet, |found| {
        format!("to compare later runs with these, use --repeat {}", found.each)
    });
}

/// Returns the number of figures that decide a comparison of these tests.
pub(crate) fn count_deciding(tests: &[PlannedTest]) -> usize {
    tests.iter().map(|planned| planned.run.profile.time_spans.len()).sum()
}

fn walk_all(
    walk: &mut SuiteRounds,
    mut rounds: Vec<u32>,
    asked: RoundsRequest,
) -> Result<RoundsOutcome, CommandError> {
    let of_session = rounds.clone();
    for session in 1..asked.sessions.max(1) {
        let ended = walk.run_to(&rounds)?;
        if ended != RoundsOutcome::Complete || !walk.pause(session, asked.sessions)? {
            return Ok(if ended == RoundsOutcome::OutOfBudget { ended } else { RoundsOutcome::Interrupted });
        }
        rounds.iter_mut().zip(&of_session).for_each(|(rounds, of_session)| *rounds += of_session);
    }
    loop {
        let ended = walk.run_to(&rounds)?;
        if !asked.until_sure || ended != RoundsOutcome::Complete {
            return Ok(ended);
        }
        let mut sure = true;
        for (rounds, made) in rounds.iter_mut().zip(&walk.made) {
            let iops: Vec<f64> = made.iter().filter_map(|run| Some(run.line.as_ref()?.iops)).collect();
            if iops.len() == made.len() && Repeat::Until(MAX_HALF_WIDTH).another(&iops) {
                *rounds = made.len() as u32 + 1;
                sure = false;
            }
        }
        if sure {
            return Ok(ended);
        }
    }
}

pub(crate) fn rounds(tests: &[PlannedTest], asked: RoundsRequest) -> Vec<u32> {
    let own = |planned: &PlannedTest| asked.repeat.or(planned.test.repeat).unwrap_or(DEFAULT_ROUNDS);
    tests.iter().map(own).collect()
}

pub(crate) fn announced(tests: &[PlannedTest], rounds: &[u32]) -> String {
    let seconds: f64 =
        tests.iter().zip(rounds).map(|(planned, rounds)| planned.run.seconds() * f64::from(*rounds)).sum();
    let runs: u32 = rounds.iter().sum();
    let (tests, runs) = (count_of(tests.len(), "test"), count_of(runs as usize, "run"));
    format!("{tests}, {runs}, about {}", time_in_words(seconds))
}

pub(crate) fn notes(name: &str, about: &str, tests: &[PlannedTest]) -> SuiteNotes {
    let note = |planned: &PlannedTest| TestNotes {
        name: planned.test.name.clone(),
        about: planned.test.about.clone(),
        command: planned.typed.clone(),
        metric: planned.test.question.metric.map(|metric| metric.to_string()),
        same: planned.test.question.same,
        worse: planned.test.question.worse,
    };
    SuiteNotes { suite: name.to_owned(), about: about.to_owned(), tests: tests.iter().map(note).collect() }
}

/// Lists the tests and their duration, for `--dry-run`.
fn list_tests(planned: &PlannedSuite, rounds: &[u32]) -> String {
    let line = |(planned, rounds): (&PlannedTest, &u32)| {
        let about =
            if planned.test.about.is_empty() { String::new() } else { format!(": {}", planned.test.about) };
        format!("{}, {rounds} runs{about}\n  {}\n", planned.test.name, planned.typed)
    };
    let all: String = planned.tests.iter().zip(rounds).map(line).collect();
    format!("{all}{}\n", announced(&planned.tests, rounds))
}

fn report_suite(
    request: &SuiteRequest,
    planned: &PlannedSuite,
    keeper: &SuiteKeeper,
    walk: &SuiteRounds,
    ended: Result<RoundsOutcome, CommandError>,
    files: &AnswerFiles,
) -> Result<Exit, CommandError> {
    let row = |(planned, made): (&PlannedTest, &Vec<rounds::SuiteRun>)| {
        let ids = made.iter().map(|run| run.id.clone()).collect();
        let lines: Vec<RunRow> = made.iter().filter_map(|run| run.line.clone()).collect();
        let how = if request.rounds.until_sure { Repeat::Until(MAX_HALF_WIDTH) } else { Repeat::Times(1) };
        SuiteRow::new(&planned.test, planned.typed.clone(), ids, lines, how)
    };
    let rows: Vec<SuiteRow> = planned.tests.iter().zip(&walk.made).map(row).collect();
    let mut exit = Exit::Success;
    if walk.made.iter().any(|made| !made.is_empty()) {
        if !AnswerFiles::take_standard_output(&request.out) {
            exit = report_error(output::print_sentences(&suite_text(&rows, standard_output::room())));
        }
        let runs = walk.made.iter().flatten().map(|run| &run.side.known);
        let command_line = format!("diskspd suite {}", quoted(&request.given));
        let telling =
            SuiteReport { name: &planned.name, about: &planned.about, label: &keeper.label, rows: &rows };
        outputs::write(files, &telling, runs, &command_line)?;
    }
    let ended = match ended {
        Ok(ended) => ended,
        Err(not) => {
            print_line(format_args!("the runs before are kept as @{}", keeper.label));
            return Err(not);
        }
    };
    match ended {
        RoundsOutcome::Complete if request.quiet => {}
        RoundsOutcome::Complete => print_line(format_args!(
            "kept as @{0}; to judge later runs by it: diskspd baseline set {1} @{0}",
            keeper.label, planned.name
        )),
        RoundsOutcome::OutOfBudget => {
            print_line("NOTE: the budget is exhausted; tests have fewer runs than requested")
        }
        RoundsOutcome::Interrupted => {
            let kept = format!("its runs until then are kept as @{}", keeper.label);
            exit = CommandError::failed([format!("the suite was interrupted; {kept}")]).report();
        }
    }
    let wrong = rows.iter().flat_map(|row| &row.lines).any(|line| line.verdict.is_wrong());
    Ok(if exit == Exit::Success && request.strict && wrong { Exit::Doubtful } else { exit })
}
