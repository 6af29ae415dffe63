//! The forms and files of answers from many runs.

use crate::cli::OutRequest;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::output::{self, OutFile};
use crate::report_formats::{Format, ReportRuns, VerdictForm};
use crate::run::{HangGuard, OutputError, OutputPolicy};
use crate::units::visible;
use std::io::{self, Write};

pub(crate) trait AnswerForms {
    /// Returns the report with tables of at most `room` columns.
    fn text(&self, room: usize) -> String;

    fn json(&self) -> io::Result<String>;
    fn csv(&self) -> String;

    /// Writes the page.
    fn page(&self, sink: &mut dyn Write) -> io::Result<()>;
}

/// Opens the files of the answer before the first run.
///
/// # Errors
/// Fails if an output cannot or must not be written.
pub(crate) fn open(
    outs: &[OutRequest],
    door: OutputPolicy,
    verdicts: VerdictForm,
    patience: &HangGuard,
) -> Result<Vec<OutFile>, CommandError> {
    let formats = outs.iter().map(|out| {
        let format = output::format_of(out, verdicts)?;
        match format.of_runs {
            ReportRuns::AsOne | ReportRuns::OneEach => Ok(format),
            ReportRuns::InTurn | ReportRuns::Latest => Err(CommandError::usage_errors([format!(
                "--out {}: an answer of several runs has no report in this form; write the report of a run: \
                 diskspd report r-1.json --out FILE",
                visible::line(&out.path.to_string_lossy())
            )])),
        }
    });
    let formats = formats.collect::<Result<Vec<&Format>, CommandError>>()?;
    let permitted = {
        let (outs, mut door) = (outs.to_vec(), door);
        patience.attempt("outputs", move || {
            outs.iter().map(|out| door.permit("--out", &out.path)).collect::<Result<Vec<_>, OutputError>>()
        })
    };
    let permitted =
        permitted.map_err(|unanswered| format!("a file that is read or written: {unanswered}"))??;
    let opened = permitted.into_iter().zip(outs).zip(formats);
    opened.map(|((permitted, out), format)| OutFile::open(permitted, &out.path, format, patience)).collect()
}

/// Writes the answer to a file, in the form of the file.
pub(crate) fn save(file: &OutFile, answer: &dyn AnswerForms) -> Result<(), CommandError> {
    file.save_page(&|sink| match file.form() {
        "json" => sink.write_all(answer.json()?.as_bytes()),
        "csv" => sink.write_all(answer.csv().as_bytes()),
        "html" => answer.page(sink),
        _ => sink.write_all(visible::lines(&answer.text(usize::MAX)).as_bytes()),
    })
}
