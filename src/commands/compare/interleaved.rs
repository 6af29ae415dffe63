//! `--repeat N -- A :: B`: both are run in turn, A B, B A, A B, ..., so that what drifts is in both alike.

use super::super::console::{Console, Manner};
use super::super::not_done::NotDone;
use super::super::{load, output, quiet, run as single, save};
use super::outputs::ComparisonFiles;
use super::sides;
use crate::cli::{CompareRequest, Interleaved, RunRequest};
use crate::finding::Finding;
use crate::lab::compare::{self, Side, SideRun};
use crate::profile::{Method, Parameters, Profile};
use crate::results::{KnownRun, KnownSpan, Record};
use crate::run::{self, Control, OutputDoor, Patience, Session, execute};
use crate::sys::standard_error::say;
use crate::truth::Judged;
use std::borrow::Cow;
use std::sync::Arc;

impl Interleaved {
    /// Whether both ask for the same.
    pub fn same(&self) -> bool {
        let [first, other] = &self.requests;
        let spans = |request: &RunRequest| request.profile.time_spans.clone();
        spans(first) == spans(other) && first.method == other.method && first.xml_profile == other.xml_profile
    }
}

/// What is run of a side.
struct SideLine<'a> {
    request: Cow<'a, RunRequest>,
    profile: Profile,
    method: Method,
}

/// Runs both. What is refused is refused before the first run. `open`: the files that the comparison goes to.
///
/// # Errors
/// They can't be compared, or a run fails.
pub fn run(
    both: &Interleaved,
    asked: &CompareRequest,
    open: impl FnOnce(OutputDoor) -> Result<ComparisonFiles, NotDone>,
) -> Result<([Side; 2], ComparisonFiles), NotDone> {
    let quiet = asked.quiet;
    let lines = [line(&both.requests[0], quiet)?, line(&both.requests[1], quiet)?];
    let files = open(lines.iter().fold(OutputDoor::default(), |door, line| {
        door.which_runs(&line.profile, &line.method).which_reads(output::inputs(&line.request))
    }))?;
    comparable(&lines, asked)?;
    let time_spans = lines[0].profile.time_spans.len();
    if let Some(sentence) = compare::foreseen(both.repeat as usize, time_spans).filter(|_| !quiet) {
        say(Finding::note(sentence));
    }
    let mut runs: [Vec<SideRun>; 2] = [Vec::new(), Vec::new()];
    let total = 2 * both.repeat as usize;
    for number in 0..total {
        let which = whose_turn(number);
        let name = format!("{}{}", ["A", "B"][which], runs[which].len() + 1);
        let turn = format!("run {} of {total}: {name}", number + 1);
        // Every run has addresses of its own: what the run before it has read may be in a cache.
        let profile = lines[which].profile.repetition(u32::try_from(number).unwrap_or(u32::MAX));
        let record = one(&lines[which], &profile, &turn)?;
        let mut made = sides::of_record(&record, &name);
        // Simulated runs may take no time at all.
        made.began_ms = i64::try_from(number).ok();
        tell(&turn, &made.known, lines[which].request.quiet);
        runs[which].push(made);
    }
    let [first, other] = runs;
    let side = |which: usize, runs| Side { name: named(&both.typed[which]), runs };
    Ok(([side(0, first), side(1, other)], files))
}

fn named(typed: &str) -> String {
    if typed.is_empty() { "(no options)".into() } else { typed.to_owned() }
}

/// A B, B A, A B, ...: neither side is always the first of a pair.
fn whose_turn(number: usize) -> usize {
    let (pair, place) = (number / 2, number % 2);
    (pair + place) % 2
}

fn line(request: &RunRequest, quiet: bool) -> Result<SideLine<'_>, NotDone> {
    let request = match quiet && !request.quiet {
        true => Cow::Owned(RunRequest { quiet, ..request.clone() }),
        false => Cow::Borrowed(request),
    };
    request.warnings.iter().for_each(|warning| quiet::tell(warning, request.quiet));
    let asked = load::asked(&request)?;
    let (profile, method) = (asked.profile.into_owned(), asked.method.into_owned());
    single::check(&profile, &method, &request)?;
    run::cpu_latency_refusal(&method)?;
    save::try_out(&request, &Patience::default())?;
    Ok(SideLine { request, profile, method })
}

/// What can't be compared afterwards needn't be run.
fn comparable(lines: &[SideLine; 2], asked: &CompareRequest) -> Result<(), NotDone> {
    let side = |line: &SideLine| {
        let record = Record::new(line.profile.clone(), Default::default(), Default::default());
        let mut run = sides::of_record(&record, "");
        let spans = line.profile.time_spans.iter().map(|span| Parameters::of(span).done_by(&line.method));
        let known = |parameters| Some(KnownSpan { parameters, ..KnownSpan::default() });
        run.known.time_spans = spans.map(known).collect();
        Side { name: String::new(), runs: vec![run] }
    };
    let compared = compare::compare(&side(&lines[0]), &side(&lines[1]), &asked.question);
    compared.map(drop).map_err(|differences| super::refused(&differences))
}

/// One run to its end.
///
/// # Errors
/// There are no whole figures, or it can't be kept.
fn one(line: &SideLine, profile: &Profile, turn: &str) -> Result<Record, NotDone> {
    let files = Arc::new(Vec::new());
    let quiet = line.request.quiet;
    let manner = Manner { verbose: false, quiet, document: true, turn: turn.to_owned() };
    let session = Session {
        one_of_several: true,
        recreate: line.request.recreate,
        destroy: line.request.destroy,
        listener: Arc::new(Console::new(manner, None, files)),
        control: Arc::new(Control::default()),
        ..Session::default()
    };
    let watched = run::watch(Arc::clone(&session.control), None, true);
    let _watch = watched.map_err(|error| format!("Ctrl-C can't be watched for: {error}"))?;
    let executed = execute(profile, &line.method, &session)?;
    let mut problems = executed.failures.iter().chain(&executed.troubles).peekable();
    if problems.peek().is_some() {
        return Err(NotDone::failed(problems.map(String::as_str)));
    }
    if session.control.is_interrupted() {
        return Err(NotDone::failed([
            "the comparison was interrupted, and nothing is compared; --save keeps the runs that were made",
        ]));
    }
    save::save(&Judged::new(&executed.record), &line.request, &Patience::default())?;
    Ok(executed.record)
}

/// A line for each run, as it ends; when it is to be `quiet`, for those whose figures are wrong alone.
fn tell(turn: &str, run: &KnownRun, quiet: bool) {
    let iops = run.time_spans.iter().flatten().next().and_then(|span| span.total.iops);
    let iops = iops.map(|iops| format!("{iops:.0} IOPS")).unwrap_or_else(|| "not measured".into());
    let worst = run.findings.as_ref().and_then(|found| found.worst).filter(|w| w.word() == "wrong");
    let doubt = worst.map(|_| ", whose figures are not what they seem to be").unwrap_or_default();
    if !quiet || worst.is_some() {
        say(format_args!("{turn}: {iops}{doubt}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_take_turns_at_being_first() {
        let order: String = (0..8).map(|number| ['A', 'B'][whose_turn(number)]).collect();
        assert_eq!(order, "ABBAABBA");
    }
}
