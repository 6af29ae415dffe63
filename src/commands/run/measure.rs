//! One run of a command line, from opening its outputs to its verdict.

use super::measure_with::measure_with;
use super::measurement::{self, Measurement, RunTurn};
use super::rerun;
use crate::checks::{JudgedRecord, damaged, outages};
use crate::cli::{Exit, RunRequest};
use crate::commands::shared::command_error::{CommandError, report_error};
use crate::commands::shared::console::end_of_run;
use crate::commands::shared::console::{Console, OutputManner};
use crate::commands::shared::input::load::RunSource;
use crate::commands::shared::job::ctrl_c;
use crate::commands::shared::output::{self, OutFile, Outputs, StandardOutput};
use crate::commands::shared::runs::completed_run::CompletedResults;
use crate::commands::shared::runs::save;
use crate::profile::{RawText, ResultFormat};
use crate::report::findings::{self, Detail};
use crate::report_formats::{Format, VerdictForm};
use crate::run::events::{self, Event, Events};
use crate::run::{ExecutedRun, HangGuard, Options, Session};
use crate::sys::standard_error::{self, print_line};
use crate::sys::terminal::Screen;
use crate::sys::{process, signals};
use std::sync::Arc;

/// Runs and reports; `turn`: its place among several runs.
///
/// # Errors
/// Fails if it cannot be run, without any measurement.
pub(crate) fn measure(
    asked: &RunSource,
    request: &RunRequest,
    turn: Option<RunTurn>,
) -> Result<Measurement, CommandError> {
    if let Some(tool) = asked.run.tool()? {
        return measure_with(&tool, asked, request, turn);
    }
    let (run, profile) = (&asked.run, &asked.run.profile);
    // Before the files of --out and --stream are there.
    run.preflight()?;
    let control = turn.as_ref().map_or_else(Arc::default, |turn| Arc::clone(turn.control));
    let patience = HangGuard::of_run(&control);
    save::try_out(request, &patience)?;
    let (events, stop) = open_events(request)?;
    let Outputs { mut files, stream, mut standard_output } = Outputs::open(request, run, &patience)?;
    let for_programs =
        standard_output != StandardOutput::Report || profile.result_format == ResultFormat::Xml;
    if let Some(turn) = &turn {
        if !turn.reports {
            standard_output = StandardOutput::Instead;
        }
        files.iter_mut().for_each(|file| file.stand_behind(turn.earlier));
    }
    // As in DISKSPD where there is nothing but text for people.
    let document = for_programs || standard_output != StandardOutput::Report;
    let manner = OutputManner { verbose: profile.verbose, quiet: request.quiet, document };
    let display = measurement::display(turn.as_ref(), run, request.quiet);
    // Of several runs there is one block behind all.
    let block = end_of_run::place(&manner).filter(|_| turn.is_none());
    let files = Arc::new(files);
    let session = Session {
        one_of_several: turn.is_some(),
        options: Options { events, ..Options::default() },
        listener: Arc::new(Console::new(manner, display, stream, Arc::clone(&files))),
        control: Arc::clone(&control),
    };
    signals::lead_cpu_limit();
    let _watches = ctrl_c::ends_a_run(&control, stop, document)?;
    let executed = run.run(session)?;
    if let Some(before) = asked.before.as_ref().filter(|_| !request.quiet) {
        rerun::tell_differences(before, &executed.record.host().system);
    }
    if executed.refused && !for_programs {
        return Err(CommandError::failed(executed.failures));
    }
    let exit = report_on(&executed, request, &files, standard_output, &patience, block);
    if turn.is_none() && standard_output == StandardOutput::Report && !request.quiet {
        output::verdict_not_kept(request, profile.result_format).iter().for_each(print_line);
    }
    if executed.left_behind {
        process::end(exit.code());
    }
    if let Some(turn) = turn {
        files.iter().for_each(|file| turn.earlier.add(file, &JudgedRecord::new(&executed.record)));
    }
    let results = CompletedResults::Here(Box::new(executed.record));
    Ok(Measurement { exit, results, interrupted: control.is_interrupted() })
}

/// Reports and judges the result of a run. Errors are reported at once, and the other reports are still
/// tried. `block`: the terminal for the final block.
pub(super) fn report_on(
    executed: &ExecutedRun,
    request: &RunRequest,
    files: &[OutFile],
    standard_output: StandardOutput,
    patience: &HangGuard,
    block: Option<Screen>,
) -> Exit {
    let ExecutedRun { record, failures, troubles, .. } = executed;
    let profile = &record.profile;
    let judged = &JudgedRecord::new(record);
    // What is on standard output in place of this report would be followed by it, and could be read by no
    // program.
    let mut exit = match standard_output {
        StandardOutput::Instead => Exit::Success,
        StandardOutput::Report | StandardOutput::StreamAndReport => report_error(output::report_to_stdout(
            format_of(profile.result_format, output::verdicts(request)),
            judged,
        )),
    };
    exit = exit.max(output::save_all(files, judged));
    if request.save.is_some() {
        let results = CompletedResults::Here(Box::new(record.clone()));
        exit = exit.max(report_error(save::save(&results, request, patience)));
    }
    if !failures.is_empty() {
        if profile.result_format == ResultFormat::Xml {
            // As DISKSPD: the document ends without a line feed.
            print_line("");
        }
        let end = "the run failed; failed and later time spans have no figures";
        exit = CommandError::failed(failures.iter().map(String::as_str).chain([end])).report();
    }
    if !troubles.is_empty() {
        exit = CommandError::failed(troubles).report();
    }
    if judged.judgement.findings.iter().any(|finding| finding.name == damaged::NAME) {
        exit = Exit::Corrupt;
    }
    if exit != Exit::Corrupt && outages::beyond_limit(record, &judged.judgement.outages) {
        exit = Exit::Outage;
    }
    let block = block.filter(|_| record.host().results.have_figures());
    let detail = match (request.quiet, profile.verbose) {
        (true, _) => Detail::Wrong,
        (false, true) => Detail::Full,
        (false, false) if block.is_some() => Detail::Doubts,
        (false, false) => Detail::Brief,
    };
    standard_error::write(&findings::text(&judged.judgement, detail));
    if let Some(screen) = block {
        end_of_run::of_run(judged, request, &screen);
    }
    let doubtful = request.strict && judged.judgement.is_doubtful();
    if doubtful && exit == Exit::Success { Exit::Doubtful } else { exit }
}

/// Opens the events of the command line; the last event ends the run (`-yp`).
pub(super) fn open_events(request: &RunRequest) -> Result<(Events, Option<Arc<Event>>), CommandError> {
    let open = |option: &str, name: &Option<RawText>| match name {
        Some(name) => match events::open(name.as_bytes()) {
            Ok(event) => Ok(Some(event)),
            Err(error) => Err(CommandError::from(format!("{option}{name}: {error}"))),
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

fn format_of(asked: ResultFormat, verdicts: VerdictForm) -> &'static Format {
    crate::report_formats::format_named(output::form_of_results(asked))
        .unwrap_or(&crate::report_formats::FORMATS[0])
        .with_verdicts(verdicts)
}
