//! `--repeat`: several runs of the same work, and their answer.

mod outs;

use super::measure;
use super::measurement::{Measurement, RunTurn};
use crate::cli::{Exit, RunRequest};
use crate::commands::read::repetition::{self, LoadedRepetition};
use crate::commands::shared::command_error::{CommandError, report_error};
use crate::commands::shared::console::OutputManner;
use crate::commands::shared::console::display::{Display, Step};
use crate::commands::shared::console::end_of_run;
use crate::commands::shared::console::live_series::LivePoint;
use crate::commands::shared::input::load::RunSource;
use crate::commands::shared::job::ctrl_c;
use crate::commands::shared::output::answer_forms;
use crate::commands::shared::output::{self, EarlierReports};
use crate::commands::shared::runs::completed_run::CompletedResults;
use crate::commands::shared::runs::own_files;
use crate::experiments::repeat::{Repeat, headline};
use crate::experiments::repetition::{RepeatedRun, Repetition};
use crate::machine::fingerprint::Fingerprint;
use crate::profile::ResultFormat;
use crate::run::{Control, HangGuard, OutputPolicy};
use crate::sys::standard_error::{self, print_line};
use crate::sys::standard_output;
use crate::units::visible;
use outs::RepeatOutputs;
use std::sync::Arc;

/// Makes the runs and reports their answer; it ends as the worst run.
pub(crate) fn repeat(asked: &RunSource, request: &RunRequest, how: Repeat) -> Result<Exit, CommandError> {
    check_request(asked, request)?;
    let control = Arc::default();
    let patience = HangGuard::of_run(&control);
    let outs = RepeatOutputs::new(request, &asked.run.profile)?;
    let door = match asked.run.with {
        Some(_) => OutputPolicy::default().which_owns(&own_files::own_files(request)),
        None => asked.run.door(OutputPolicy::default()),
    };
    let mut files = answer_forms::open(&outs.of_answer(), door, output::verdicts(request), &patience)?;
    // Between two runs, when none of them handles signals. The runs report it.
    let _watch = ctrl_c::ends_silently(&control)?;
    let mut walk = Walk { control, ..Walk::new(asked, request, how, &outs) };
    walk.run_all()?;
    let Walk { mut worst, earlier, made, .. } = walk;
    let Some(made) = made.finish(request, how) else { return Ok(worst) };
    let text = |room| visible::lines(&made.repetition.text(room)).into_owned();
    if outs.text_to_stdout {
        worst = worst.max(report_error(output::print_sentences(&text(standard_output::room()))));
    } else if !request.quiet {
        standard_error::write(&text(standard_output::room()));
    }
    for file in &mut files {
        file.stand_behind(&earlier);
        worst = worst.max(report_error(answer_forms::save(file, &made).map(|()| Exit::Success)));
    }
    let manner =
        OutputManner { quiet: request.quiet, document: !outs.text_to_stdout, ..OutputManner::default() };
    if let Some(screen) = end_of_run::place(&manner) {
        end_of_run::of_repetition(&made.repetition, request, &screen);
    }
    Ok(worst)
}

fn check_request(asked: &RunSource, request: &RunRequest) -> Result<(), CommandError> {
    if let Some(option) = request.follows_one_run() {
        let message = format!("{option} is for a single run and excludes --repeat; leave out one of them");
        return Err(CommandError::usage_errors([message]));
    }
    match asked.run.profile.time_spans.len() {
        1 => Ok(()),
        _ => Err(CommandError::usage_errors([
            "--repeat needs a profile of one time span, but this one has several",
        ])),
    }
}

struct Walk<'a> {
    asked: &'a RunSource,
    request: &'a RunRequest,
    how: Repeat,
    outs: &'a RepeatOutputs,
    control: Arc<Control>,
    display: Arc<Display>,
    earlier: EarlierReports,
    made: CompletedRuns,
    worst: Exit,
}

#[derive(Default)]
struct CompletedRuns {
    runs: Vec<RepeatedRun>,
    fingerprints: Vec<Fingerprint>,
    /// Results of all runs if a page is written, otherwise of the last run.
    results: Vec<CompletedResults>,
}

impl<'a> Walk<'a> {
    fn new(asked: &'a RunSource, request: &'a RunRequest, how: Repeat, outs: &'a RepeatOutputs) -> Walk<'a> {
        let (earlier, made) = (EarlierReports::default(), CompletedRuns::default());
        let (control, display) = (Arc::default(), Display::new(request.quiet));
        Walk { asked, request, how, outs, control, display, earlier, made, worst: Exit::Success }
    }

    fn run_all(&mut self) -> Result<(), CommandError> {
        while self.how.another(&self.made.runs.iter().map(|run| run.figures.iops).collect::<Vec<f64>>()) {
            let number = self.made.runs.len() + 1;
            if number > 1 && self.outs.reports && self.request_is_xml() {
                // The document before ends without a line feed, as DISKSPD's does.
                self.worst = self.worst.max(report_error(output::to_stdout(b"\n")));
            }
            let run = self.asked.repetition(number - 1);
            let ended = self.run_once(&run, number)?;
            self.worst = self.worst.max(ended.exit);
            let line = ended.results.line();
            let failed = ended.interrupted || ended.exit == Exit::RunFailed;
            let Some(line) = line.filter(|_| !failed) else {
                let outcome = if ended.interrupted { "was interrupted" } else { "failed" };
                let rest = match number {
                    1 => "there is no summary",
                    _ => "the summary covers the runs before it",
                };
                self.print(&format!("run {number} {outcome}; {rest}"));
                break;
            };
            self.print(&format!("run {number}: {}", headline(&line)));
            let known = ended.results.to_summary();
            self.made.fingerprints.extend(ended.results.fingerprint());
            self.made.runs.push(RepeatedRun {
                number: u32::try_from(number).unwrap_or(u32::MAX),
                seed: run.run.profile.time_spans.first().map_or(0, |span| span.rand_seed),
                file: self.outs.record_of(number).filter(|_| ended.results.record().is_some()),
                identity: known.identity,
                started_at: ended.results.began_at().or(known.started_at),
                outlier: false,
                differences: Vec::new(),
                figures: line,
            });
            if !self.outs.keeps_all {
                self.made.results.clear();
            }
            self.made.results.push(ended.results);
            self.show_answer();
        }
        Ok(())
    }

    fn run_once(&mut self, run: &RunSource, number: usize) -> Result<Measurement, CommandError> {
        let request = RunRequest { out: self.outs.of_run(number), ..self.request.clone() };
        let name = name_of(number, self.how);
        let to_come = match self.how {
            Repeat::Times(times) => (times as usize + 1).saturating_sub(number),
            Repeat::Until(_) => 1,
        };
        self.display.begin(Step { name: name.clone(), left_s: run.run.planned_seconds() * to_come as f64 });
        let turn = RunTurn {
            name,
            display: Arc::clone(&self.display),
            earlier: &mut self.earlier,
            control: &self.control,
            reports: self.outs.reports,
        };
        measure::measure(run, &request, Some(turn))
    }

    /// Displays the mean of the runs so far.
    fn show_answer(&self) {
        let runs = &self.made.runs;
        let mean = runs.iter().map(|run| run.figures.iops).sum::<f64>() / runs.len().max(1) as f64;
        let point = |run: &RepeatedRun| {
            let p99_ms = run.figures.latency.map(|latency| latency.p99_ms.ms());
            Some(LivePoint { iops: run.figures.iops, p99_ms })
        };
        let count = if runs.len() == 1 { "1 run".to_owned() } else { format!("{} runs", runs.len()) };
        let answer = format!("mean of {count} {mean:.0} IOPS");
        self.display.answer(answer, runs.iter().map(point).collect());
    }

    fn request_is_xml(&self) -> bool {
        self.asked.run.profile.result_format == ResultFormat::Xml
    }

    fn print(&self, text: &str) {
        if !self.request.quiet {
            print_line(text);
        }
    }
}

impl CompletedRuns {
    /// Returns the answer; `None` = no run has ended.
    fn finish(self, request: &RunRequest, how: Repeat) -> Option<LoadedRepetition> {
        let CompletedRuns { runs, fingerprints, results } = self;
        let last = results.last()?.to_summary();
        let line =
            last.command_line.as_ref().map_or_else(|| request.profile.command_line.clone(), Clone::clone);
        let work = repetition::work(&last);
        let different = |place: usize| machine_differences(&fingerprints, place);
        let repetition = Repetition::new(line.to_string(), work, how, runs, different);
        Some(LoadedRepetition { repetition, results })
    }
}

fn name_of(number: usize, how: Repeat) -> String {
    match how {
        Repeat::Times(times) => format!("run {number} of {times}"),
        Repeat::Until(_) => format!("run {number}"),
    }
}

/// Returns the differences of the machine between this run and most others.
fn machine_differences(fingerprints: &[Fingerprint], place: usize) -> Vec<String> {
    let alike = |one: &Fingerprint| fingerprints.iter().filter(|other| other.hash == one.hash).count();
    let Some(usual) = fingerprints.iter().max_by_key(|one| alike(one)) else { return Vec::new() };
    let Some(own) = fingerprints.get(place) else { return Vec::new() };
    let value = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
    let found = own.differences(usual).into_iter();
    found.map(|d| format!("{}: {}, else {}", d.part, value(d.first), value(d.other))).collect()
}
