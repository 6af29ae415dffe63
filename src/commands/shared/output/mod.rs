//! Destinations of reports: standard output, and the files of `--out`.

pub(crate) mod answer_files;
pub(crate) mod answer_forms;
pub(crate) mod page;
pub(crate) mod print;
pub(crate) mod sanitize;
pub(crate) mod stream;

use super::command_error::CommandError;
use crate::commands::shared::runs::runnable::Runnable;

use crate::checks::JudgedRecord;
use crate::cli::{Exit, OutRequest, RunRequest, StreamDestination, StreamRequest};
use crate::commands::shared::output::stream::{ReplacedFile, Stream, StreamStyle};
use crate::commands::shared::runs::with::ToolResults;
use crate::finding::Finding;
use crate::host;
use crate::profile::{Profile, ResultFormat};
use crate::report::live::StreamFormat;
use crate::report_formats::{Format, ReportRuns, VerdictForm};
use crate::run::{
    HangGuard, LateWriter, Outlet, OutputError, OutputPolicy, PermittedOutput, StreamedFile, destination,
};
use crate::sys::standard_error::print_line;
use crate::sys::standard_output;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes bytes to standard output.
pub(crate) fn to_stdout(bytes: &[u8]) -> Result<Exit, CommandError> {
    let mut out = standard_output::writer();
    write_result(standard_output::is_open().and_then(|()| out.write_all(bytes)).and_then(|()| out.flush()))
}

/// Writes sentences to standard output, as a terminal shows them best where it is one.
pub(crate) fn print_sentences(text: &str) -> Result<Exit, CommandError> {
    write_result(standard_output::is_open().and_then(|()| standard_output::print_text(text)))
}

/// Writes a value as JSON to standard output; `what` it is, for errors.
pub(crate) fn json_to_stdout(what: &str, value: &impl Serialize) -> Result<Exit, CommandError> {
    let text = serde_json::to_string_pretty(value);
    let text = text.map_err(|error| format!("{what} cannot be written as JSON: {error}"))?;
    to_stdout(format!("{text}\n").as_bytes())
}

/// A reader of standard output that went away (`| head`) is not an error worth a message.
fn write_result(result: io::Result<()>) -> Result<Exit, CommandError> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("writing to standard output: {error}").into())
        }
        _ => Ok(Exit::Success),
    }
}

/// Writes a report to standard output.
pub(crate) fn report_to_stdout(format: &Format, judged: &JudgedRecord) -> Result<Exit, CommandError> {
    let mut out = io::BufWriter::new(standard_output::writer());
    let report = match sanitize::on_standard_output(judged.record) {
        Cow::Borrowed(_) => (format.write)(judged, &mut out),
        Cow::Owned(harmless) => (format.write)(&JudgedRecord::new(&harmless), &mut out),
    };
    write_result(report.and_then(|()| out.flush()).and_then(|()| standard_output::is_open()))
}

/// Returns a finding that a CSV of `--out` will be empty, because the run has no intervals.
pub(crate) fn empty_csv(outs: &[OutRequest], profile: &Profile) -> Option<Finding> {
    let out = outs.iter().find(|out| form_of(out) == Some("csv"))?;
    let without = profile.time_spans.iter().all(|span| !span.calculate_iops_std_dev);
    without.then(|| {
        Finding::warning(format!(
            "--out {}: the CSV will have only a header, because per-interval figures need -D; add -D, or \
             -D<ms> for intervals other than a second",
            out.path.display()
        ))
    })
}

/// The name of the form of a file of `--out`, if there is such a form.
fn form_of(out: &OutRequest) -> Option<&'static str> {
    out.format.or_else(|| Some(crate::report_formats::format_of(&out.path)?.name))
}

/// Returns the name of the report's form on standard output (`-R`).
pub(crate) fn form_of_results(asked: ResultFormat) -> &'static str {
    match asked {
        ResultFormat::Text => "text",
        ResultFormat::Xml => "xml",
    }
}

/// Returns a finding that no report has the format with requested verdicts. `on_standard_output`: the
/// format there; `None` without a report there.
pub(crate) fn verdicts_nowhere(
    asked: VerdictForm,
    outs: &[OutRequest],
    on_standard_output: Option<&str>,
) -> Vec<Finding> {
    let is_written =
        |form| on_standard_output == Some(form) || outs.iter().any(|out| form_of(out) == Some(form));
    [
        (asked.xml, "xml", "--xml-verdict has no effect: no XML results are written", "add --out FILE.xml"),
        (asked.text, "text", "--text-verdict has no effect: no text report is written", "add --out FILE.txt"),
    ]
    .into_iter()
    .filter(|(is_asked, form, ..)| *is_asked && !is_written(*form))
    .map(|(.., message, remedy)| Finding::warning(message).remedy(remedy))
    .collect()
}

/// Returns the hint for a report that goes into a file without its verdict, if no other output keeps the
/// verdict.
pub(crate) fn verdict_not_kept(request: &RunRequest, format: ResultFormat) -> Option<Finding> {
    let (is_in_report, option) = match format {
        ResultFormat::Text => (request.text_verdict, "--text-verdict"),
        ResultFormat::Xml => (request.xml_verdict, "--xml-verdict"),
    };
    let is_kept = is_in_report || !request.out.is_empty() || request.save.is_some();
    (!is_kept && standard_output::is_file()).then(|| {
        Finding::note(format!(
            "the report in this file has no verdict; keep it with {option}, --out r.json or --save"
        ))
    })
}

/// Outputs of a run in addition to its report: the files of `--out`, the stream.
#[derive(Debug)]
pub(crate) struct Outputs {
    pub files: Vec<OutFile>,
    pub stream: Option<Stream>,
    pub standard_output: StandardOutput,
}

impl Outputs {
    /// Opens all outputs before the run, so that errors occur at once and not after an hour. Overwriting
    /// of a target, or of another input or output of the run, is detected before any change.
    ///
    /// # Errors
    /// Fails if an output cannot or must not be written.
    pub(crate) fn open(
        request: &RunRequest,
        run: &Runnable,
        patience: &HangGuard,
    ) -> Result<Outputs, CommandError> {
        let formats = request.out.iter().map(|out| format_of(out, verdicts(request)));
        let formats = formats.collect::<Result<Vec<&Format>, CommandError>>()?;
        let looked_at = {
            let (request, run) = (request.clone(), run.clone());
            patience.attempt("outputs", move || PermittedOutputs::for_run(&request, &run))
        };
        let permitted =
            looked_at.map_err(|unanswered| format!("a file that is read or written: {unanswered}"))??;
        let standard_output = permitted.standard_output(request)?;
        let files = permitted.files.into_iter().zip(&request.out).zip(formats);
        let files =
            files.map(|((permitted, out), format)| OutFile::open(permitted, &out.path, format, patience));
        let files = files.collect::<Result<Vec<OutFile>, CommandError>>()?;
        let stream = permitted.stream.zip(request.stream.as_ref());
        let stream = stream.map(|(permitted, asked)| open_stream(permitted, asked, patience)).transpose()?;
        Ok(Outputs { files, stream, standard_output })
    }
}

struct PermittedOutputs {
    files: Vec<PermittedOutput>,
    stream: Option<PermittedOutput>,
    /// `--io-log`; the run itself opens it.
    log: Option<PermittedOutput>,
}

impl PermittedOutputs {
    fn for_run(request: &RunRequest, run: &Runnable) -> Result<PermittedOutputs, OutputError> {
        let mut door = run.door(OutputPolicy::default());
        let files = request.out.iter().map(|out| door.permit("--out", &out.path));
        let files = files.collect::<Result<Vec<PermittedOutput>, OutputError>>()?;
        let stream = request.stream.as_ref().map(|stream| permit_stream(&mut door, stream)).transpose()?;
        let log = request.io_log.as_ref().map(|path| door.permit("--io-log", path)).transpose()?;
        request.journal.as_ref().map(|path| door.permit_journal("--journal", path)).transpose()?;
        Ok(PermittedOutputs { files, stream, log })
    }

    /// # Errors
    /// Fails if no place is left for the report.
    fn standard_output(&self, request: &RunRequest) -> Result<StandardOutput, CommandError> {
        let stream = self.stream.iter().filter(|stream| stream.is_standard_output());
        let log = self.log.iter().filter(|log| log.is_standard_output());
        let is_log = log.clone().next().is_some();
        let is_stream = stream.clone().next().is_some();
        let outs = self.files.iter().filter(|out| out.is_standard_output());
        let names: Vec<&str> = outs.chain(stream).chain(log).map(PermittedOutput::by).collect();
        match names.as_slice() {
            [name] if is_log && request.out.is_empty() => Err(format!(
                "{name}: the log replaces the report on standard output; give the report another place \
                 (--out run.json or --out text:run.txt), or name a file for the log"
            )
            .into()),
            [_, ..] if is_stream => Ok(StandardOutput::StreamAndReport),
            [_, ..] => Ok(StandardOutput::Instead),
            [] => Ok(StandardOutput::Report),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StandardOutput {
    /// Report of `-R`, with messages as in DISKSPD.
    Report,
    /// Lines of the stream, followed by the report of `-R`.
    StreamAndReport,
    /// Report of `--out` or I/O log in place of the report.
    Instead,
}

/// # Errors
/// Fails if the file must not be written.
pub(crate) fn permit_stream(
    door: &mut OutputPolicy,
    stream: &StreamRequest,
) -> Result<PermittedOutput, OutputError> {
    match &stream.to {
        StreamDestination::StandardOutput => door.permit("--stream", Path::new("-")),
        StreamDestination::Descriptor(number) => {
            door.permit_shown("--stream", &format!("fd:{number}"), &destination::descriptor(*number))
        }
        StreamDestination::File(path) => door.permit("--stream", path),
    }
}

/// Opens the sink of `--stream`.
///
/// # Errors
/// Fails if it cannot be opened, or cannot be replaced at each interval.
pub(crate) fn open_stream(
    permitted: PermittedOutput,
    request: &StreamRequest,
    patience: &HangGuard,
) -> Result<Stream, CommandError> {
    let name = match &request.to {
        StreamDestination::StandardOutput => "-".into(),
        StreamDestination::Descriptor(number) => format!("fd:{number}"),
        StreamDestination::File(path) => path.display().to_string(),
    };
    let format = stream_format(request);
    let sink: Box<dyn Write + Send> = match (format, &request.to) {
        (StreamFormat::Prometheus, _) => {
            let outlet = permitted.open(patience)?;
            if !outlet.is_replaceable() {
                return Err(format!(
                    "--stream prom:{name}: each interval replaces the file's content, so it must be a \
                     regular file: use a name with .prom at its end, or use --stream influx:{name}"
                )
                .into());
            }
            Box::new(ReplacedFile(outlet))
        }
        (_, StreamDestination::StandardOutput) => Box::new(io::stdout()),
        _ => Box::new(LateWriter(StreamedFile::open(permitted.open(patience)?)?)),
    };
    let style = StreamStyle { format, name, host: host::name() };
    Ok(Stream::new(sink, style).map_err(|e| format!("--stream: cannot start a thread: {e}"))?)
}

fn stream_format(request: &StreamRequest) -> StreamFormat {
    let extension = match &request.to {
        StreamDestination::File(path) => path.extension().and_then(|extension| extension.to_str()),
        StreamDestination::StandardOutput | StreamDestination::Descriptor(_) => None,
    };
    let is_it = |(_, name, extensions): &&(StreamFormat, &str, &[&str])| match (request.format, extension) {
        (Some(named), _) => named == *name,
        (None, Some(extension)) => extensions.iter().any(|known| known.eq_ignore_ascii_case(extension)),
        (None, None) => false,
    };
    StreamFormat::ALL.iter().find(is_it).map_or(StreamFormat::Json, |(format, ..)| *format)
}

/// Reports of earlier runs (`--repeat`), by file.
#[derive(Debug, Default)]
pub(crate) struct EarlierReports(Vec<(PathBuf, Vec<u8>)>);

impl EarlierReports {
    /// Adds the report of a completed run.
    pub(crate) fn add(&mut self, file: &OutFile, judged: &JudgedRecord) {
        // Memory takes everything.
        self.add_written(file, |bytes| {
            let _ = (file.format.write)(judged, bytes);
        });
    }

    /// Adds the results of a run by DISKSPD.
    pub(crate) fn add_results(&mut self, file: &OutFile, made: &ToolResults) {
        self.add_written(file, |bytes| bytes.extend_from_slice(made.document.trim_ascii_end()));
    }

    fn add_written(&mut self, file: &OutFile, write: impl FnOnce(&mut Vec<u8>)) {
        if !file.is_replaceable() || file.format.of_runs == ReportRuns::Latest {
            return;
        }
        let place = self.0.iter().position(|(path, _)| *path == file.path).unwrap_or_else(|| {
            self.0.push((file.path.clone(), Vec::new()));
            self.0.len() - 1
        });
        let earlier = &mut self.0[place].1;
        write(earlier);
        if earlier.last() != Some(&b'\n') {
            earlier.push(b'\n');
        }
    }
}

pub(crate) fn verdicts(request: &RunRequest) -> VerdictForm {
    VerdictForm { xml: request.xml_verdict, text: request.text_verdict }
}

/// Returns the format of a file of `--out`. `verdicts`: the formats with the verdict about the devices.
///
/// # Errors
/// Fails without a named format if the extension is unknown.
pub(crate) fn format_of(
    request: &OutRequest,
    verdicts: VerdictForm,
) -> Result<&'static Format, CommandError> {
    let format = request.format.and_then(crate::report_formats::format_named);
    let format = format.or_else(|| crate::report_formats::format_of(&request.path)).ok_or_else(|| {
        let known: Vec<String> = crate::report_formats::FORMATS
            .iter()
            .flat_map(|f| f.extensions)
            .map(|e| format!(".{e}"))
            .collect();
        CommandError::usage_errors([format!(
            "--out {}: the extension sets the format and must be one of {}; or name the format, as in --out \
             json:FILE",
            request.path.display(),
            known.join(", ")
        )])
    })?;
    Ok(format.with_verdicts(verdicts))
}

#[derive(Debug)]
pub(crate) struct OutFile {
    path: PathBuf,
    outlet: Outlet,
    format: &'static Format,
    before: Vec<u8>,
}

impl OutFile {
    /// Opens the destination. For a file the place is tested, and the existing file stays.
    ///
    /// # Errors
    /// Fails with a message if the file cannot be created or replaced.
    pub(crate) fn open(
        permitted: PermittedOutput,
        path: &Path,
        format: &'static Format,
        patience: &HangGuard,
    ) -> Result<OutFile, CommandError> {
        Ok(OutFile { path: path.to_owned(), outlet: permitted.open(patience)?, format, before: Vec::new() })
    }

    /// Puts the earlier reports of the file before this one.
    pub(crate) fn stand_behind(&mut self, earlier: &EarlierReports) {
        let found = earlier.0.iter().find(|(path, _)| *path == self.path);
        self.before = found.map(|(_, before)| before.clone()).unwrap_or_default();
    }

    pub(crate) fn is(&self, format: &Format) -> bool {
        self.format.name == format.name
    }

    pub(crate) fn form(&self) -> &'static str {
        self.format.name
    }

    /// Whether each report can replace the previous one.
    pub(crate) fn is_replaceable(&self) -> bool {
        self.outlet.is_replaceable()
    }

    /// Writes the report and gives the file its name; an earlier report is replaced. If that fails, the
    /// report is kept under another name.
    ///
    /// # Errors
    /// Fails with the location of the rescued report, if any.
    pub(crate) fn save(&self, judged: &JudgedRecord) -> Result<(), CommandError> {
        // JSON keeps texts within their lines by itself.
        if self.outlet.is_terminal() && self.format.name != "json" {
            let shown = sanitize::sanitize(judged.record);
            return self.save_page(&|sink| (self.format.write)(&JudgedRecord::new(&shown), sink));
        }
        self.save_page(&|sink| (self.format.write)(judged, sink))
    }

    /// As [`OutFile::save`], for the page of several runs.
    pub(crate) fn save_page(&self, write: &ReportBytes) -> Result<(), CommandError> {
        let mut bytes = self.before.clone();
        // Memory takes everything.
        let _ = write(&mut bytes);
        Ok(self.outlet.put(bytes)?)
    }
}

pub(crate) type ReportBytes<'a> = dyn Fn(&mut dyn Write) -> io::Result<()> + 'a;

/// Writes all reports; each is tried, and errors are reported. A record without figures replaces no file.
pub(crate) fn save_all<'a>(files: impl IntoIterator<Item = &'a OutFile>, judged: &JudgedRecord) -> Exit {
    let mut exit = Exit::Success;
    for file in files {
        if file.is_replaceable() && !judged.record.host().results.have_figures() {
            print_line(Finding::warning(format!(
                "--out {}: not written, because no I/O was measured; an earlier file is unchanged",
                file.path.display()
            )));
            continue;
        }
        if let Err(not) = file.save(judged) {
            exit = not.report();
        }
    }
    exit
}
