//! `--repeat N -- A :: B`, `--until-sure -- A :: B`: runs of both sides in pairs, in random order within each
//! pair, so that a drift or an effect of the position affects both sides equally.

use super::super::run as single;
use super::programs::SidePrograms;
use super::sides;
use crate::cli::{CompareRequest, FailIf, Interleaved, RunRequest};
use crate::clock;
use crate::commands::experiments::{foreseen, run_backend};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::console::display::{Display, Step};
use crate::commands::shared::input::load;
use crate::commands::shared::job::{ctrl_c, job_limits};
use crate::commands::shared::output::answer_files::AnswerFiles;
use crate::commands::shared::runs::completed_run::CompletedResults;
use crate::commands::shared::runs::runnable::Runnable;
use crate::commands::shared::runs::{message_filter, save, side_run};
use crate::experiments::compare::{
    self, ComparisonQuery, InterimAnalyses, PlannedRuns, SequentialDesign, Side, SideRun,
};
use crate::finding::Finding;
use crate::profile::Parameters;
use crate::results::{Record, RunSummary, SpanSummary};
use crate::run::{Control, HangGuard, OutputPolicy};
use crate::sys::standard_error::print_line;
use std::borrow::Cow;
use std::sync::Arc;

impl Interleaved {
    pub fn same(&self) -> bool {
        let [first, other] = &self.requests;
        let spans = |request: &RunRequest| request.profile.time_spans.clone();
        spans(first) == spans(other)
            && first.run_options == other.run_options
            && first.profile_file == other.profile_file
    }
}

pub(super) struct RunSides {
    pub sides: [Side; 2],
    pub is_noise: bool,
    pub order_seed: u64,
    /// Design of `--until-sure`.
    pub until_sure: Option<SequentialDesign>,
    pub files: AnswerFiles,
}

pub(super) struct SideSetup<'a> {
    pub request: Cow<'a, RunRequest>,
    pub run: Runnable,
}

/// Runs both sides. All refusals precede the first run. `open`: the output files of the comparison.
///
/// # Errors
/// Fails if they cannot be compared, or a run fails.
pub(super) fn run(
    both: &Interleaved,
    asked: &CompareRequest,
    open: impl FnOnce(OutputPolicy) -> Result<AnswerFiles, CommandError>,
) -> Result<RunSides, CommandError> {
    let quiet = asked.quiet;
    let lines = [line(&both.requests[0], asked)?, line(&both.requests[1], asked)?];
    let files = open(lines.iter().fold(OutputPolicy::default(), |door, line| line.run.door(door)))?;
    check_comparable(&lines, asked)?;
    // Until the last of their runs has ended Ctrl-C is theirs, between two of them too.
    let control = Arc::new(Control::default());
    let _watch = ctrl_c::ends_several(&control)?;
    let programs = SidePrograms::from_sides(both, &control)?;
    if programs.is_some() {
        job_limits::refuse("a comparison of programs")?;
    }
    let time_spans = lines[0].run.profile.time_spans.len();
    if let Some(repeat) = both.repeat {
        let planned = PlannedRuns::Pairs(repeat as usize);
        foreseen::warn(planned, time_spans, quiet, |found| format!("use --repeat {}", found.each));
    }
    if let Some(programs) = programs.as_ref().filter(|_| !quiet) {
        print_line(format_args!("A: {}", programs.name(0)));
        print_line(format_args!("B: {}", programs.name(1)));
    }
    let order_seed = both.order_seed.map_or_else(clock::seed_millis, u64::from);
    let plan = PairPlan { both, lines: &lines, programs: programs.as_ref(), control: &control, asked };
    let (runs, until_sure) = match both.repeat {
        Some(repeat) => (plan.run_all(&compare::draw_order(repeat as usize, order_seed))?, None),
        None => plan.run_until_sure(&compare::draw_look_order(order_seed))?,
    };
    let [first, other] = runs;
    let name = |which: usize| match &programs {
        Some(programs) => format!("{}: {}", programs.name(which), side_name(&both.typed[which])),
        None => side_name(&both.typed[which]),
    };
    let side = |which: usize, runs| Side { name: name(which), runs };
    let is_noise = (both.typed[0] == both.typed[1] || both.same())
        && programs.as_ref().is_none_or(SidePrograms::are_same);
    let sides = [side(0, first), side(1, other)];
    Ok(RunSides { sides, is_noise, order_seed, until_sure, files })
}

type PairedRuns = [Vec<SideRun>; 2];

struct PairPlan<'a> {
    both: &'a Interleaved,
    lines: &'a [SideSetup<'a>; 2],
    programs: Option<&'a SidePrograms>,
    control: &'a Arc<Control>,
    asked: &'a CompareRequest,
}

impl PairPlan<'_> {
    fn run_all(&self, order: &[usize]) -> Result<PairedRuns, CommandError> {
        let mut runs = PairedRuns::default();
        let display = Display::new(self.lines[0].request.quiet);
        for number in 0..order.len() {
            self.run_step(order, number, "of", &mut runs, &display)?;
        }
        Ok(runs)
    }

    /// Makes pairs in the given order until the answer is certain, all are made, or the user ends it.
    fn run_until_sure(
        &self,
        order: &[usize],
    ) -> Result<(PairedRuns, Option<SequentialDesign>), CommandError> {
        let mut runs = PairedRuns::default();
        let display = Display::new(self.lines[0].request.quiet);
        for number in 0..order.len() {
            let step = self.run_step(order, number, "of at most", &mut runs, &display);
            let pairs = number / 2;
            match step {
                Err(_) if self.control.is_interrupted() && pairs > 0 => {
                    runs.iter_mut().for_each(|runs| runs.truncate(pairs));
                    return Ok((runs, Some(SequentialDesign::stopped(pairs))));
                }
                step => step?,
            }
            if number % 2 == 1
                && let Some(end) = self.judge_look(&runs)?
            {
                return Ok((runs, Some(end)));
            }
        }
        Ok((runs, None))
    }

    /// Judges the pairs so far, if this is a look; `None` = more pairs are needed.
    fn judge_look(&self, runs: &PairedRuns) -> Result<Option<SequentialDesign>, CommandError> {
        let pairs = runs[0].len();
        if compare::look_after(pairs).is_none() {
            return Ok(None);
        }
        let [first, other] = runs.each_ref().map(|runs| Side { name: String::new(), runs: runs.clone() });
        let question =
            ComparisonQuery { looks: InterimAnalyses::AfterPairs(pairs), ..self.asked.question.clone() };
        let compared = compare::compare(&first, &other, &question);
        let comparison = compared.map_err(|differences| super::refuse_differences(&differences))?;
        let loss = match self.asked.fail_if {
            Some(FailIf::Bisect(loss)) => Some(loss),
            Some(FailIf::Worse(_) | FailIf::Unsure) | None => None,
        };
        Ok(compare::judge_look(&comparison, pairs, loss))
    }

    /// Performs the next run of its side.
    fn run_step(
        &self,
        order: &[usize],
        number: usize,
        of: &str,
        runs: &mut PairedRuns,
        display: &Arc<Display>,
    ) -> Result<(), CommandError> {
        let which = order[number];
        let name = format!("{}{}", ["A", "B"][which], runs[which].len() + 1);
        let turn = format!("run {} {of} {}: {name}", number + 1, order.len());
        let left_s = order[number..].iter().map(|which| self.lines[*which].run.planned_seconds()).sum();
        display.begin(Step { name: turn.clone(), left_s });
        // Each run has different addresses, because the last run may have filled a cache.
        let seed = u32::try_from(number).unwrap_or(u32::MAX);
        let mut made = match self.programs {
            Some(programs) => {
                let line = &self.lines[which].request;
                let record = programs.run(which, &self.both.lines[which], line, seed, &turn)?;
                side_run::of_record(&record, &name)
            }
            None => run_one(&self.lines[which], number, display, self.control)?.side(&name),
        };
        if let Some(programs) = self.programs {
            made.environment.insert("program".into(), programs.name(which));
        }
        // Simulated runs may take no time at all.
        made.began_ms = i64::try_from(number).ok();
        report_run(&turn, &made.known, self.lines[which].request.quiet);
        runs[which].push(made);
        display.answer(medians(runs), Vec::new());
        Ok(())
    }
}

fn medians(runs: &[Vec<SideRun>; 2]) -> String {
    let of_run = |run: &SideRun| run.known.time_spans.iter().flatten().next()?.total.iops;
    let side = |(letter, runs): (&str, &Vec<SideRun>)| {
        let mut iops: Vec<f64> = runs.iter().filter_map(of_run).collect();
        iops.sort_by(f64::total_cmp);
        Some(format!("{letter} {:.0} IOPS", iops.get(iops.len() / 2)?))
    };
    ["A", "B"].into_iter().zip(runs).filter_map(side).collect::<Vec<_>>().join(", ")
}

fn side_name(typed: &str) -> String {
    if typed.is_empty() { "(no options)".into() } else { typed.to_owned() }
}

/// Parses and checks a side's command line.
pub(super) fn line<'a>(
    request: &'a RunRequest,
    asked: &CompareRequest,
) -> Result<SideSetup<'a>, CommandError> {
    let request = match asked.quiet && !request.quiet {
        true => Cow::Owned(RunRequest { quiet: true, ..request.clone() }),
        false => Cow::Borrowed(request),
    };
    request.warnings.iter().for_each(|warning| message_filter::report_finding(warning, request.quiet));
    let run = load::requested_run(&request)?.run;
    check_metric(&run, asked)?;
    single::check(&run, &request)?;
    if run.tool()?.is_none() {
        run.preflight()?;
    }
    save::try_out(&request, &HangGuard::default())?;
    Ok(SideSetup { request, run })
}

/// Checks that the run will have the deciding figure.
fn check_metric(run: &Runnable, asked: &CompareRequest) -> Result<(), CommandError> {
    let of_latency = asked.question.metric.filter(|metric| !metric.figure.more_is_better());
    match of_latency.filter(|_| run.profile.time_spans.iter().any(|span| !span.measure_latency)) {
        Some(metric) => {
            let finding = Finding::error(format!("--metric {metric}: these runs measure no latencies"));
            Err(CommandError::usage(vec![finding.remedy("add -L to the options of both sides")]))
        }
        None => Ok(()),
    }
}

fn check_comparable(lines: &[SideSetup; 2], asked: &CompareRequest) -> Result<(), CommandError> {
    let side = |line: &SideSetup| {
        let record = Record::new(line.run.profile.clone(), Default::default(), Default::default());
        let mut run = side_run::of_record(&record, "");
        let spans = line
            .run
            .profile
            .time_spans
            .iter()
            .map(|span| Parameters::from_span(span).done_by(&line.run.run_options));
        let known = |parameters| Some(SpanSummary { parameters, ..SpanSummary::default() });
        run.known.time_spans = spans.map(known).collect();
        Side { name: String::new(), runs: vec![run] }
    };
    let compared = compare::compare(&side(&lines[0]), &side(&lines[1]), &asked.question);
    compared.map(drop).map_err(|differences| super::refuse_differences(&differences))
}

/// Makes one run of a side after `number` others, unless the user has cancelled by `control`.
///
/// # Errors
/// Fails without complete figures, or if it cannot be kept.
pub(super) fn run_one(
    line: &SideSetup,
    number: usize,
    display: &Arc<Display>,
    control: &Arc<Control>,
) -> Result<CompletedResults, CommandError> {
    let made = run_backend::run_whole(&line.run.repetition(number), control, line.request.quiet, display)?;
    let made = made.ok_or_else(|| CommandError::failed([sides::INTERRUPTED]))?;
    save::save(&made.results, &line.request, &HangGuard::default())?;
    Ok(made.results)
}

/// Prints a line for each completed run; with `message_filter` only if its figures are wrong.
pub(super) fn report_run(turn: &str, run: &RunSummary, quiet: bool) {
    let iops = run.time_spans.iter().flatten().next().and_then(|span| span.total.iops);
    let iops = iops.map(|iops| format!("{iops:.0} IOPS")).unwrap_or_else(|| "not measured".into());
    let worst = run.findings.as_ref().and_then(|found| found.severity).filter(|w| w.word() == "wrong");
    let doubt = worst.map(|_| ", whose figures are WRONG").unwrap_or_default();
    if !quiet || worst.is_some() {
        print_line(format_args!("{turn}: {iops}{doubt}"));
    }
}
