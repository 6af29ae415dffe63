//! The program's main job: a profile is validated, run, and reported.

use super::console::Console;
use super::load::{self, ToRun};
use super::output::{self, OutFile, Outputs, StandardOutput};
use super::{rerun, shown};
use crate::cli::{EXIT_DOUBTFUL, EXIT_RUN_FAILED, EXIT_SUCCESS, EXIT_USAGE, RunRequest};
use crate::plan::{PlanError, Severity};
use crate::profile::validate::{self, validate};
use crate::profile::{Method, Profile, RawText, ResultFormat};
use crate::report::findings::{self, Detail};
use crate::report::{self, Format, plan_text, profile_text, profile_xml};
use crate::run::events::{self, Event, Events};
use crate::run::{self, Control, Executed, NotRun, Options, Probes, Session, execute};
use crate::sys::process;
use crate::sys::standard_error::{self, say};
use crate::system::{self, System};
use crate::truth::{Judged, Severity as Doubt};
use std::sync::Arc;

/// Returns the exit code.
pub fn run(request: &RunRequest) -> u8 {
    if !request.quiet {
        request.warnings.iter().for_each(warn);
    }
    let asked = match load::asked(request) {
        Ok(asked) => asked,
        Err(messages) => return fail(messages, EXIT_USAGE),
    };
    let (profile, method) = (&*asked.profile, &*asked.method);
    if !is_valid(profile, method, request.profile_only) {
        return EXIT_USAGE;
    }
    if request.profile_only {
        return print_profile(profile);
    }
    warn_of_what_does_nothing(&asked, request);
    match request.dry_run {
        true => dry_run(&asked, request),
        false => measure(&asked, request),
    }
}

/// Runs it and reports.
fn measure(asked: &ToRun, request: &RunRequest) -> u8 {
    let (profile, method) = (&*asked.profile, &*asked.method);
    // Before the files of --out and --stream are there.
    if let Err(errors) = run::cpu_latency_refusal(method) {
        return complain(&errors);
    }
    let opened = open_events(request).and_then(|events| Ok((events, Outputs::open(request, profile)?)));
    let ((events, stop), Outputs { files, stream, standard_output }) = match opened {
        Ok(opened) => opened,
        Err(message) => return fail([message], EXIT_RUN_FAILED),
    };
    // As in DISKSPD where there is nothing but text for people.
    let document = standard_output != StandardOutput::Report || profile.result_format == ResultFormat::Xml;
    let files = Arc::new(files);
    let session = Session {
        recreate: request.recreate,
        destroy: request.destroy,
        io_log: request.io_log.clone(),
        events,
        listener: Arc::new(Console::new(profile.verbose, document, stream, Arc::clone(&files))),
        control: Arc::default(),
    };
    let _watches = match watch(&session.control, stop, document) {
        Ok(watches) => watches,
        Err(message) => return fail([message], EXIT_RUN_FAILED),
    };
    let executed = match execute(profile, method, &session) {
        Ok(executed) => executed,
        Err(NotRun::Unfit(errors)) => return complain(&errors),
        Err(NotRun::Invalid(findings)) => return fail(findings.iter().map(|f| &f.message), EXIT_USAGE),
    };
    if let Some(before) = &asked.before {
        rerun::tell_differences(before, &executed.record.host().system);
    }
    let code = report_on(&executed, request, &files, standard_output);
    if executed.left_behind {
        process::end(code);
    }
    code
}

/// Reports what came of the run, and judges it; returns the exit code.
fn report_on(
    executed: &Executed,
    request: &RunRequest,
    files: &[OutFile],
    standard_output: StandardOutput,
) -> u8 {
    let Executed { record, failures, troubles, .. } = executed;
    let profile = &record.profile;
    let judged = &Judged::new(record);
    // What is on standard output in place of this report would be followed by it, and could be read by no
    // program.
    let mut code = match standard_output {
        StandardOutput::Instead => EXIT_SUCCESS,
        StandardOutput::Report | StandardOutput::StreamAndReport => {
            output::report_to_stdout(format_of(profile.result_format, request.xml_verdict), judged)
        }
    };
    code = output::save_all(files, judged).unwrap_or(code);
    if !failures.is_empty() {
        if profile.result_format == ResultFormat::Xml {
            // As DISKSPD: the document ends without a line feed.
            say("");
        }
        let end = "the run failed; no figures are shown for time spans that failed or were not reached";
        code = fail(failures.iter().map(String::as_str).chain([end]), EXIT_RUN_FAILED);
    }
    if !troubles.is_empty() {
        code = fail(troubles, EXIT_RUN_FAILED);
    }
    let detail = match (request.quiet, profile.verbose) {
        (true, _) => Detail::Wrong,
        (false, true) => Detail::Full,
        (false, false) => Detail::Brief,
    };
    standard_error::write(&findings::text(&judged.judgement, detail));
    let doubtful = request.strict && judged.judgement.worst() == Some(Doubt::Wrong);
    if doubtful && code == EXIT_SUCCESS { EXIT_DOUBTFUL } else { code }
}

/// Prints errors; returns the exit code.
fn fail<M: std::fmt::Display>(messages: impl IntoIterator<Item = M>, code: u8) -> u8 {
    messages.into_iter().for_each(|message| say(format_args!("ERROR: {message}")));
    code
}

/// Prints why it can't be done; returns the exit code of that.
fn complain(errors: &[PlanError]) -> u8 {
    let usage = errors.iter().any(|error| error.severity == Severity::Profile);
    fail(errors, if usage { EXIT_USAGE } else { EXIT_RUN_FAILED })
}

/// Prints what validation finds; true = no errors.
fn is_valid(profile: &Profile, method: &Method, profile_only: bool) -> bool {
    let mut findings = validate(profile, profile_only);
    // A profile is printed without it.
    if !profile_only {
        findings.extend(validate::method(method));
    }
    for finding in &findings {
        say(finding);
    }
    findings.iter().all(|f| f.severity != validate::Severity::Error)
}

/// Prints a warning.
fn warn<M: std::fmt::Display>(message: M) {
    say(format_args!("WARNING: {message}"));
}

fn warn_of_what_does_nothing(asked: &ToRun, request: &RunRequest) {
    let profile = &asked.profile;
    if !asked.method_is_known {
        warn(
            "the record doesn't say how the run was done (--engine and the like): it is done as without \
             these options",
        );
    }
    if profile.time_spans.iter().flat_map(|span| &span.targets).any(|target| target.temporary_file) {
        warn("-ft (TemporaryFile): Linux has no such hint; it is reported and changes nothing");
    }
    if !request.quiet
        && let Some(warning) = output::empty_csv(&request.out, profile)
    {
        warn(warning);
    }
}

fn print_profile(profile: &Profile) -> u8 {
    let mut out = Vec::new();
    let profile = &*shown::on_standard_output(profile);
    match profile.result_format {
        ResultFormat::Text => profile_text::write_profile(&mut out, profile),
        ResultFormat::Xml => profile_xml::write_profile(&mut out, profile, 0),
    }
    output::to_stdout(&out)
}

/// Prints profile, method and plan; nothing is opened for writing, created or measured.
fn dry_run(asked: &ToRun, request: &RunRequest) -> u8 {
    let (profile, method) = (&*asked.profile, &*asked.method);
    let system = system::snapshot();
    if let Some(before) = &asked.before {
        rerun::tell_differences(before, &run::surroundings(profile, method));
    }
    let mut out = Vec::new();
    profile_text::write_profile(&mut out, &shown::on_standard_output(profile));
    let mut code = run::cpu_latency_refusal(method).err().map_or(EXIT_SUCCESS, |errors| complain(&errors));
    plan_text::write_method(&mut out, method);
    let options =
        Options { destroy: request.destroy, recreate: request.recreate, ..Options::from(method.clone()) };
    code = code.max(print_plans(&mut out, profile, &system, &options));
    match output::to_stdout(&out) {
        EXIT_SUCCESS => code,
        failed => failed,
    }
}

/// Appends the plan of each time span; returns the exit code that a run would end with by what is known.
fn print_plans(out: &mut Vec<u8>, profile: &Profile, system: &System, options: &Options) -> u8 {
    let mut code = EXIT_SUCCESS;
    let profile = run::resized(profile);
    let probes = Probes::default();
    for (number, span) in profile.time_spans.iter().enumerate() {
        match run::probe_and_plan(&profile, span, system, options, &probes) {
            Ok(plan) => {
                plan.warnings.iter().for_each(warn);
                plan_text::write_plan(out, number + 1, &plan);
                let refusals = run::refusals(span, &plan, options);
                if !refusals.is_empty() {
                    code = code.max(fail(refusals, EXIT_RUN_FAILED));
                }
            }
            Err(errors) => code = code.max(complain(&errors)),
        }
    }
    code
}

/// Opens the events of the command line; the last one ends the run (`-yp`).
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

/// Ends the run at Ctrl-C, and at the event of `-yp`, for as long as what is returned is kept.
fn watch(
    control: &Arc<Control>,
    stop: Option<Arc<Event>>,
    document: bool,
) -> Result<impl Sized + use<>, String> {
    let signals = run::watch(Arc::clone(control), stop.clone(), document)
        .map_err(|e| format!("Ctrl-C can't be watched for: {e}"))?;
    let event = stop.map(|event| events::stop_when_set(event, Arc::clone(control))).transpose();
    Ok((signals, event.map_err(|e| format!("-yp: {e}"))?))
}

fn format_of(asked: ResultFormat, verdict: bool) -> &'static Format {
    let name = match asked {
        ResultFormat::Text => "text",
        ResultFormat::Xml => "xml",
    };
    report::format_named(name).unwrap_or(&report::FORMATS[0]).with_verdict(verdict)
}
