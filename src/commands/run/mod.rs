//! The program's main job: a profile is validated, run, and reported.

#[cfg(target_os = "linux")]
pub(crate) mod judge;
pub(crate) mod measure;
pub(crate) mod measure_with;
pub(crate) mod measurement;
pub(crate) mod repeat;
pub(crate) mod rerun;
pub(crate) mod verify_after;

use crate::cli::{Exit, RunRequest};
use crate::commands::run::measure::measure;
use crate::commands::shared::command_error::{CommandError, report_error};
use crate::commands::shared::input::load::{self, RunSource};
use crate::commands::shared::job::job_limits;
use crate::commands::shared::output::{self, sanitize};
use crate::commands::shared::runs::runnable::{self, Runnable, SpanOutlook};
use crate::commands::shared::runs::{message_filter, with};
use crate::finding::{Finding, Severity};
use crate::host;
use crate::machine::System;
use crate::profile::validate::validate;
use crate::profile::{Profile, ResultFormat, VerifyMode};
use crate::report::{self, plan_text, profile_text, profile_xml};
use crate::run::{self, Options, ReplayReady};
use crate::sys::standard_error::print_line;

/// Validates, runs and reports; or prints the profile or the plan.
///
/// # Errors
/// Fails if it cannot be run, without any measurement. A run that failed in progress has a report.
pub(super) fn run(request: &RunRequest) -> Result<Exit, CommandError> {
    if !request.quiet {
        request.warnings.iter().for_each(print_line);
    }
    let asked = load::requested_run(request)?;
    let run = &asked.run;
    check(run, request)?;
    if request.profile_only {
        return print_profile(&run.profile);
    }
    if !request.quiet {
        warn_of_what_does_nothing(&asked, request);
    }
    if run.journal.is_some() && !run.run_options.verify.is_some_and(VerifyMode::stamps) {
        return Err(CommandError::usage_errors([
            "--journal records which verified writes are durable and needs --verify or --verify=write",
        ]));
    }
    if request.each && request.repeat.is_none() {
        return Err(CommandError::usage_errors([
            "--each reports the runs of --repeat; add --repeat, or leave it out",
        ]));
    }
    let refused = job_limits::refused_options(request);
    if !refused.is_empty() {
        return Err(CommandError::usage_errors(refused));
    }
    match request.dry_run {
        true => dry_run(&asked, request),
        false => match request.repeat {
            Some(how) => repeat::repeat(&asked, request, how),
            None => measure(&asked, request, None).map(|measurement| measurement.exit),
        },
    }
}

/// Validates and prints warnings at once.
///
/// # Errors
/// Fails with all violated rules in order.
pub(super) fn check(run: &Runnable, request: &RunRequest) -> Result<(), CommandError> {
    // A printed profile does not include run options.
    let findings = if request.profile_only { validate(&run.profile, true) } else { run.findings() };
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(CommandError::usage(findings));
    }
    findings.iter().for_each(|finding| message_filter::report_finding(finding, request.quiet));
    Ok(())
}

pub(super) fn warn_of_what_does_nothing(asked: &RunSource, request: &RunRequest) {
    let profile = &asked.run.profile;
    if !asked.run_options_are_known {
        print_line(Finding::warning(
            "the record lacks the run's options (--engine and the like), so their defaults are used",
        ));
    }
    let mut targets = profile.time_spans.iter().flat_map(|span| &span.targets);
    if !run::KNOWS_TEMPORARY_FILES && targets.any(|target| target.temporary_file) {
        print_line(Finding::warning(
            "-ft (TemporaryFile) has no effect: Linux has no such hint; reports show it",
        ));
    }
    if let Some(warning) = output::empty_csv(&request.out, profile).filter(|_| request.repeat.is_none()) {
        print_line(warning);
    }
    let form = output::form_of_results(profile.result_format);
    output::verdicts_nowhere(output::verdicts(request), &request.out, Some(form))
        .into_iter()
        .for_each(print_line);
}

fn print_profile(profile: &Profile) -> Result<Exit, CommandError> {
    let mut out = Vec::new();
    let profile = &*sanitize::on_standard_output(profile);
    match profile.result_format {
        ResultFormat::Text => {
            let system = if profile.compat.is_2_3() { run::machine_for(profile) } else { System::default() };
            profile_text::write_profile_on(&mut out, profile, &system);
        }
        ResultFormat::Xml => profile_xml::write_profile(&mut out, profile, 0),
    }
    output::to_stdout(&out)
}

/// Prints the facts about this machine (`-Rs`).
pub(super) fn print_system(xml: bool) -> Result<Exit, CommandError> {
    let mut system = host::snapshot();
    crate::host::caches::read_caches(&mut system);
    for unread in &system.unreadable {
        print_line(
            Finding::warning(format!("{} are unknown: {}", unread.facts, unread.reason))
                .remedy(&unread.remedy),
        );
    }
    output::to_stdout(&match xml {
        true => report::xml::system_alone(&system),
        false => report::text::system_alone(&system),
    })
}

fn dry_run(asked: &RunSource, request: &RunRequest) -> Result<Exit, CommandError> {
    if let Some(command) = &asked.run.with {
        return output::to_stdout(&with::tool_input(command, &asked.run.profile));
    }
    let ReplayReady { profile, run_options, list } =
        run::prepared(&asked.run.profile, &asked.run.run_options, &asked.run.origin)
            .map_err(|finding| CommandError::usage(vec![*finding]))?;
    let run = Runnable { profile, run_options, ..asked.run.clone() };
    let (profile, run_options) = (&run.profile, &run.run_options);
    let system = run::machine_for(profile);
    if let Some(before) = asked.before.as_ref().filter(|_| !request.quiet) {
        rerun::tell_differences(before, &run::surroundings(profile, run_options));
    }
    let mut out = Vec::new();
    profile_text::write_profile_on(&mut out, &sanitize::on_standard_output(profile), &system);
    plan_text::write_run_options(&mut out, run_options);
    if let Some(plans) = runnable::plan_by_ranks(&run) {
        out.extend_from_slice(plans.text.as_bytes());
        output::to_stdout(&out)?;
        return match plans.failures.is_empty() {
            true => Ok(Exit::Success),
            false => Err(CommandError::failed(plans.failures)),
        };
    }
    let exit = report_error(run.preflight().map(|()| Exit::Success).map_err(CommandError::from));
    let options = Options { replay: list, ..run.options() };
    let outlooks = run.outlooks(&system, &options);
    let exit = exit.max(print_plans(&mut out, outlooks, request.quiet));
    output::to_stdout(&out).map(|_| exit)
}

fn print_plans(out: &mut Vec<u8>, outlooks: impl Iterator<Item = SpanOutlook>, quiet: bool) -> Exit {
    let mut exit = Exit::Success;
    for (number, SpanOutlook { plan, refusals }) in outlooks.enumerate() {
        match plan {
            Ok(plan) => {
                plan.warnings.iter().for_each(|warning| message_filter::report_finding(warning, quiet));
                plan_text::write_plan(out, number + 1, &plan);
                if !refusals.is_empty() {
                    exit = exit.max(CommandError::failed(refusals).report());
                }
            }
            Err(errors) => exit = exit.max(CommandError::from(errors).report()),
        }
    }
    exit
}
