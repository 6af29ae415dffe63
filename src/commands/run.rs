//! The program's main job: a profile is validated, run, and reported.

use super::load;
use super::output::{self, OutFile};
use crate::cli::{EXIT_RUN_FAILED, EXIT_SUCCESS, EXIT_USAGE, RunRequest};
use crate::plan::{self, PlanError, Severity};
use crate::profile::validate::{self, validate};
use crate::profile::{Profile, RawText, ResultFormat};
use crate::report::{plan_text, profile_text, profile_xml, text};
use crate::results::Record;
use crate::run::events::{self, Event, Events};
use crate::run::{self, Console, Control, Options};
use crate::system::{self, System};
use std::sync::Arc;

/// Returns the exit code.
pub fn run(request: &RunRequest) -> u8 {
    for warning in &request.warnings {
        eprintln!("WARNING: {warning}");
    }
    let profile = match load::profile(request) {
        Ok(profile) => profile,
        Err(messages) => {
            messages.iter().for_each(|message| eprintln!("ERROR: {message}"));
            return EXIT_USAGE;
        }
    };
    let profile = profile.as_ref();
    if !is_valid(profile, request.profile_only) {
        return EXIT_USAGE;
    }
    if request.profile_only {
        return print_profile(profile);
    }
    if profile.result_format == ResultFormat::Xml {
        eprintln!(
            "ERROR: -Rxml: this version can't write XML yet; use -Rtext, or --out FILE.json for programs to read"
        );
        return EXIT_USAGE;
    }
    if complain(&plan::not_yet(profile)) {
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
        ..Options::default()
    };
    if request.dry_run {
        return dry_run(profile, &system, &options);
    }
    measure(profile, request, system, options)
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

fn print_profile(profile: &Profile) -> u8 {
    let mut out = Vec::new();
    match profile.result_format {
        ResultFormat::Text => profile_text::write_profile(&mut out, profile),
        ResultFormat::Xml => profile_xml::write_profile(&mut out, profile, 0),
    }
    output::to_stdout(&out)
}

/// Prints profile and plan; nothing is opened for writing, created or measured.
fn dry_run(profile: &Profile, system: &System, options: &Options) -> u8 {
    let mut out = Vec::new();
    profile_text::write_profile(&mut out, profile);
    let mut code = EXIT_SUCCESS;
    let profile = run::resized(profile);
    for (number, span) in profile.time_spans.iter().enumerate() {
        match run::probe_and_plan(&profile, span, system, options) {
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

/// Opens the events of the command line.
fn open_events(request: &RunRequest) -> Result<(Events, Option<Arc<Event>>), String> {
    let open = |option: &str, name: &Option<RawText>| match name {
        Some(name) => events::open(name.as_bytes()).map(Some).map_err(|e| format!("{option}{name}: {e}")),
        None => Ok(None),
    };
    let given = &request.events;
    let events = Events {
        start: open("-ys", &given.start)?,
        finish: open("-yf", &given.finish)?,
        wait: open("-yr", &given.wait)?,
    };
    Ok((events, open("-yp", &given.stop)?))
}

fn measure(profile: &Profile, request: &RunRequest, system: System, mut options: Options) -> u8 {
    let stop;
    (options.events, stop) = match open_events(request) {
        Ok(events) => events,
        Err(message) => {
            eprintln!("ERROR: {message}");
            return EXIT_RUN_FAILED;
        }
    };
    let files: Result<Vec<OutFile>, String> = request.out.iter().map(|path| OutFile::create(path)).collect();
    let files = match files {
        Ok(files) => files,
        Err(message) => {
            eprintln!("ERROR: {message}");
            return EXIT_RUN_FAILED;
        }
    };
    let control = Arc::new(Control::default());
    let watches = run::watch(Arc::clone(&control), stop.clone())
        .map_err(|e| format!("Ctrl-C can't be watched for: {e}"))
        .and_then(|signals| match stop {
            Some(event) => events::stop_when_set(event, Arc::clone(&control))
                .map(|watch| (signals, Some(watch)))
                .map_err(|e| format!("-yp: {e}")),
            None => Ok((signals, None)),
        });
    let _watches = match watches {
        Ok(watches) => watches,
        Err(message) => {
            eprintln!("ERROR: {message}");
            return EXIT_RUN_FAILED;
        }
    };
    let console = Console::new(profile.verbose);
    let outcome = match run::run(profile, &system, &options, &control, &console) {
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
