//! The program's main job: a profile is validated, run, and reported.

use super::load;
use super::output::{self, OutFile, Outputs, StandardOutput};
use super::shown;
use crate::cli::{EXIT_DOUBTFUL, EXIT_RUN_FAILED, EXIT_SUCCESS, EXIT_USAGE, PrefillRequest, RunRequest};
use crate::plan::{PlanError, Severity};
use crate::profile::validate::{self, validate};
use crate::profile::{Profile, RawText, ResultFormat, TargetIds};
use crate::report::findings::{self, Detail};
use crate::report::{self, Format, plan_text, profile_text, profile_xml};
use crate::results::{Record, Results, SpanResults};
use crate::run::events::{self, Event, Events};
use crate::run::{self, Console, Control, End, Options, Outcome, Prefill, Probes};
use crate::sys::process;
use crate::sys::standard_error::{self, say};
use crate::system::{self, System, storage};
use crate::truth::{Judged, Severity as Doubt};
use std::sync::Arc;

/// Returns the exit code.
pub fn run(request: &RunRequest) -> u8 {
    if !request.quiet {
        request.warnings.iter().for_each(|warning| say(format_args!("WARNING: {warning}")));
    }
    let profile = match load::profile(request) {
        Ok(profile) => profile,
        Err(messages) => {
            messages.iter().for_each(|message| say(format_args!("ERROR: {message}")));
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
    if profile.time_spans.iter().flat_map(|span| &span.targets).any(|target| target.temporary_file) {
        say(format_args!(
            "WARNING: -ft (TemporaryFile): Linux has no such hint; it is reported and changes nothing"
        ));
    }
    if !request.quiet
        && let Some(warning) = output::empty_csv(&request.out, profile)
    {
        say(format_args!("WARNING: {warning}"));
    }
    let system = system::snapshot();
    let options = Options {
        engine: request.engine,
        poll: request.poll,
        recreate: request.recreate,
        destroy: request.destroy,
        io_log: request.io_log.clone(),
        until_steady: request.until_steady,
        flush_after: request.flush_after,
        cpu_latency: request.cpu_latency,
        prefill: request.prefill.map(prefill_of),
        ..Options::default()
    };
    if request.dry_run {
        return dry_run(profile, &system, &options);
    }
    let system = with_storage(system, profile, &options);
    measure(profile, request, system, options)
}

fn prefill_of(request: PrefillRequest) -> Prefill {
    match request {
        PrefillRequest::Auto => Prefill::Auto,
        PrefillRequest::Random => Prefill::Random,
        PrefillRequest::Pattern => Prefill::Pattern,
        PrefillRequest::Zero => Prefill::Zero,
    }
}

/// Prints what validation finds; true = no errors.
fn is_valid(profile: &Profile, profile_only: bool) -> bool {
    let findings = validate(profile, profile_only);
    for finding in &findings {
        say(finding);
    }
    findings.iter().all(|f| f.severity != validate::Severity::Error)
}

/// Prints why it can't be done; returns the exit code of that.
fn complain(errors: &[PlanError]) -> u8 {
    for error in errors {
        say(format_args!("ERROR: {error}"));
    }
    if errors.iter().any(|e| e.severity == Severity::Profile) { EXIT_USAGE } else { EXIT_RUN_FAILED }
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

/// Prints profile and plan; nothing is opened for writing, created or measured.
fn dry_run(profile: &Profile, system: &System, options: &Options) -> u8 {
    let mut out = Vec::new();
    profile_text::write_profile(&mut out, &shown::on_standard_output(profile));
    let mut code = EXIT_SUCCESS;
    if let Err(errors) = run::cpu_latency_refusal(options) {
        code = complain(&errors);
    }
    plan_text::write_cpu_latency(&mut out, options.cpu_latency);
    let profile = run::resized(profile);
    let probes = Probes::default();
    for (number, span) in profile.time_spans.iter().enumerate() {
        match run::probe_and_plan(&profile, span, system, options, &probes) {
            Ok(plan) => {
                plan.warnings.iter().for_each(|w| say(format_args!("WARNING: {w}")));
                plan_text::write_plan(&mut out, number + 1, &plan);
                for refusal in run::refusals(span, &plan, options) {
                    say(format_args!("ERROR: {refusal}"));
                    code = code.max(EXIT_RUN_FAILED);
                }
            }
            Err(errors) => code = code.max(complain(&errors)),
        }
    }
    match output::to_stdout(&out) {
        EXIT_SUCCESS => code,
        failed => failed,
    }
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

/// The machine with what the profile's targets lie on, and what is around them.
fn with_storage(mut system: System, profile: &Profile, options: &Options) -> System {
    if !options.simulated() {
        system.look_around(TargetIds::of(profile).paths().iter().map(storage::storage).collect());
    }
    system
}

fn measure(profile: &Profile, request: &RunRequest, system: System, mut options: Options) -> u8 {
    // Before the files of --out and --stream are there.
    if let Err(errors) = run::cpu_latency_refusal(&options) {
        return complain(&errors);
    }
    let stop;
    (options.events, stop) = match open_events(request) {
        Ok(events) => events,
        Err(message) => {
            say(format_args!("ERROR: {message}"));
            return EXIT_RUN_FAILED;
        }
    };
    let Outputs { files, stream, standard_output } = match Outputs::open(request, profile) {
        Ok(opened) => opened,
        Err(message) => {
            say(format_args!("ERROR: {message}"));
            return EXIT_RUN_FAILED;
        }
    };
    let control = Arc::new(Control::default());
    // As in DISKSPD where there is nothing but text for people.
    let document = standard_output != StandardOutput::Report || profile.result_format == ResultFormat::Xml;
    let watches = run::watch(Arc::clone(&control), stop.clone(), document)
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
            say(format_args!("ERROR: {message}"));
            return EXIT_RUN_FAILED;
        }
    };
    let console = Arc::new(Console::new(profile.verbose).beside_document(document).with_stream(stream));
    let files = Arc::new(files);
    let record = Record::new(profile.clone(), system.clone(), Results::default());
    let save = {
        let (mut record, files) = (record.clone(), Arc::clone(&files));
        move |so_far: &mut Results| save_so_far(&mut record, so_far, &files)
    };
    let (outcome, left_behind) = match run::supervise(profile, &system, &options, &control, &console, save) {
        End::Complete(Ok(outcome)) => (outcome, false),
        End::Complete(Err(errors)) => return complain(&errors),
        End::LeftBehind(mut outcome) => {
            outcome.troubles.extend(console.end_stream());
            (outcome, true)
        }
    };
    let code = finish(profile, request, &files, standard_output, record, outcome);
    if left_behind {
        process::end(code);
    }
    code
}

/// Reports what came of the run; returns the exit code.
fn finish(
    profile: &Profile,
    request: &RunRequest,
    files: &[OutFile],
    standard_output: StandardOutput,
    mut record: Record,
    outcome: Outcome,
) -> u8 {
    record.host_mut().results = outcome.results;
    let judged = Judged::new(&record);
    // What is on standard output in place of this report would be followed by it, and could be read by no program.
    let mut code = match standard_output {
        StandardOutput::Instead => EXIT_SUCCESS,
        StandardOutput::Report | StandardOutput::StreamAndReport => {
            output::report_to_stdout(format_of(profile.result_format, request.xml_verdict), &judged)
        }
    };
    code = output::save_all(files, &judged).unwrap_or(code);
    if !outcome.failures.is_empty() && profile.result_format == ResultFormat::Xml {
        // As DISKSPD: the document ends without a line feed.
        say("");
    }
    for failure in &outcome.failures {
        say(format_args!("ERROR: {failure}"));
    }
    if !outcome.failures.is_empty() {
        say(format_args!(
            "ERROR: the run failed; no figures are shown for time spans that failed or were not reached"
        ));
        code = EXIT_RUN_FAILED;
    }
    for trouble in &outcome.troubles {
        say(format_args!("ERROR: {trouble}"));
        code = EXIT_RUN_FAILED;
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

fn format_of(asked: ResultFormat, verdict: bool) -> &'static Format {
    let name = match asked {
        ResultFormat::Text => "text",
        ResultFormat::Xml => "xml",
    };
    report::format_named(name).unwrap_or(&report::FORMATS[0]).with_verdict(verdict)
}

/// Saves what has been measured so far, with nothing for the time spans to come: a crash loses only the one that runs.
fn save_so_far(record: &mut Record, so_far: &mut Results, files: &[OutFile]) {
    let files: Vec<&OutFile> = files.iter().filter(|file| file.is_replaceable()).collect();
    if files.is_empty() {
        return;
    }
    let ended = so_far.time_spans.len();
    let all = record.profile.time_spans.len();
    std::mem::swap(&mut record.host_mut().results, so_far);
    record.host_mut().results.time_spans.resize_with(all, SpanResults::default);
    output::save_all(files, &Judged::new(record));
    record.host_mut().results.time_spans.truncate(ended);
    std::mem::swap(&mut record.host_mut().results, so_far);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::OutRequest;
    use crate::profile::TimeSpan;
    use crate::report::json;

    #[test]
    fn time_spans_that_ended_are_saved_while_the_next_one_runs() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.json");
        let file = OutFile::create(&OutRequest { format: None, path: path.clone() }, false).unwrap();
        let spans = vec![TimeSpan::default(); 3];
        let mut record = Record::new(
            Profile { time_spans: spans, ..Profile::default() },
            System::default(),
            Results::default(),
        );
        let mut results = Results::default();
        for ended in 1..3 {
            let measured = 50; // too short to be checked against the profile
            results.time_spans.push(SpanResults { measured, ..SpanResults::default() });
            let before = results.clone();
            save_so_far(&mut record, &mut results, std::slice::from_ref(&file));
            assert_eq!(results, before);
            let saved = json::read(&std::fs::read(&path).unwrap()).unwrap();
            let measured: Vec<u64> =
                saved.host().results.time_spans.iter().map(|span| span.measured).collect();
            assert_eq!(measured, [50, if ended > 1 { 50 } else { 0 }, 0]);
        }
        drop(file);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "nothing but the record is left");
    }
}
