//! A single run of DISKSPD, or one of `--repeat`: its results are printed, written and stored.

use super::measurement::{self, Measurement, RunTurn};
use crate::cli::{Exit, OutRequest, RunRequest};
use crate::commands::shared::command_error::{CommandError, report_error};
use crate::commands::shared::console::{Console, OutputManner};
use crate::commands::shared::input::load::RunSource;
use crate::commands::shared::job::ctrl_c;
use crate::commands::shared::output::{self, OutFile};
use crate::commands::shared::runs::completed_run::CompletedResults;
use crate::commands::shared::runs::with::{Tool, ToolResults, WithError};
use crate::commands::shared::runs::{own_files, save};
use crate::finding::Finding;
use crate::page;
use crate::profile::ResultFormat;
use crate::report::run_text;
use crate::report_formats::HTML;
use crate::run::{HangGuard, OutputPolicy};
use crate::sys::standard_error::print_line;
use crate::sys::standard_output;
use crate::units::visible;
use std::sync::Arc;

/// Makes the run of `asked` by DISKSPD.
///
/// # Errors
/// Fails without any measurement if it is impossible.
pub(crate) fn measure_with(
    tool: &Tool,
    asked: &RunSource,
    request: &RunRequest,
    turn: Option<RunTurn>,
) -> Result<Measurement, CommandError> {
    no_place_for(request)?;
    let control = turn.as_ref().map_or_else(Arc::default, |turn| Arc::clone(turn.control));
    let patience = HangGuard::of_run(&control);
    save::try_out(request, &patience)?;
    let mut files = open(request, &patience)?;
    if let Some(turn) = &turn {
        files.iter_mut().for_each(|file| file.stand_behind(turn.earlier));
    }
    let name = turn.as_ref().map(|turn| turn.name.clone()).unwrap_or_default();
    if !request.quiet && name.is_empty() {
        print_line(Finding::note(format!(
            "{tool} makes the run; whether its I/O reaches the device is not checked"
        )));
    }
    let is_xml = asked.run.profile.result_format == ResultFormat::Xml;
    let manner = OutputManner { quiet: request.quiet, document: true, ..OutputManner::default() };
    let display = measurement::display(turn.as_ref(), &asked.run, request.quiet);
    let listener = Console::new(manner, display, None, Arc::default());
    let _watch = ctrl_c::ends_a_run(&control, None, true)?;
    let mut made =
        tool.run(&asked.run.profile, asked.run.seconds(), &control, &listener).map_err(interrupted_error)?;
    made.known.name = if name.is_empty() { tool.version_text() } else { name };
    let to_stdout = request.out.iter().any(OutRequest::is_stdout);
    let mut exit = match to_stdout || !turn.as_ref().is_none_or(|turn| turn.reports) {
        true => Exit::Success,
        false => report_error(print(&made, is_xml, asked.run.profile.verbose)),
    };
    for file in &files {
        exit = exit.max(report_error(write(file, &made).map(|()| Exit::Success)));
    }
    if let Some(turn) = turn {
        files.iter().for_each(|file| turn.earlier.add_results(file, &made));
    }
    let results = CompletedResults::ByTool(Box::new(made));
    exit = exit.max(report_error(save::save(&results, request, &patience)));
    Ok(Measurement { exit, results, interrupted: false })
}

fn interrupted_error(fault: WithError) -> CommandError {
    match fault {
        WithError::Interrupted => {
            CommandError::failed(["the run was interrupted; DISKSPD printed no figures"])
        }
        fault => fault.into(),
    }
}

fn no_place_for(request: &RunRequest) -> Result<(), CommandError> {
    const OWN_OPTIONS: [&str; 3] = ["-P", "--xml-verdict", "--text-verdict"];
    let given = request.of_one_run().find(|option| OWN_OPTIONS.contains(option));
    match given.or_else(|| request.follows_one_run()) {
        Some(option) => Err(CommandError::usage_errors([format!(
            "{option} and --with exclude each other: {option} works only in runs of this program; leave out \
             one of them"
        )])),
        None => Ok(()),
    }
}

fn open(request: &RunRequest, patience: &HangGuard) -> Result<Vec<OutFile>, CommandError> {
    let mut door = OutputPolicy::default().which_owns(&own_files::own_files(request));
    let open = |out: &OutRequest| {
        let format = output::format_of(out, output::verdicts(request))?;
        if !["xml", "html"].contains(&format.name) {
            return Err(CommandError::usage_errors([format!(
                "--out {}: with --with only XML or an HTML page can be written: use a name with .xml or \
                 .html at its end",
                visible::line(&out.path.to_string_lossy())
            )]));
        }
        OutFile::open(door.permit("--out", &out.path)?, &out.path, format, patience)
    };
    request.out.iter().map(open).collect()
}

fn print(made: &ToolResults, is_xml: bool, verbose: bool) -> Result<Exit, CommandError> {
    match is_xml {
        true => output::to_stdout(&made.document),
        false => output::to_stdout(run_text::text(&made.known, verbose, standard_output::room()).as_bytes()),
    }
}

fn write(file: &OutFile, made: &ToolResults) -> Result<(), CommandError> {
    if !file.is(&HTML) {
        return file.save_page(&|sink| sink.write_all(&made.document));
    }
    let run = page::Run { known: made.known.clone(), judged: None };
    file.save_page(&|sink| page::write_runs(std::slice::from_ref(&run), sink))
}
