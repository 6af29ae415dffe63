//! `diskspd compare`: two sides are read or run, compared, and told.

mod boots;
mod interleaved;
pub mod outputs;
pub mod past;
mod programs;
mod refused;
pub mod sides;

use super::not_done::{NotDone, report_error};
use super::output;
use crate::cli::typed::quoted;
use crate::cli::{CompareRequest, Exit, FailIf};
use crate::finding::Finding;
use crate::lab::compare;
use crate::lab::compare::{ChangeVerdict, Question, RunComparison, Side};
use crate::report::answers::ToldComparison;
use crate::run::OutputDoor;
use crate::sys::standard_error::say;
pub use boots::BootRun;
use boots::BootSides;
use interleaved::RunSides;
use outputs::{AboutPage, ComparisonFiles};
pub use refused::refused;
use std::ffi::OsString;

/// Compares, and tells what came of it: [`Exit::Doubtful`] when that is what `--fail-if` names.
///
/// # Errors
/// A side can't be read or run, the sides do other work, or the comparison can't be written.
pub fn compare(request: &CompareRequest) -> Result<Exit, NotDone> {
    let sources = sides::read_files(&request.sides, request.store.as_deref())?;
    let open = |door| ComparisonFiles::open(&request.out, &sources, door);
    if let Some(both) = &request.interleaved {
        let RunSides { sides, is_noise, order_seed, files } = interleaved::run(both, request, open)?;
        return report_comparison(&sides, is_noise, Some(order_seed), request, &files);
    }
    if let Some(asked) = &request.boots {
        let BootSides { sides, order_seed, next, files } = boots::run(asked, request, open)?;
        let exit = match sides {
            Some(sides) => report_comparison(&sides, false, order_seed, request, &files)?,
            None if request.fail_if.is_some() => {
                say("--fail-if fails: one kernel alone can't be judged");
                Exit::Doubtful
            }
            None => Exit::Success,
        };
        // It is what to do, whatever else is quiet.
        say(next);
        return Ok(exit);
    }
    let files = open(OutputDoor::default())?;
    let [first, other] = read(request)?;
    let common = sides::tell_of_common([&first, &other]);
    let exit = report_comparison(&[first, other], false, None, request, &files)?;
    Ok(exit.max(gate_of_common(common, request.fail_if.is_some())))
}

/// What `--fail-if` says where runs are on both sides, which was told: they can't show a change.
pub fn gate_of_common(common: bool, is_gate: bool) -> Exit {
    if !(common && is_gate) {
        return Exit::Success;
    }
    say("--fail-if fails: runs are on both sides");
    Exit::Doubtful
}

fn read(request: &CompareRequest) -> Result<[Side; 2], NotDone> {
    let [first, other] = &request.sides[..] else {
        return Err("two sides are compared".to_owned().into());
    };
    let side = |named: &OsString| sides::side(named, request.store.as_deref());
    Ok([side(first)?, side(other)?])
}

fn report_comparison(
    [first, other]: &[Side; 2],
    is_noise: bool,
    order_seed: Option<u64>,
    request: &CompareRequest,
    files: &ComparisonFiles,
) -> Result<Exit, NotDone> {
    let past = past::runs([first, other], request.store.as_deref(), past::MOST);
    let comparison = compare::compare_knowing(first, other, &past, &request.question);
    let comparison = comparison.map_err(|differences| refused(&differences))?;
    let comparison = RunComparison { order_seed, ..comparison };
    let mut text = compare::text(&comparison);
    if is_noise {
        text += &noise_text(&comparison);
    }
    // What can't be printed may still be written to a file.
    let exit = match ComparisonFiles::take_standard_output(&request.out) {
        true => Exit::Success,
        false => report_error(output::told_to_stdout(&text)),
    };
    let command_line = format!("diskspd compare {}", quoted(&request.given));
    let by = if let Some(FailIf::Worse(by)) = request.fail_if { by } else { 0.0 };
    let telling =
        ToldComparison { title: "compare", comparison: &comparison, question: &request.question, by };
    let about = AboutPage { command_line: &command_line, is_noise, sentence: None };
    files.write(&telling, [first, other], &about)?;
    Ok(match request.fail_if {
        Some(fail_if) => exit.max(gate(&comparison, fail_if, &request.question)),
        None => exit,
    })
}

/// What `--fail-if` says, with the reason where the verdict alone doesn't give it.
pub fn gate(comparison: &RunComparison, fail_if: FailIf, question: &Question) -> Exit {
    let failed = fails_check(comparison, fail_if, question);
    let why = compare::unjudged(comparison);
    if !why.is_empty() {
        why.iter().for_each(|why| say(Finding::warning(format!("not judged: {why}"))));
        say("--fail-if fails: not comparable");
        return Exit::Doubtful;
    }
    if comparison.is_only_b_wrong() {
        say("--fail-if fails: figures of B are WRONG, and none of A");
        return Exit::Doubtful;
    }
    let open = comparison.primary().filter(|metric| UNSURE.contains(&metric.verdict)).count();
    if !failed && open > 0 {
        let all = comparison.primary().count();
        let told = if all == 1 {
            "can't tell whether B is worse".to_owned()
        } else {
            format!("{open} of {all} deciding figures can't be told apart")
        };
        say(Finding::warning(format!("--fail-if worse passes because {told}"))
            .remedy("below the table stands how to decide it; use --fail-if unsure to fail in this case"));
    }
    if failed { Exit::Doubtful } else { Exit::Success }
}

const UNSURE: [ChangeVerdict; 3] =
    [ChangeVerdict::CantTell, ChangeVerdict::TwoRuns, ChangeVerdict::NotCompared];

/// Whether what decides is as bad as `--fail-if` says. Single runs never are: they can't tell.
fn fails_check(comparison: &RunComparison, fail_if: FailIf, question: &Question) -> bool {
    let told = |verdict| comparison.primary().any(|metric| metric.verdict == verdict);
    match fail_if {
        FailIf::Unsure => UNSURE.into_iter().any(told),
        FailIf::Worse(by) => comparison.time_spans.iter().any(|span| question.fails(comparison, span, by)),
    }
}

fn noise_text(comparison: &RunComparison) -> String {
    let sentences = compare::noise(comparison).into_iter().map(|sentence| sentence + "\n");
    ["\nBoth sides are the same: what differs is this machine's own noise.\n".to_owned()]
        .into_iter()
        .chain(sentences)
        .collect()
}
