//! `diskspd baseline check`: has anything become worse?

use super::find::{self, find_named};
use super::{retest, side};
use crate::cli::shell_quote::quoted;
use crate::cli::{BaselineCheck, BaselineRequest, Exit, FailIf};
use crate::commands::compare as comparing;
use crate::commands::compare::outputs::AboutPage;
use crate::commands::compare::{earlier_runs, sides};
use crate::commands::experiments::foreseen;
use crate::commands::experiments::suite::kept::SuiteKeeper;
use crate::commands::experiments::suite::rounds::{RoundsOutcome, SuiteRounds};
use crate::commands::experiments::suite::source::PlannedTest;
use crate::commands::experiments::suite::{self, fits};
use crate::commands::shared::command_error::{CommandError, report_error};
use crate::commands::shared::output;
use crate::commands::shared::output::answer_files::AnswerFiles;
use crate::commands::shared::runs::stored;
use crate::experiments::compare::{
    self, ChangeVerdict, ComparisonQuery, InterimAnalyses, PlannedRuns, RunComparison, Side, SideRun,
    SpanCompared, answer_sentence, table,
};
use crate::finding::Finding;
use crate::report::answers::ComparisonReport;
use crate::run::OutputPolicy;
use crate::store::{Baseline, Store, StoreEntry};
use crate::sys::standard_error::print_line;
use crate::sys::standard_output;
use crate::units::visible;

/// Maximum number of checks with `--until-sure`; each has twice as many runs as the previous one.
const MAX_CHECKS: u32 = 4;

struct NewRuns {
    side: Side,
    comparison: RunComparison,
    ended: RoundsOutcome,
    seconds: Vec<(String, f64)>,
}

struct BaselineSide<'a> {
    request: &'a BaselineRequest,
    side: Side,
    question: ComparisonQuery,
}

/// Runs the new side, or reads its results, and compares it with the baseline.
///
/// # Errors
/// Fails if a run fails, or the sides cannot be compared.
pub(super) fn check(
    store: &Store,
    request: &BaselineRequest,
    asked: &BaselineCheck,
) -> Result<Exit, CommandError> {
    let baseline = find_named(store, &asked.name)?;
    let index = stored::open(store)?;
    let (first, entries) = side::of_baseline(store, &index, &asked.name, &baseline)?;
    let tests = find::tests(&baseline).into_iter();
    let question = ComparisonQuery {
        tests: tests.map(|test| (test.to_owned(), retest::question(&baseline, test))).collect(),
        looks: InterimAnalyses::Equal(if asked.rounds.until_sure { MAX_CHECKS } else { 1 }),
        ..ComparisonQuery::default()
    };
    let judged = BaselineSide { request, side: first, question };
    drop(index);
    match &asked.against {
        Some(against) => {
            let read = sides::read_files(std::slice::from_ref(against), request.store.as_deref())?;
            let files = AnswerFiles::open(&asked.out, &read, OutputPolicy::default())?;
            let side = sides::side(against, request.store.as_deref())?;
            let judged = unnamed_unless_all(judged, &side);
            let common = sides::warn_shared_runs([&judged.side, &side]);
            let comparison = compare_sides(&judged, &side)?;
            let new = NewRuns { side, comparison, ended: RoundsOutcome::Complete, seconds: Vec::new() };
            let exit = report_check(&judged, asked, &new, &files)?;
            Ok(exit.max(comparing::gate_of_common(common, asked.fail_if)))
        }
        None => {
            let (new, files) = run(store, &judged, asked, &baseline, &entries)?;
            report_check(&judged, asked, &new, &files)
        }
    }
}

fn unnamed_unless_all<'a>(judged: BaselineSide<'a>, other: &Side) -> BaselineSide<'a> {
    if other.runs.iter().all(|run| run.test.is_some()) {
        return judged;
    }
    let runs = judged.side.runs.into_iter().map(|run| SideRun { test: None, ..run }).collect();
    BaselineSide { side: Side { runs, ..judged.side }, ..judged }
}

fn compare_sides(judged: &BaselineSide, other: &Side) -> Result<RunComparison, CommandError> {
    let most = earlier_runs::MAX_RUNS * judged.question.tests.len().max(1);
    let past = earlier_runs::runs([&judged.side, other], judged.request.store.as_deref(), most);
    compare::compare_knowing(&judged.side, other, &past, &judged.question)
        .map_err(|differences| comparing::refuse_differences(&differences))
}

/// Runs the tests; `--until-sure` repeats the undecided ones.
fn run(
    store: &Store,
    judged: &BaselineSide,
    asked: &BaselineCheck,
    baseline: &Baseline,
    entries: &[StoreEntry],
) -> Result<(NewRuns, AnswerFiles), CommandError> {
    let mut tests = retest::tests(store, baseline, entries, asked)?;
    fits::machine(&tests, false)?;
    tests.iter_mut().for_each(|planned| planned.run.own.keeps.push(store.folder().to_owned()));
    let door = tests.iter().fold(OutputPolicy::default(), |door, planned| planned.run.door(door));
    let files = AnswerFiles::open(&asked.out, &[], door)?;
    let name = if baseline.asked.suite.is_empty() { &asked.name } else { &baseline.asked.suite };
    let notes = suite::notes(name, &baseline.asked.about, &tests);
    let keeper = SuiteKeeper::open(judged.request.store.as_deref(), &notes)?;
    let mut rounds = suite::rounds(&tests, asked.rounds);
    warn_of_few_runs(&tests, &rounds, judged, asked);
    if !asked.quiet {
        print_line(format_args!(
            "{}; its runs are kept as @{}",
            suite::announced(&tests, &rounds),
            keeper.label
        ));
    }
    let mut walk = SuiteRounds::new(&tests, &keeper, asked.rounds.budget_s, asked.quiet);
    let mut look = 1;
    loop {
        let ended = walk.run_to(&rounds)?;
        let runs: Vec<SideRun> = walk.made.iter().flatten().map(|run| run.side.clone()).collect();
        if runs.is_empty() || ended == RoundsOutcome::Interrupted {
            return Err(CommandError::failed([format!(
                "the check was interrupted without a result; the runs made until then are kept as @{}",
                keeper.label
            )]));
        }
        let side = Side { name: format!("now (@{})", keeper.label), runs };
        let comparison = compare_sides(judged, &side)?;
        let undecided: Vec<bool> =
            tests.iter().map(|planned| is_decidable(&comparison, &planned.test.name)).collect();
        if !asked.rounds.until_sure
            || ended != RoundsOutcome::Complete
            || look >= MAX_CHECKS
            || !undecided.contains(&true)
        {
            let seconds = tests.iter().enumerate();
            let seconds =
                seconds.map(|(at, planned)| (planned.test.name.clone(), walk.seconds(at))).collect();
            return Ok((NewRuns { side, comparison, ended, seconds }, files));
        }
        look += 1;
        let rounds_of = rounds.iter_mut().zip(undecided).filter(|(_, undecided)| *undecided);
        rounds_of.for_each(|(rounds, _)| *rounds *= 2);
    }
}

/// Warns if the planned runs, compared with the baseline, cannot show a change of a test.
fn warn_of_few_runs(tests: &[PlannedTest], rounds: &[u32], judged: &BaselineSide, asked: &BaselineCheck) {
    // Undecided tests get twice as many runs at each further look.
    let most = if asked.rounds.until_sure { 1 << (MAX_CHECKS - 1) } else { 1 };
    let of_test = |planned: &PlannedTest| {
        let runs = judged.side.runs.iter();
        runs.filter(|run| run.test.as_deref() == Some(planned.test.name.as_str())).count()
    };
    let sides =
        tests.iter().zip(rounds).map(|(planned, rounds)| [of_test(planned), (rounds * most) as usize]);
    let Some(fewest) = sides.min_by_key(|sides| (sides[0].min(sides[1]), sides[0] + sides[1])) else {
        return;
    };
    let figures =
        suite::count_deciding(tests) * if asked.rounds.until_sure { MAX_CHECKS as usize } else { 1 };
    foreseen::warn(PlannedRuns::Sides(fewest), figures, asked.quiet, |found| match found.later {
        Some(later) if later <= 2 * found.each => format!("use --repeat {later}"),
        _ => format!(
            "set a baseline with {0} runs of each test (diskspd suite --repeat {0}), and check with \
             --repeat {0}",
            found.each
        ),
    });
}

fn is_decidable(comparison: &RunComparison, test: &str) -> bool {
    let of_test = |span: &&SpanCompared| comparison.workload_name(span) == test;
    let decides = comparison.time_spans.iter().filter(of_test).filter_map(|span| span.metrics.first());
    decides.into_iter().any(|metric| match metric.verdict {
        // Too few runs can't be sure of anything.
        ChangeVerdict::CantTell if metric.confidence_percent.is_none() => true,
        ChangeVerdict::CantTell => metric.more_of_b.is_some() || metric.more_runs.is_some(),
        ChangeVerdict::TwoRuns => true,
        _ => false,
    })
}

fn report_check(
    judged: &BaselineSide,
    asked: &BaselineCheck,
    new: &NewRuns,
    files: &AnswerFiles,
) -> Result<Exit, CommandError> {
    let comparison = &new.comparison;
    let seconds = |test: &str| new.seconds.iter().find(|(name, _)| name == test).map_or(0.0, |(_, s)| *s);
    let mut text = table(comparison, ["baseline", "now"], standard_output::room());
    let sentence = answer_sentence(comparison, &seconds);
    text += &format!("\n{sentence}\n");
    text.extend(in_turn(judged, asked, comparison));
    if !comparison.differences.is_empty() {
        text += "\nOther differences (A: the baseline, B: now):\n";
        text.extend(
            compare::differences_text(&comparison.differences).iter().map(|told| format!("  {told}\n")),
        );
    }
    let exit = match AnswerFiles::take_standard_output(&asked.out) {
        true => Exit::Success,
        false => report_error(output::print_sentences(&visible::lines(&text))),
    };
    let command_line = format!("diskspd baseline {}", quoted(&judged.request.given));
    let by = if let Some(FailIf::Worse(by)) = asked.fail_if { by } else { 0.0 };
    let telling = ComparisonReport { title: &asked.name, comparison, question: &judged.question, by };
    let about = AboutPage { command_line: &command_line, is_noise: false, sentence: Some(&sentence) };
    files.write(&telling, [&judged.side, &new.side], &about)?;
    if new.ended == RoundsOutcome::OutOfBudget {
        print_line(Finding::note("the budget is exhausted; tests have fewer runs than requested"));
    }
    Ok(comparing::ended(exit, comparison, asked.fail_if, &judged.question))
}

fn in_turn(judged: &BaselineSide, asked: &BaselineCheck, comparison: &RunComparison) -> Option<String> {
    let open = comparison.primary().any(|metric| {
        metric.verdict == ChangeVerdict::CantTell
            && metric.confidence_percent.is_some()
            && metric.allowance.is_some()
            && metric.more_of_b.is_none()
    });
    let first =
        judged.side.runs.first()?.known.command_line.as_ref().filter(|_| open && asked.against.is_none())?;
    let words = first.to_string();
    let options = words.split_once(' ').map_or("", |(_, options)| options);
    Some(format!(
        "\nA change that is smaller than this machine's own drift between two days shows only if the runs of \
         both sides alternate. If the old program, or the old device, is still there: diskspd compare \
         --repeat 8 --with-a OLD --with-b NEW {options}\n"
    ))
}
