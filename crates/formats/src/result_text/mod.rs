//! Reader of text reports: DISKSPD's versions 2.0 to 2.3, and this program's. Missing values are unknown;
//! figures have their printed precision.
//!
//! ```text
//! bytes ─decode─▶ text ─lines─▶ a report from each "Command Line:" on ─▶ RunSummary
//! ```
//!
//! | version | differences of its text |
//! |---|---|
//! | first | no computer, no start, `software and hardware cache disabled`, `write/read ratio: 30/100` |
//! | 2.0 | sizes as plain bytes, `number of outstanding I/O operations:`, no line for a rate (`-g`) |
//! | 2.1 | sizes with units; `proc count` in the results |
//! | 2.2 | processor counts in the system information; all settings of a profile |
//! | 2.3 | other indents, sizes without trailing zeros |

mod cells;
mod charts;
mod figures;
mod lines;
mod requested;
mod size;
mod verdicts;

use super::decode::{decoded, name_runs};
use super::error::{LineError, ResultError};
use diskspd_base::limits;
use diskspd_figures::units::start_time::seconds_since_1970;
use diskspd_profile::Parameters;
use diskspd_profile::xml::text::bytes as path_bytes;
use diskspd_results::{Origin, RunSummary, SpanSummary, UnmeasuredSpan};
use lines::TextPiece;
use requested::TextRequest;

/// Maximum file size in bytes.
pub const MAX_BYTES: u64 = limits::RESULTS.bytes;

const START: &str = "Command Line:";

const PARAMETERS: &str = "Input parameters:";

/// Whether the beginning of a text identifies a report.
pub fn begins_so(text: &str) -> bool {
    let has = |is_it: fn(&str) -> bool| lines::split_lines(text, 1).any(|line| is_it(line.text));
    has(|line| line.starts_with(START))
        || has(|line| line == PARAMETERS) && has(|line| line.starts_with("timespan:"))
}

fn split_reports(text: &str) -> Vec<TextPiece<'_>> {
    let mut has_begun = false;
    let (_, reports) = TextPiece { first: 1, text }.split_at(|line| {
        let begins = line.starts_with(START) || line == PARAMETERS && !has_begun;
        has_begun = begins || has_begun && !line.starts_with(figures::START);
        begins
    });
    reports
}

/// Reads all reports of a file.
///
/// # Errors
/// Fails with the line if there is no report, one is truncated, or a figure is invalid.
pub fn read(bytes: &[u8], name: &str) -> Result<Vec<RunSummary>, ResultError> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(LineError::of_all(format!("larger than {} MiB, the limit", MAX_BYTES >> 20)).into());
    }
    let text = decoded(bytes);
    let runs =
        split_reports(&text).into_iter().map(read_report).collect::<Result<Vec<RunSummary>, LineError>>()?;
    if runs.is_empty() {
        let fault = LineError::of_all("not a text report: no line begins with \"Command Line:\"");
        return Err(fault.hint("keep all that diskspd prints: diskspd .. > result.txt").into());
    }
    Ok(name_runs(runs, name))
}

pub fn parts(bytes: &[u8]) -> Vec<Vec<u8>> {
    let text = decoded(bytes);
    split_reports(&text).into_iter().map(|report| path_bytes(report.text)).collect()
}

fn read_report(report: TextPiece) -> Result<RunSummary, LineError> {
    let (head, results) = report.split_at(|line| line.starts_with(figures::START));
    let mut run = RunSummary::new("", Origin::ResultText);
    let states_all = read_system(head, &mut run);
    let mut asked: Vec<TextRequest> = requested::read(head)?;
    let results = results.into_iter().map(figures::read).collect::<Result<Vec<_>, LineError>>()?;
    check_all_there(report, asked.len(), results.len())?;
    asked.resize_with(results.len(), TextRequest::default);
    for ((number, span), asked) in (1..).zip(results).zip(asked) {
        let parameters = asked.parameters(states_all);
        if span.is_none() {
            run.unmeasured.push(UnmeasuredSpan { time_span: number, parameters: parameters.clone() });
        }
        run.time_spans.push(span.map(|span| {
            let threads = parameters.threads.or(span.parameters.threads);
            SpanSummary { parameters: Parameters { threads, ..parameters }, ..span }
        }));
    }
    run.findings = verdicts::read(report, &mut run.time_spans);
    Ok(run)
}

fn read_system(head: TextPiece, run: &mut RunSummary) -> bool {
    let mut states_all = false;
    let mut lines = head.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((label, value)) = line.text.split_once(':') else { continue };
        let value = value.trim();
        match label.trim_end() {
            "Command Line" if !value.is_empty() => {
                // If a console wrapped it, the number of blanks is unknown.
                let is_whole = lines.peek().is_none_or(|next| matches!(next.text, "" | PARAMETERS));
                run.command_line = is_whole.then(|| path_bytes(value).into());
            }
            "computer name" if !value.is_empty() => {
                run.hosts = vec![String::from_utf8_lossy(&path_bytes(value)).into_owned()];
            }
            "start time" => run.started_at = seconds_since_1970(value),
            // Of 2.2 on.
            "cpu count" => states_all = true,
            _ => {}
        }
    }
    states_all
}

fn check_all_there(report: TextPiece, asked: usize, measured: usize) -> Result<(), LineError> {
    if measured == 0 && report.lines().any(|line| line.text.starts_with("Results for job ")) {
        let what = "this is a report of Microsoft's diskspd-for-linux, which is not read";
        let hint = "it divides by the requested duration, and counts threads several times among the \
                    percentiles: measure again, with -L if latencies are needed";
        return Err(LineError::at_line(report.first, what).hint(hint));
    }
    if measured == 0 {
        let fault = LineError::at_line(report.first, "this report has no \"Results for timespan 1:\"");
        return Err(fault.hint(
            "a profile alone (-Rp) does not have them, nor has a run that failed or was \
            cut off",
        ));
    }
    if measured < asked {
        let last = report.lines().last().map_or(report.first, |line| line.number);
        let what = format!("the report ends after {measured} of {asked} time spans");
        return Err(LineError::at_line(last, what).hint("was the file cut off?"));
    }
    Ok(())
}
