//! Common parts of commands with several runs: the run of each, and its execution.

use crate::cli::{Exit, Invocation, RunRequest, TypedLine};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::console::display::Display;
use crate::commands::shared::console::{Console, OutputManner};
use crate::commands::shared::input::load::{self, ProfileCache};
use crate::commands::shared::runs::completed_run::CompletedRun;
use crate::commands::shared::runs::runnable::Runnable;
use crate::commands::shared::runs::with::WithError;
use crate::experiments::RunRow;
use crate::finding::{Finding, Severity};
use crate::profile::{Profile, RunOptions};
use crate::run::{Control, RunObserver, Session};
use std::sync::Arc;

pub(crate) const NOTHING_MEASURED: &str = "no I/O was measured";

/// Returns the figures of a run.
///
/// # Errors
/// Fails if the run failed, or measured nothing.
pub(crate) fn figures(made: &CompletedRun) -> Result<RunRow, CommandError> {
    if !made.failures.is_empty() {
        return Err(made.failures.join("; ").into());
    }
    made.results.line().ok_or_else(|| NOTHING_MEASURED.to_owned().into())
}

/// Returns the run of a line, and its warnings; `misfit` returns why a command does not support it.
///
/// # Errors
/// Fails if it cannot be parsed, violates a rule, or is unsupported.
pub(crate) fn runnable(
    line: &TypedLine,
    xml: &ProfileCache,
    misfit: impl FnOnce(&RunRequest, &Profile, &RunOptions) -> Option<String>,
) -> Result<(Runnable, Vec<Finding>), CommandError> {
    let named =
        |message: String| CommandError::usage_errors([format!("{message}\n  in: {}", line.to_typed_text())]);
    let request = match line.read(line.command_line()) {
        Ok(Invocation::Run(request)) => request,
        Ok(_) => return Err(named("this is not a command line of a run".into())),
        Err(error) => return Err(named(error.to_string())),
    };
    let run = load::asked_of(&request, xml).map_err(|not| not.with_exit(Exit::Usage))?.run;
    if let Some(why) = misfit(&request, &run.profile, &run.run_options) {
        return Err(named(why));
    }
    let (errors, warnings): (Vec<_>, Vec<_>) =
        run.findings().into_iter().partition(|found| found.severity == Severity::Error);
    if let Some(error) = errors.first() {
        return Err(named(error.message.clone()));
    }
    let warnings = warnings.into_iter().chain(request.warnings.clone()).collect();
    Ok((run, warnings))
}

/// Returns the first option for single runs, which commands with several runs do not support.
pub(crate) fn out_of_place(request: &RunRequest) -> Option<&'static str> {
    request.of_one_run().next()
}

/// Runs one of several; `None` = the user has ended it, and there are no figures.
pub(crate) fn run(
    run: &Runnable,
    control: &Arc<Control>,
    listener: Arc<dyn RunObserver>,
) -> Result<Option<CompletedRun>, CommandError> {
    if let Some(tool) = run.tool()? {
        return match tool.run(&run.profile, run.seconds(), control, &*listener) {
            Ok(results) => Ok(Some(results.into())),
            Err(WithError::Interrupted) => Ok(None),
            Err(fault) => Err(fault.into()),
        };
    }
    let control = Arc::clone(control);
    let executed = run.run(Session { one_of_several: true, listener, control, ..Session::default() })?;
    Ok(Some(executed.into()))
}

/// Runs one of several to its end, as the current step of the display; `None` = the user has ended all of
/// them by `control`, which is watched.
///
/// # Errors
/// Fails with all errors of the run, or if its figures are incomplete.
pub(crate) fn run_whole(
    runnable: &Runnable,
    control: &Arc<Control>,
    quiet: bool,
    display: &Arc<Display>,
) -> Result<Option<CompletedRun>, CommandError> {
    if control.is_interrupted() {
        return Ok(None);
    }
    let manner = OutputManner { verbose: false, quiet, document: true };
    let console = Console::new(manner, Arc::clone(display), None, Arc::default());
    let Some(made) = run(runnable, control, Arc::new(console))? else { return Ok(None) };
    let mut problems = made.failures.iter().chain(&made.troubles).peekable();
    if problems.peek().is_some() {
        return Err(CommandError::failed(problems.map(String::as_str)));
    }
    Ok((!control.is_interrupted()).then_some(made))
}
