//! `diskspd report FILE .. [-v] [--csv|--md]`: prints the report of a saved run again, or a table of many;
//! with `--html` it writes a page of all, with `--out` the report of a record in another form.

use super::answer_file::{self, LoadedAnswer};
use crate::checks::JudgedRecord;
use crate::cli::{Exit, OutRequest, ReportRequest, TableForm};
use crate::commands::shared::command_error::{CommandError, report_error};
use crate::commands::shared::input::load_runs::{self, RunFile};
use crate::commands::shared::output::OutFile;
use crate::commands::shared::output::answer_forms;
use crate::commands::shared::output::{self, page};
use crate::commands::shared::runs::stored;
use crate::report::findings::{self, Detail};
use crate::report::run_text;
use crate::report::runs::{self, TableRun};
use crate::report_formats::{TEXT, VerdictForm};
use crate::results::Record;
use crate::run::{HangGuard, NamedOutput, OutputPolicy};
use crate::sys::standard_error;
use crate::sys::standard_output;
use crate::units::visible;
use std::path::{Path, PathBuf};

/// Prints the report of one file, or the table of many.
///
/// # Errors
/// Fails if there is no run, or output fails.
pub(crate) fn report(request: &ReportRequest) -> Result<Exit, CommandError> {
    let named = request.files.iter().map(|file| stored::file(file, request.store.as_deref()));
    let files = named.collect::<Result<Vec<PathBuf>, CommandError>>()?;
    let files: Vec<PathBuf> = files.iter().flat_map(|file| load_runs::fitting(file)).collect();
    let answer = match &files[..] {
        [file] if request.table.is_none() => answer_file::read(file)?,
        _ => None,
    };
    if let Some(read) = &answer {
        return of_answer(read, &files[0], request);
    }
    if let Some(page) = &request.html {
        return page::write(page, &files);
    }
    match &files[..] {
        [file] if !request.out.is_empty() => in_other_forms(file, &request.out),
        _ if !request.out.is_empty() => Err(CommandError::usage_errors([
            "--out is for one record: --html FILE writes a page of several runs",
        ])),
        [file] if request.table.is_none() && !file.is_dir() => report_file(file, request.verbose),
        _ if request.verbose => {
            Err(CommandError::usage_errors(["-v is for one file: a table has no room for all findings"]))
        }
        _ => print_table(request, &files),
    }
}

/// Prints the report of an answer, or writes its other forms.
fn of_answer(read: &LoadedAnswer, file: &Path, request: &ReportRequest) -> Result<Exit, CommandError> {
    let page = request.html.iter().map(|path| OutRequest { format: Some("html"), path: path.clone() });
    let outs: Vec<OutRequest> = request.out.iter().cloned().chain(page).collect();
    if outs.is_empty() {
        return output::print_sentences(&visible::lines(&read.answer.text(standard_output::room())));
    }
    let records = read.records.iter().cloned().chain([file.to_owned()]);
    let door =
        OutputPolicy::default().which_reads(records.map(|path| NamedOutput { by: "report".into(), path }));
    let files = answer_forms::open(&outs, door, VerdictForm::default(), &HangGuard::default())?;
    let mut exit = Exit::Success;
    for file in &files {
        exit = exit.max(report_error(answer_forms::save(file, read.answer.as_ref()).map(|()| Exit::Success)));
    }
    Ok(exit)
}

fn report_file(file: &Path, verbose: bool) -> Result<Exit, CommandError> {
    match load_runs::run_file(file)? {
        RunFile::Record(record) => Ok(of_record(&record, verbose)),
        RunFile::Results(results) => {
            let texts: Vec<String> =
                results.iter().map(|run| run_text::text(run, verbose, standard_output::room())).collect();
            output::print_sentences(&texts.join("\n"))
        }
    }
}

/// The report of a record in other forms. All files are tried out before any is written.
fn in_other_forms(file: &Path, outs: &[OutRequest]) -> Result<Exit, CommandError> {
    let RunFile::Record(record) = load_runs::run_file(file)? else {
        return Err(format!(
            "{}: --out takes a record of this program (written by --out FILE.json); --html makes a page of \
             results of other programs, too",
            load_runs::display_path(file)
        )
        .into());
    };
    let read = NamedOutput { by: "report".into(), path: file.to_owned() };
    let mut door = OutputPolicy::default().which_reads([read]);
    let opened = outs.iter().map(|out| {
        let format = output::format_of(out, VerdictForm::default())?;
        OutFile::open(door.permit("--out", &out.path)?, &out.path, format, &HangGuard::default())
    });
    let opened = opened.collect::<Result<Vec<OutFile>, CommandError>>()?;
    let judged = JudgedRecord::new(&record);
    let mut exit = Exit::Success;
    for out in &opened {
        exit = exit.max(report_error(out.save(&judged).map(|()| Exit::Success)));
    }
    // As the run itself did.
    Ok(if record.is_complete() { exit } else { exit.max(Exit::RunFailed) })
}

fn of_record(record: &Record, verbose: bool) -> Exit {
    let judged = JudgedRecord::new(record);
    let exit = report_error(output::report_to_stdout(&TEXT, &judged));
    let detail = if verbose { Detail::Full } else { Detail::Brief };
    standard_error::write(&findings::text(&judged.judgement, detail));
    // As the run itself did.
    if record.is_complete() { exit } else { exit.max(Exit::RunFailed) }
}

fn print_table(request: &ReportRequest, files: &[PathBuf]) -> Result<Exit, CommandError> {
    let mut rows: Vec<TableRun> = Vec::new();
    let mut exit = Exit::Success;
    for (file, there) in load_runs::files(files) {
        match there.and_then(|()| load_runs::known_runs(&file)) {
            Ok(known) => rows.extend(known.into_iter().map(TableRun::from)),
            Err(why) => {
                exit = CommandError::from(why).report();
                rows.push(TableRun::Unreadable(load_runs::display_path(&file)));
            }
        }
    }
    let text = match request.table {
        None => runs::text(&rows, standard_output::room()),
        Some(TableForm::Csv) => runs::csv(&rows),
        Some(TableForm::Markdown) => runs::markdown(&rows),
    };
    output::to_stdout(text.as_bytes()).map(|printed| printed.max(exit))
}
