//! The program's main job: a profile is validated, run, and reported.

use super::output::{self, OutFile};
use crate::cli::{EXIT_RUN_FAILED, EXIT_SUCCESS, EXIT_USAGE, Events, RunRequest};
use crate::plan::{self, PlanError, Severity};
use crate::profile::validate::{self, validate};
use crate::profile::{Profile, ResultFormat};
use crate::report::{plan_text, profile_text, text};
use crate::results::Record;
use crate::run::{self, Console, Control, Options};
use crate::system::{self, System};
use std::sync::Arc;

/// Returns the exit code.
pub fn run(request: &RunRequest) -> u8 {
    let profile = &request.profile;
    for warning in &request.warnings {
        eprintln!("WARNING: {warning}");
    }
    if let Some(xml) = &request.xml_profile {
        eprintln!(
            "ERROR: -X{}: this version can't read XML profiles yet; give the options on the command line",
            xml.path
        );
        return EXIT_USAGE;
    }
    if !is_valid(profile, request.profile_only) {
        return EXIT_USAGE;
    }
    if profile.result_format == ResultFormat::Xml {
        eprintln!(
            "ERROR: -Rxml: this version can't write XML yet; use -Rtext, or --out FILE.json for programs to read"
        );
        return EXIT_USAGE;
    }
    let unsupported = plan::not_yet(profile);
    if request.profile_only {
        return print_profile(profile);
    }
    let mut refused = complain(&unsupported);
    refused |= events_refused(&request.events);
    if refused {
        return EXIT_USAGE;
    }
    if profile.etw.is_some() {
        eprintln!("WARNING: -e: Linux has no such event tracing; the report comes without its sections");
    }
    let system = system::snapshot();
    let options = Options {
        engine: request.engine,
        recreate: request.recreate,
        destroy: request.destroy,
        io_log: request.io_log.clone(),
    };
    if request.dry_run {
        return dry_run(profile, &system, &options);
    }
    measure(request, system, &options)
}

/// Prints what validation finds; true = no errors.
fn is_valid(profile: &Profile, profile_only: bool) -> bool {
    let findings = validate(profile, profile_only);
    for finding in &findings {
        eprintln!("{finding}");
    }
    findings.iter().all(|f| f.severity != validate::Severity::Error)
}

/// Prints errors; true = there are any.
fn complain(errors: &[PlanError]) -> bool {
    for error in errors {
        eprintln!("ERROR: {error}");
    }
    !errors.is_empty()
}

fn events_refused(events: &Events) -> bool {
    let given =
        [("-ys", &events.start), ("-yf", &events.finish), ("-yr", &events.wait), ("-yp", &events.stop)];
    let given: Vec<&str> =
        given.into_iter().filter(|(_, name)| name.is_some()).map(|(option, _)| option).collect();
    for option in &given {
        eprintln!("ERROR: {option}: this version has no events between processes yet; leave it out");
    }
    !given.is_empty()
}

fn print_profile(profile: &Profile) -> u8 {
    let mut out = Vec::new();
    profile_text::write_profile(&mut out, profile);
    output::to_stdout(&out)
}

/// Prints profile and plan; nothing is opened for writing, created or measured.
fn dry_run(profile: &Profile, system: &System, options: &Options) -> u8 {
    let mut out = Vec::new();
    profile_text::write_profile(&mut out, profile);
    let mut code = EXIT_SUCCESS;
    for (number, span) in profile.time_spans.iter().enumerate() {
        match run::probe_and_plan(profile, span, system, options) {
            Ok(plan) => {
                plan.warnings.iter().for_each(|w| eprintln!("WARNING: {w}"));
                plan_text::write_plan(&mut out, number + 1, &plan);
            }
            Err(errors) => {
                complain(&errors);
                code = code.max(exit_code(&errors));
            }
        }
    }
    match output::to_stdout(&out) {
        EXIT_SUCCESS => code,
        failed => failed,
    }
}

fn exit_code(errors: &[PlanError]) -> u8 {
    if errors.iter().any(|e| e.severity == Severity::Profile) { EXIT_USAGE } else { EXIT_RUN_FAILED }
}

fn measure(request: &RunRequest, system: System, options: &Options) -> u8 {
    let profile = &request.profile;
    let files: Result<Vec<OutFile>, String> = request.out.iter().map(|path| OutFile::create(path)).collect();
    let files = match files {
        Ok(files) => files,
        Err(message) => {
            eprintln!("ERROR: {message}");
            return EXIT_RUN_FAILED;
        }
    };
    let control = Arc::new(Control::default());
    let _watch = match run::watch(Arc::clone(&control)) {
        Ok(watch) => watch,
        Err(e) => {
            eprintln!("ERROR: Ctrl-C can't be watched for: {e}");
            return EXIT_RUN_FAILED;
        }
    };
    let console = Console::new(profile.verbose);
    let outcome = match run::run(profile, &system, options, &control, &console) {
        Ok(outcome) => outcome,
        Err(errors) => {
            complain(&errors);
            return exit_code(&errors);
        }
    };
    let record = Record::new(profile.clone(), system, outcome.results);
    let mut code = output::to_stdout(&text::text(&record));
    code = output::write_all(files, &record).unwrap_or(code);
    for failure in &outcome.failures {
        eprintln!("ERROR: {failure}");
    }
    if !outcome.failures.is_empty() {
        eprintln!(
            "ERROR: the run failed; no figures are shown for time spans that failed or were not reached"
        );
        code = EXIT_RUN_FAILED;
    }
    code
}
