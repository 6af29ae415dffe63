//! All time spans of a profile, sequentially.

use super::options::Options;
use super::own_targets;
use super::precreate::resized;
use super::replay;
use super::services::Prefilled;
use super::span::planning::probe_and_plan;
use super::span::probes::Probes;
use super::{precreate, services, span};
use diskspd_integrity::Integrity;
use diskspd_machine::System;
use diskspd_output::{HangGuard, OutputError, OutputPolicy};
use diskspd_plan::{self as plan, ErrorClass, PlanError};
use diskspd_profile::{Profile, RawText};
use diskspd_results::{EndedBy, Results, RunOutcome, SpanResults};
use diskspd_worker::telemetry::io_log::IoLog;
use diskspd_worker::{Control, Outcome, RunReporter};
use std::collections::HashSet;
use std::sync::Arc;

/// Runs all time spans of a profile sequentially, and skips the rest after a failure or an interruption.
/// `after_span` gets the intermediate results between spans, for saving.
///
/// # Errors
/// Fails without any change if the profile cannot be run on this machine or by this version.
pub fn run(
    profile: &Profile,
    system: &System,
    options: &Options,
    control: &Arc<Control>,
    voice: &RunReporter,
    after_span: &mut dyn FnMut(&mut Results),
) -> Result<Outcome, Vec<PlanError>> {
    let _death = PanicGuard(control);
    let profile = &resized(profile);
    control.does_in_time("inspects the targets");
    let probes = Probes::default();
    let (profiles, targets) = known_before(profile, system, options, &probes);
    if !profiles.is_empty() {
        return Err(profiles);
    }
    if !targets.is_empty() {
        return Ok(refuse_plan(profile, targets, control));
    }
    announce_replay(options, voice);
    let mut door = OutputPolicy::of_run(profile, &options.run_options).which_owns(&options.own);
    control.awaits("opens the log of I/Os (--io-log)");
    let log = options.io_log.as_ref().map(|path| {
        let outlet = door.permit("--io-log", path)?.open(&HangGuard::of_run(control))?;
        IoLog::create(path, outlet)
    });
    let log = log.transpose().map_err(|error: OutputError| vec![PlanError::target(error.to_string())])?;
    let integrity = services::begin_verification(profile, options, &mut door, control, voice)?;
    let mut outcome = Outcome::default();
    control.start_step("prepares files (-c)");
    let mut precreated = options.made.clone();
    match services::precreate(profile, options, control, voice) {
        Ok(paths) => precreated.extend(paths),
        Err(not) => (outcome.failures, outcome.refused) = (not.failures, not.refused),
    }
    if !precreated.is_empty() {
        probes.forget_what_lacked();
    }
    let prefilled = Prefilled::default();
    let common = span::RunContext {
        profile,
        precreated: &precreated,
        prefilled: &prefilled,
        system,
        options,
        control,
        voice,
        probes: &probes,
        log: log.as_ref(),
        integrity: integrity.as_ref(),
    };
    for (number, time_span) in profile.time_spans.iter().enumerate() {
        if !outcome.failures.is_empty() || control.is_interrupted() {
            outcome.results.time_spans.push(not_reached(number, outcome.failures.is_empty(), control));
            continue;
        }
        voice.begin_span(number + 1);
        voice.verbose(|| format!("generating I/O for time span {}", number + 1));
        let mut ended = span::run(time_span, common);
        let after = ended.results.ended.and_then(|ended| ended.after);
        if !ended.failures.is_empty() {
            ended.results.ended = Some(RunOutcome { cause: EndedBy::Failure, after });
        } else if after.is_none() && control.is_interrupted() {
            ended.results.ended = Some(RunOutcome { cause: control.ended_by(), after });
        }
        probes.forget_what_lacked();
        voice.clear_line();
        outcome.results.time_spans.push(ended.results);
        outcome.failures = ended.failures;
        outcome.refused |= ended.refused && number == 0 && precreated.is_empty();
        outcome.troubles.extend(ended.troubles);
        if number + 1 < profile.time_spans.len() {
            after_span(&mut outcome.results);
        }
    }
    end_run(&mut outcome, integrity, log, control, voice);
    Ok(outcome)
}

/// Announces the duration of a replay in real time.
fn announce_replay(options: &Options, voice: &RunReporter) {
    let replay = options.run_options.replay.as_ref().filter(|_| !options.run_options.virtual_time());
    replay.into_iter().for_each(|replay| voice.note(&replay::expectation(replay)));
}

fn end_run(
    outcome: &mut Outcome,
    integrity: Option<Integrity>,
    log: Option<IoLog>,
    control: &Control,
    voice: &RunReporter,
) {
    outcome.troubles.extend(voice.end());
    // It counts also when the files below don't answer any more.
    control.deposit(outcome.last_span());
    control.does_in_time("ends the journal or the log of I/Os (--journal, --io-log)");
    outcome
        .troubles
        .extend(integrity.and_then(|integrity| integrity.end().err().map(|error| error.to_string())));
    if let Some(log) = log {
        log.end(outcome.results.have_figures());
        outcome.troubles.extend(log.failure());
        log.complaint().iter().for_each(|complaint| voice.warn(complaint));
    }
    let _ = control.take_deposit();
}

fn known_before(
    profile: &Profile,
    system: &System,
    options: &Options,
    probes: &Probes,
) -> (Vec<PlanError>, Vec<PlanError>) {
    let mut made: HashSet<RawText> = precreate::files(profile).into_iter().map(|file| file.path).collect();
    let mut known = Vec::new();
    for span in &profile.time_spans {
        let errors = probe_and_plan(profile, span, system, options, probes).err().unwrap_or_default();
        let to_come = span.targets.iter().any(|target| made.contains(&target.path));
        known.extend(errors.into_iter().filter(|error| !to_come || error.lies_in == ErrorClass::Profile));
        let own = own_targets::faults(span, options);
        known.extend(own.into_iter().map(|fault| PlanError::target(fault.to_string())));
        made.extend(span.targets.iter().filter(|t| plan::creates(t)).map(|target| target.path.clone()));
    }
    let lack = services::lack_of_space(profile, options);
    known.extend(lack.map(|(_, lack)| PlanError::target(lack.to_string())));
    let (profiles, mut targets): (Vec<_>, Vec<_>) =
        known.into_iter().partition(|error| error.lies_in == ErrorClass::Profile);
    targets.dedup();
    (profiles, targets)
}

fn refuse_plan(profile: &Profile, errors: Vec<PlanError>, control: &Control) -> Outcome {
    let spans = (0..profile.time_spans.len()).map(|number| not_reached(number, false, control));
    let results = Results { time_spans: spans.collect() };
    let failures = errors.iter().map(PlanError::to_string).collect();
    Outcome { results, failures, refused: true, troubles: Vec::new() }
}

fn not_reached(number: usize, went_well: bool, control: &Control) -> SpanResults {
    let by = if went_well { control.ended_by() } else { EndedBy::Failure };
    let ended = (number == 0).then_some(RunOutcome { cause: by, after: None });
    SpanResults { ended, ..SpanResults::default() }
}

struct PanicGuard<'a>(&'a Control);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.died();
        }
    }
}
