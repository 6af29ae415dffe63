//! `diskspd judge` runs another program and judges whether its I/O reached the devices.
//!
//! The command has the terminal: its standard input and output stay its own, and the report goes to standard
//! error or to files.

mod claims;

use super::measure::report_on;
use crate::cli::shell_quote::quoted;
use crate::cli::{Exit, JudgeRequest, RunRequest};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::console::display::{Display, Step};
use crate::commands::shared::console::{Console, OutputManner};
use crate::commands::shared::job::ctrl_c;
use crate::commands::shared::output::stream::Stream;
use crate::commands::shared::output::{self, OutFile, StandardOutput};
use crate::commands::shared::runs::save;
use crate::finding::Finding;
use crate::profile::{RawText, RunOptions};
use crate::report_formats::VerdictForm;
use crate::run::{self, Control, ExecutedRun, HangGuard, JudgeOrder, JudgedRun, NamedOutput, OutputPolicy};
use crate::sys::process;
use crate::sys::standard_error::print_line;
use crate::sys::terminal::screen;
use claims::Claims;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

/// Exit codes of a shell for a command that did not start.
const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;

/// Runs the command, or watches the targets, and reports. The exit code is the command's, if that is not 0.
///
/// # Errors
/// Fails before the command starts if an output cannot be written.
pub(crate) fn judge(request: &JudgeRequest) -> Result<Exit, CommandError> {
    let control = Arc::<Control>::default();
    let patience = HangGuard::of_run(&control);
    let as_run = as_run(request);
    save::try_out(&as_run, &patience)?;
    let (files, stream) = open_outputs(request, &patience)?;
    let _watches = match request.words.is_empty() {
        true => Some(ctrl_c::ends_several(&control)?),
        false => None,
    };
    let mut claims = Claims::expect_claims(&request.words);
    let piped = claims.are_piped();
    let files = Arc::new(files);
    let console = Console::new(manner(request), display(request), stream, Arc::clone(&files));
    let judged = run::judge(order(request, piped), &control, &console, |output| claims.take(output));
    let judged = match judged {
        Ok(judged) => judged,
        Err(error) => return not_started(request, &error),
    };
    let code = judged.exit_code();
    let exit = report(request, judged, &mut claims, &as_run, &files, &patience);
    match code {
        // The caller of the command gets what the command has to say.
        Some(code) if code != 0 => process::end(code),
        _ => Ok(exit),
    }
}

fn report(
    request: &JudgeRequest,
    mut judged: JudgedRun,
    claims: &mut Claims,
    as_run: &RunRequest,
    files: &[OutFile],
    patience: &HangGuard,
) -> Exit {
    let troubles = judged.trouble().into_iter().collect();
    let mut record = judged.record(claims.read());
    record.profile.verbose = request.verbose;
    let executed = ExecutedRun { record, failures: Vec::new(), troubles, refused: false, left_behind: false };
    let block = screen().filter(|_| !request.quiet);
    report_on(&executed, as_run, files, StandardOutput::Instead, patience, block)
}

/// Reports a command that did not start, with the exit code of a shell.
fn not_started(request: &JudgeRequest, error: &io::Error) -> Result<Exit, CommandError> {
    let program = request.words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let (code, cause) = match error.kind() {
        ErrorKind::NotFound => (NOT_FOUND, "no such program; check the name and PATH".to_owned()),
        ErrorKind::PermissionDenied => (NOT_EXECUTABLE, "permission denied; is it executable?".to_owned()),
        _ => (NOT_EXECUTABLE, error.to_string()),
    };
    print_line(Finding::error(format!("cannot start '{program}': {cause}")));
    process::end(code)
}

fn order(request: &JudgeRequest, piped: bool) -> JudgeOrder {
    let typed: Vec<_> = ["diskspd".into(), "judge".into()].into_iter().chain(request.typed.clone()).collect();
    JudgeOrder {
        words: request.words.clone(),
        targets: request.targets.clone(),
        duration: Duration::from_millis(request.watched_ms.unwrap_or(0)),
        count_all: request.count_all,
        piped,
        command_line: RawText::from(quoted(&typed).as_str()),
        run_options: RunOptions { fail_on_outage_ms: request.fail_on_outage_ms, ..RunOptions::default() },
    }
}

/// Converts the request to the request of a run.
fn as_run(request: &JudgeRequest) -> RunRequest {
    RunRequest {
        out: request.out.clone(),
        save: request.save.clone(),
        store: request.store.clone(),
        strict: request.strict,
        quiet: request.quiet,
        ..RunRequest::default()
    }
}

fn manner(request: &JudgeRequest) -> OutputManner {
    OutputManner { verbose: request.verbose, quiet: request.quiet, document: true }
}

/// Returns the live view, without a terminal if the command uses it.
fn display(request: &JudgeRequest) -> Arc<Display> {
    let display = Display::new(request.quiet || !request.words.is_empty());
    let left_s = request.watched_ms.unwrap_or(0) as f64 / 1000.0;
    display.begin(Step { name: String::new(), left_s });
    display
}

/// Opens all reports and the stream before the command starts.
fn open_outputs(
    request: &JudgeRequest,
    patience: &HangGuard,
) -> Result<(Vec<OutFile>, Option<Stream>), CommandError> {
    let target = |target: &RawText| NamedOutput { by: "judge".into(), path: target.as_path().to_owned() };
    let mut door = OutputPolicy::default().which_reads(request.targets.iter().map(target));
    let mut files = Vec::new();
    for out in &request.out {
        let format = output::format_of(out, VerdictForm::default())?;
        if ["xml", "csv"].contains(&format.name) {
            return Err(CommandError::usage_errors([format!(
                "--out {}: {} describes runs of this program only; use .json, .html, .txt, .prom or .om",
                out.path.display(),
                format.name
            )]));
        }
        files.push(OutFile::open(door.permit("--out", &out.path)?, &out.path, format, patience)?);
    }
    let stream = request
        .stream
        .as_ref()
        .map(|stream| output::open_stream(output::permit_stream(&mut door, stream)?, stream, patience));
    Ok((files, stream.transpose()?))
}
