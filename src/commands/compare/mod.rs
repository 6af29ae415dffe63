//! `diskspd compare`: two sides are read or run, compared, and reported.

pub(crate) mod baseline;
mod boots;
pub(super) mod earlier_runs;
mod interleaved;
pub(super) mod outputs;
mod programs;
mod side_conflicts;
pub(super) mod sides;

use crate::cli::shell_quote::quoted;
use crate::cli::{CompareRequest, Exit, FailIf};
use crate::commands::shared::command_error::{CommandError, report_error};
use crate::commands::shared::job::job_limits;
use crate::commands::shared::output;
use crate::commands::shared::output::answer_files::AnswerFiles;
use crate::experiments::compare;
use crate::experiments::compare::{
    BisectAnswer, ChangeVerdict, ComparisonQuery, InterimAnalyses, RunComparison, SequentialDesign,
    SequentialOutcome, Side,
};
use crate::finding::Finding;
use crate::report::answers::ComparisonReport;
use crate::run::OutputPolicy;
use crate::sys::standard_error::print_line;
use crate::sys::standard_output;
pub(super) use boots::BootRun;
use boots::BootSides;
use interleaved::RunSides;
use outputs::AboutPage;
pub(super) use side_conflicts::refuse_differences;
use std::ffi::OsString;

/// Compares and reports the result: [`Exit::Doubtful`] if it meets a `--fail-if` condition.
///
/// # Errors
/// Fails if a side cannot be read or run, the sides do different work, or the comparison cannot be
/// written.
pub(super) fn compare(request: &CompareRequest) -> Result<Exit, CommandError> {
    let sources = sides::read_files(&request.sides, request.store.as_deref())?;
    let open = |door| AnswerFiles::open(&request.out, &sources, door);
    if let Some(both) = &request.interleaved {
        let RunSides { sides, is_noise, order_seed, until_sure, files } =
            interleaved::run(both, request, open)?;
        let course = ComparisonProgress { is_noise, order_seed: Some(order_seed), until_sure };
        let is_stopped =
            course.until_sure.as_ref().is_some_and(|sure| sure.ended == SequentialOutcome::Stopped);
        let exit = if is_stopped { Exit::RunFailed } else { Exit::Success };
        return report_comparison(&sides, course, exit, request, &files);
    }
    if let Some(asked) = &request.boots {
        job_limits::refuse("compare over reboots")?;
        let BootSides { sides, order_seed, next, files } = boots::run(asked, request, open)?;
        let exit = match sides {
            Some(sides) => {
                let course = ComparisonProgress { order_seed, ..ComparisonProgress::default() };
                report_comparison(&sides, course, Exit::Success, request, &files)?
            }
            None => exit_unjudged(request.fail_if, "one kernel alone cannot be judged"),
        };
        // It is what to do, whatever else is quiet.
        print_line(next);
        return Ok(exit);
    }
    let files = open(OutputPolicy::default())?;
    let [first, other] = read(request)?;
    let common = sides::warn_shared_runs([&first, &other]);
    let course = ComparisonProgress::default();
    let exit = report_comparison(&[first, other], course, Exit::Success, request, &files)?;
    Ok(exit.max(gate_of_common(common, request.fail_if)))
}

/// Returns the result of `--fail-if` for runs on both sides, which cannot show a change.
pub(super) fn gate_of_common(common: bool, fail_if: Option<FailIf>) -> Exit {
    if common { exit_unjudged(fail_if, "runs are on both sides") } else { Exit::Success }
}

/// Returns the exit code of a comparison without a result.
fn exit_unjudged(fail_if: Option<FailIf>, why: &str) -> Exit {
    match fail_if {
        None => Exit::Success,
        Some(FailIf::Bisect(_)) => {
            print_line(format_args!("bisect: skip, because {why}"));
            Exit::Skip
        }
        Some(FailIf::Worse(_) | FailIf::Unsure) => {
            print_line(format_args!("--fail-if fails: {why}"));
            Exit::Doubtful
        }
    }
}

fn read(request: &CompareRequest) -> Result<[Side; 2], CommandError> {
    let [first, other] = &request.sides[..] else {
        return Err("two sides are compared".to_owned().into());
    };
    let side = |named: &OsString| sides::side(named, request.store.as_deref());
    Ok([side(first)?, side(other)?])
}

#[derive(Debug, Default)]
struct ComparisonProgress {
    is_noise: bool,
    order_seed: Option<u64>,
    until_sure: Option<SequentialDesign>,
}

/// Reports the comparison of runs that ended with `exit`.
fn report_comparison(
    [first, other]: &[Side; 2],
    course: ComparisonProgress,
    exit: Exit,
    request: &CompareRequest,
    files: &AnswerFiles,
) -> Result<Exit, CommandError> {
    let ComparisonProgress { is_noise, order_seed, until_sure } = course;
    let looks =
        until_sure.as_ref().map_or(InterimAnalyses::Equal(1), |sure| InterimAnalyses::AfterPairs(sure.pairs));
    let question = ComparisonQuery { looks, ..request.question.clone() };
    let past = earlier_runs::runs([first, other], request.store.as_deref(), earlier_runs::MAX_RUNS);
    let comparison = compare::compare_knowing(first, other, &past, &question);
    let comparison = comparison.map_err(|differences| refuse_differences(&differences))?;
    let comparison = RunComparison { order_seed, until_sure, ..comparison };
    let mut text = compare::text(&comparison, standard_output::room());
    if is_noise {
        text += &noise_text(&comparison);
    }
    // What can't be printed may still be written to a file.
    let exit = match AnswerFiles::take_standard_output(&request.out) {
        true => exit,
        false => exit.max(report_error(output::print_sentences(&text))),
    };
    let command_line = format!("diskspd compare {}", quoted(&request.given));
    let by = if let Some(FailIf::Worse(by)) = request.fail_if { by } else { 0.0 };
    let telling = ComparisonReport { title: "compare", comparison: &comparison, question: &question, by };
    let about = AboutPage { command_line: &command_line, is_noise, sentence: None };
    files.write(&telling, [first, other], &about)?;
    Ok(ended(exit, &comparison, request.fail_if, &question))
}

/// Returns the exit code of a comparison whose report ended with `exit`.
pub(super) fn ended(
    exit: Exit,
    comparison: &RunComparison,
    fail_if: Option<FailIf>,
    question: &ComparisonQuery,
) -> Exit {
    match fail_if {
        None => exit,
        // An unwritten report would read as a judgement.
        Some(FailIf::Bisect(_)) if exit != Exit::Success => Exit::Skip,
        Some(FailIf::Bisect(loss)) => bisected(comparison, loss),
        Some(fail_if) => exit.max(gate(comparison, fail_if, question)),
    }
}

/// Prints the result of a bisection, and returns its exit code.
fn bisected(comparison: &RunComparison, loss: f64) -> Exit {
    let why = compare::unjudged_text(comparison);
    why.iter().for_each(|why| print_line(Finding::warning(format!("not judged: {why}"))));
    let percent = loss * 100.0;
    match compare::bisected(comparison, loss) {
        BisectAnswer::Good => {
            print_line(format_args!("bisect: good, because B is nearer to A than to a loss of {percent} %"));
            Exit::Success
        }
        BisectAnswer::Bad => {
            print_line(format_args!("bisect: bad, because B is nearer to a loss of {percent} % than to A"));
            Exit::RunFailed
        }
        BisectAnswer::Skip if why.is_empty() && !comparison.is_only_b_wrong() => {
            let why = format!("a loss of {percent} % is neither shown nor excluded; more runs may decide it");
            exit_unjudged(Some(FailIf::Bisect(loss)), &why)
        }
        BisectAnswer::Skip => exit_unjudged(Some(FailIf::Bisect(loss)), "B is not comparable with A"),
    }
}

/// Returns the result of `--fail-if`, with the reason if the verdict does not state it.
fn gate(comparison: &RunComparison, fail_if: FailIf, question: &ComparisonQuery) -> Exit {
    let failed = fails_check(comparison, fail_if, question);
    let why = compare::unjudged_text(comparison);
    if !why.is_empty() {
        why.iter().for_each(|why| print_line(Finding::warning(format!("not judged: {why}"))));
        print_line("--fail-if fails: not comparable");
        return Exit::Doubtful;
    }
    if comparison.is_only_b_wrong() {
        print_line("--fail-if fails: figures of B are WRONG, and none of A");
        return Exit::Doubtful;
    }
    let open = comparison.primary().filter(|metric| UNSURE_VERDICTS.contains(&metric.verdict)).count();
    if !failed && open > 0 {
        let all = comparison.primary().count();
        let told = if all == 1 {
            "it is unknown whether B is worse".to_owned()
        } else {
            format!("{open} of {all} deciding figures are inconclusive")
        };
        print_line(Finding::warning(format!("--fail-if worse passes because {told}")).remedy(
            "the text below the table shows how to decide it; use --fail-if unsure to fail in this \
                case",
        ));
    }
    if failed { Exit::Doubtful } else { Exit::Success }
}

const UNSURE_VERDICTS: [ChangeVerdict; 3] =
    [ChangeVerdict::CantTell, ChangeVerdict::TwoRuns, ChangeVerdict::NotCompared];

fn fails_check(comparison: &RunComparison, fail_if: FailIf, question: &ComparisonQuery) -> bool {
    let told = |verdict| comparison.primary().any(|metric| metric.verdict == verdict);
    match fail_if {
        FailIf::Unsure => UNSURE_VERDICTS.into_iter().any(told),
        FailIf::Bisect(loss) => compare::bisected(comparison, loss) != BisectAnswer::Good,
        FailIf::Worse(by) => {
            comparison.time_spans.iter().any(|span| question.exceeds_limit(comparison, span, by))
        }
    }
}

fn noise_text(comparison: &RunComparison) -> String {
    let sentences = compare::noise(comparison).into_iter().map(|sentence| sentence + "\n");
    ["\nBoth sides are the same: the differences are this machine's own noise.\n".to_owned()]
        .into_iter()
        .chain(sentences)
        .collect()
}
