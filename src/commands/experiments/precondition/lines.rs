//! The command lines of a preconditioning, read and validated before the first step.

use super::super::run_backend;
use crate::cli::shell_quote::quoted;
use crate::cli::{PreconditionRequest, RunRequest, TypedLine};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::input::load::ProfileCache;
use crate::commands::shared::runs::runnable::{Runnable, SpanOutlook};
use crate::commands::shared::runs::with;
use crate::experiments::precondition::Standard;
use crate::finding::Finding;
use crate::plan::SpanPlan;
use crate::profile::Target;
use crate::run;
use crate::units::amount;
use std::ffi::OsString;

/// Maximum time of the fill: a year, in s.
const MAX_FILL_TIME: u32 = 365 * 24 * 3600;
/// Block size of the fill.
const FILL_BLOCK: &str = "-b128K";

pub(super) struct PreconditionLine {
    pub run: Runnable,
    pub command: String,
}

pub(super) struct PreconditionLines {
    /// Sequential fill; `None` = no fill.
    pub fill: Option<PreconditionLine>,
    pub round: PreconditionLine,
    pub size: u64,
    pub warnings: Vec<Finding>,
}

impl PreconditionLines {
    /// Creates, parses and validates the lines, and checks their permission for the target.
    pub(super) fn from_request(request: &PreconditionRequest) -> Result<PreconditionLines, CommandError> {
        let (whole, mut warnings) = round_of(request, None)?;
        keeps_to(request, &whole)?;
        warnings.extend(writes_nothing(&whole));
        let size = span_outlook(&whole).plan.map(|plan| size_of(&plan)).map_err(CommandError::from)?;
        let range = request.standard.active_range().filter(|percent| *percent < 100);
        let used = range.map(|percent| (u128::from(size) * u128::from(percent) / 100) as u64 / 4096 * 4096);
        let (round, _) = round_of(request, used)?;
        let fill = request.fill.filter(|_| !round.run.run_options.simulated());
        let fill =
            fill.map(|times| parse_arguments(&fill_line(request, &round, times), |_| None)).transpose()?;
        let lines = PreconditionLines { fill: fill.map(|(line, _)| line), round, size, warnings };
        lines.are_permitted()?;
        Ok(lines)
    }

    pub(super) fn simulated(&self) -> bool {
        self.round.run.run_options.simulated()
    }

    pub(super) fn virtual_time(&self) -> bool {
        self.round.run.run_options.virtual_time()
    }

    fn are_permitted(&self) -> Result<(), CommandError> {
        let mut refused = Vec::new();
        for line in self.fill.iter().chain([&self.round]) {
            let SpanOutlook { plan, refusals } = span_outlook(line);
            plan.map_err(CommandError::from)?;
            refused.extend(refusals);
        }
        refused.dedup();
        if refused.is_empty() { Ok(()) } else { Err(CommandError::failed(refused)) }
    }
}

/// Returns the round after `number - 1` others. A simulated drive restarts with every run, so the warm-up
/// repeats the effect of earlier rounds.
pub(super) fn round_run(lines: &PreconditionLines, round_s: u32, number: u32) -> Runnable {
    let round = &lines.round.run;
    if !lines.virtual_time() {
        // With the same seed the same places would be written in every round, and no others.
        return round.repetition(number as usize - 1);
    }
    let mut first = round.repetition(0);
    first.profile.time_spans.iter_mut().for_each(|span| span.warmup = round_s.saturating_mul(number - 1));
    first
}

fn to_words<'a>(words: impl IntoIterator<Item = &'a str>) -> impl Iterator<Item = OsString> {
    words.into_iter().map(OsString::from).collect::<Vec<_>>().into_iter()
}

fn round_line(request: &PreconditionRequest, used: Option<u64>) -> Vec<OsString> {
    let (time, end) = (format!("-d{}", request.round_s), used.map(|bytes| format!("-f{bytes}")));
    to_words([time.as_str(), "-W0", "-L"])
        .chain(to_words(request.standard.options().iter().copied()))
        .chain(to_words(end.as_deref()))
        .chain(request.options.iter().cloned())
        .chain(to_words(request.destroy.then_some("--destroy")))
        .chain([request.target.clone()])
        .collect()
}

fn round_of(
    request: &PreconditionRequest,
    used: Option<u64>,
) -> Result<(PreconditionLine, Vec<Finding>), CommandError> {
    parse_arguments(&round_line(request, used), out_of_place)
}

fn fill_line(request: &PreconditionRequest, round: &PreconditionLine, times: u32) -> Vec<OsString> {
    let target = round.run.profile.time_spans.first().and_then(|span| span.targets.first());
    let size = target.and_then(|target| target.file_size).map(|bytes| format!("-c{bytes}"));
    let engine = round.run.run_options.engine.map(|kind| format!("--engine={}", kind.row().name));
    let time = format!("-d{MAX_FILL_TIME}");
    let until = format!("--until-written={times}x");
    to_words([
        FILL_BLOCK,
        "-w100",
        "-t1",
        "-o32",
        "-Zr",
        request.standard.fill_caching(),
        "-W0",
        &time,
        &until,
    ])
    .chain(to_words(size.as_deref()))
    .chain(to_words(engine.as_deref()))
    .chain(to_words(request.destroy.then_some("--destroy")))
    .chain([request.target.clone()])
    .collect()
}

/// Reads a command line; `misplaced` refuses unsuitable options.
fn parse_arguments(
    arguments: &[OsString],
    misplaced: fn(&RunRequest) -> Option<String>,
) -> Result<(PreconditionLine, Vec<Finding>), CommandError> {
    let line = TypedLine::from_arguments(arguments).map_err(|error| {
        CommandError::usage_errors([format!("{error}\n  in: diskspd {}", quoted(arguments))])
    })?;
    let (run, warnings) = run_backend::runnable(&line, &ProfileCache::default(), |request, profile, _| {
        if let Some(refused) = misplaced(request) {
            return Some(refused);
        }
        let [span] = profile.time_spans.as_slice() else {
            return Some("a round has one time span, but this has several".into());
        };
        let one = "a round has one target; options of the workload begin with a dash";
        (span.targets.len() != 1).then(|| one.into())
    })?;
    Ok((PreconditionLine { run, command: line.to_typed_text() }, warnings))
}

/// An option that has no place in a round, and what to do about it.
fn out_of_place(request: &RunRequest) -> Option<String> {
    let run_options = &request.run_options;
    let by_time = "; a round ends by time";
    let given = [
        (request.profile_file.is_some(), "-X, --fio", ""),
        (run_options.preset.is_some(), "--preset", ""),
        (request.recreate, "--recreate", ""),
        (run_options.until_steady_s.is_some(), "--until-steady", ""),
        (run_options.until_written.is_some(), "--until-written", by_time),
        (run_options.until_read.is_some(), "--until-read", by_time),
    ];
    let given = given.into_iter().find(|(is_given, ..)| *is_given).map(|(_, option, why)| (option, why));
    let of_one_run = || {
        let option = run_backend::out_of_place(request)?;
        let is_of_the_command = ["--out", "--dry-run", "--quiet"].contains(&option);
        Some((option, if is_of_the_command { "; put it before --" } else { "" }))
    };
    let (option, why) = given.or_else(of_one_run)?;
    Some(format!("{option} cannot be used in rounds of precondition{why}"))
}

fn keeps_to(request: &PreconditionRequest, asked: &PreconditionLine) -> Result<(), CommandError> {
    let usage = |message: String| Err(CommandError::usage_errors([message]));
    with::no_place(
        asked.run.with.as_deref(),
        "precondition: it needs local access to the target, and its fill ends after an amount of data",
    )?;
    let Some(span) = asked.run.profile.time_spans.first() else { return Ok(()) };
    if span.duration != request.round_s || span.warmup != 0 {
        return usage("--round sets the duration, and rounds have no warm-up; leave out -d and -W".into());
    }
    if request.standard == Standard::Custom {
        return Ok(());
    }
    let mut plain = PreconditionRequest { options: Vec::new(), ..request.clone() };
    let size = span.targets.first().and_then(|target| target.file_size).map(|bytes| format!("-c{bytes}"));
    plain.options = to_words(size.as_deref()).collect();
    let (standard, _) = round_of(&plain, None)?;
    // How many threads there are and how much is outstanding is the user's to say.
    let decided = |line: &PreconditionLine| -> Option<Target> {
        let target = line.run.profile.time_spans.first()?.targets.first()?.clone();
        let free = Target::default();
        Some(Target {
            threads_per_file: free.threads_per_file,
            request_count: free.request_count,
            io_priority: free.io_priority,
            ..target
        })
    };
    if decided(&standard) != decided(asked) {
        return usage(format!(
            "{} defines the workload, {}: after -- use only options for threads, outstanding I/Os, file \
             creation and engine; --standard custom takes all",
            request.standard.name(),
            request.standard.options().join(" ")
        ));
    }
    Ok(())
}

fn writes_nothing(round: &PreconditionLine) -> Option<Finding> {
    let changes = round.run.profile.time_spans.iter().flat_map(|span| &span.targets).any(Target::is_changed);
    let message = "the rounds only read, so they do not change the target's state";
    (!changes).then(|| Finding::warning(message).remedy("use -w100 after -- for rounds of writes"))
}

fn span_outlook(line: &PreconditionLine) -> SpanOutlook {
    let found = line.run.outlook(&run::machine_for(&line.run.profile));
    found.unwrap_or(SpanOutlook { plan: Err(Vec::new()), refusals: Vec::new() })
}

fn size_of(plan: &SpanPlan) -> u64 {
    plan.workers.iter().flat_map(|worker| &worker.targets).map(|target| target.size).max().unwrap_or(0)
}

pub(super) fn filled(bytes: u64, seconds: f64) -> String {
    let rate = if seconds > 0.0 { bytes as f64 / seconds } else { 0.0 };
    format!("fill: {} in {seconds:.1} s, {}/s", amount(bytes), amount(rate as u64))
}
