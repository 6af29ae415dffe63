//! The program's main job: a profile is validated, run, and reported.

use super::console::Console;
use super::load::{self, ToRun};
use super::not_done::{NotDone, told};
use super::output::{self, OutFile, Outputs, StandardOutput};
use super::{rerun, shown};
use crate::cli::{Exit, RunRequest};
use crate::finding::{Finding, Severity};
use crate::profile::validate::{self, validate};
use crate::profile::{Method, Profile, RawText, ResultFormat};
use crate::report::findings::{self, Detail};
use crate::report::{self, Format, plan_text, profile_text, profile_xml};
use crate::run::events::{self, Event, Events};
use crate::run::{self, Control, Executed, Options, Probes, Session, execute};
use crate::sys::process;
use crate::sys::standard_error::{self, say};
use crate::system::{self, System};
use crate::truth::Judged;
use std::sync::Arc;

/// Validates, runs and reports; or prints the profile or the plan.
///
/// # Errors
/// It can't be run, and nothing was measured. Of a run that failed on its way there is a report.
pub fn run(request: &RunRequest) -> Result<Exit, NotDone> {
    if !request.quiet {
        request.warnings.iter().for_each(say);
    }
    let asked = load::asked(request)?;
    let (profile, method) = (&*asked.profile, &*asked.method);
    check(profile, method, request.profile_only)?;
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
fn measure(asked: &ToRun, request: &RunRequest) -> Result<Exit, NotDone> {
    let (profile, method) = (&*asked.profile, &*asked.method);
    // Before the files of --out and --stream are there.
    run::cpu_latency_refusal(method)?;
    let (events, stop) = open_events(request)?;
    let Outputs { files, stream, standard_output } = Outputs::open(request, profile)?;
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
    let _watches = watch(&session.control, stop, document)?;
    let executed = execute(profile, method, &session)?;
    if let Some(before) = &asked.before {
        rerun::tell_differences(before, &executed.record.host().system);
    }
    let exit = report_on(&executed, request, &files, standard_output);
    if executed.left_behind {
        process::end(exit.code());
    }
    Ok(exit)
}

/// Reports what came of the run, and judges it. What can't be reported is told at once, and the rest is
/// tried all the same.
fn report_on(
    executed: &Executed,
    request: &RunRequest,
    files: &[OutFile],
    standard_output: StandardOutput,
) -> Exit {
    let Executed { record, failures, troubles, .. } = executed;
    let profile = &record.profile;
    let judged = &Judged::new(record);
    // What is on standard output in place of this report would be followed by it, and could be read by no
    // program.
    let mut exit = match standard_output {
        StandardOutput::Instead => Exit::Success,
        StandardOutput::Report | StandardOutput::StreamAndReport => {
            told(output::report_to_stdout(format_of(profile.result_format, request.xml_verdict), judged))
        }
    };
    exit = exit.max(output::save_all(files, judged));
    if !failures.is_empty() {
        if profile.result_format == ResultFormat::Xml {
            // As DISKSPD: the document ends without a line feed.
            say("");
        }
        let end = "the run failed; no figures are shown for time spans that failed or were not reached";
        exit = NotDone::failed(failures.iter().map(String::as_str).chain([end])).tell();
    }
    if !troubles.is_empty() {
        exit = NotDone::failed(troubles).tell();
    }
    let detail = match (request.quiet, profile.verbose) {
        (true, _) => Detail::Wrong,
        (false, true) => Detail::Full,
        (false, false) => Detail::Brief,
    };
    standard_error::write(&findings::text(&judged.judgement, detail));
    let doubtful = request.strict && judged.judgement.worst() == Some(Severity::Wrong);
    if doubtful && exit == Exit::Success { Exit::Doubtful } else { exit }
}

/// Validates; tells warnings at once.
///
/// # Errors
/// A rule is broken: everything that was found, in its order.
fn check(profile: &Profile, method: &Method, profile_only: bool) -> Result<(), NotDone> {
    let mut findings = validate(profile, profile_only);
    // A profile is printed without it.
    if !profile_only {
        findings.extend(validate::method(method, profile));
    }
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(NotDone::usage(findings));
    }
    findings.iter().for_each(say);
    Ok(())
}

fn warn_of_what_does_nothing(asked: &ToRun, request: &RunRequest) {
    let profile = &asked.profile;
    if !asked.method_is_known {
        say(Finding::warning(
            "the record doesn't say how the run was done (--engine and the like): it is done as without \
             these options",
        ));
    }
    if profile.time_spans.iter().flat_map(|span| &span.targets).any(|target| target.temporary_file) {
        say(Finding::warning(
            "-ft (TemporaryFile): Linux has no such hint; it is reported and changes nothing",
        ));
    }
    if !request.quiet
        && let Some(warning) = output::empty_csv(&request.out, profile)
    {
        say(warning);
    }
}

fn print_profile(profile: &Profile) -> Result<Exit, NotDone> {
    let mut out = Vec::new();
    let profile = &*shown::on_standard_output(profile);
    match profile.result_format {
        ResultFormat::Text => profile_text::write_profile(&mut out, profile),
        ResultFormat::Xml => profile_xml::write_profile(&mut out, profile, 0),
    }
    output::to_stdout(&out)
}

/// Prints profile, method and plan; nothing is opened for writing, created or measured.
fn dry_run(asked: &ToRun, request: &RunRequest) -> Result<Exit, NotDone> {
    let (profile, method) = (&*asked.profile, &*asked.method);
    let system = system::snapshot();
    if let Some(before) = &asked.before {
        rerun::tell_differences(before, &run::surroundings(profile, method));
    }
    let mut out = Vec::new();
    profile_text::write_profile(&mut out, &shown::on_standard_output(profile));
    let held = run::cpu_latency_refusal(method).map(|()| Exit::Success);
    let exit = told(held.map_err(NotDone::from));
    plan_text::write_method(&mut out, method);
    let options =
        Options { destroy: request.destroy, recreate: request.recreate, ..Options::from(method.clone()) };
    let exit = exit.max(print_plans(&mut out, profile, &system, &options));
    output::to_stdout(&out).map(|_| exit)
}

/// Appends the plan of each time span, and tells what stands against it; returns how a run would end by what
/// is known.
fn print_plans(out: &mut Vec<u8>, profile: &Profile, system: &System, options: &Options) -> Exit {
    let mut exit = Exit::Success;
    let profile = run::resized(profile);
    let probes = Probes::default();
    for (number, span) in profile.time_spans.iter().enumerate() {
        match run::probe_and_plan(&profile, span, system, options, &probes) {
            Ok(plan) => {
                plan.warnings.iter().for_each(say);
                plan_text::write_plan(out, number + 1, &plan);
                let refusals = run::refusals(span, &plan, options);
                if !refusals.is_empty() {
                    exit = exit.max(NotDone::failed(refusals).tell());
                }
            }
            Err(errors) => exit = exit.max(NotDone::from(errors).tell()),
        }
    }
    exit
}

/// Opens the events of the command line; the last one ends the run (`-yp`).
fn open_events(request: &RunRequest) -> Result<(Events, Option<Arc<Event>>), NotDone> {
    let open = |option: &str, name: &Option<RawText>| match name {
        Some(name) => match events::open(name.as_bytes()) {
            Ok(event) => Ok(Some(event)),
            Err(error) => Err(NotDone::from(format!("{option}{name}: {error}"))),
        },
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
) -> Result<impl Sized + use<>, NotDone> {
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
