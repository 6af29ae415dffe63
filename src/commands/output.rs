//! Where reports go: standard output, and the files of `--out`.

use crate::cli::{EXIT_RUN_FAILED, OutRequest, RunRequest, StreamRequest};
use crate::profile::Profile;
use crate::report::{self, Format};
use crate::results::Record;
use crate::run::Stream;
use crate::run::destination::{self, Destination, inherited, named};
use crate::sys::standard_error::say;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes bytes to standard output; returns the exit code.
pub fn to_stdout(bytes: &[u8]) -> u8 {
    let mut out = io::stdout().lock();
    super::code_of(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Writes a report to standard output; returns the exit code.
pub fn report_to_stdout(format: &Format, record: &Record) -> u8 {
    let mut out = io::BufWriter::new(io::stdout().lock());
    super::code_of((format.write)(record, &mut out).and_then(|()| out.flush()))
}

/// Where the extra outputs of a run go: the files of `--out`, the stream.
#[derive(Debug)]
pub struct Outputs {
    /// In the order they were asked for.
    pub files: Vec<OutFile>,
    /// `--stream`
    pub stream: Option<Stream>,
    /// What of them goes to standard output.
    pub standard_output: StandardOutput,
}

impl Outputs {
    /// Opens them all: before the run, so that what can't be written fails at once and not after an hour. What would
    /// overwrite a target of the run is found before anything is touched.
    ///
    /// # Errors
    /// A message.
    pub fn open(request: &RunRequest, profile: &Profile) -> Result<Outputs, String> {
        let targets = destination::targets(profile);
        for out in &request.out {
            destination::refuse_target("--out", &named(&out.path), &targets)?;
        }
        if let Some(stream) = &request.stream {
            destination::refuse_target("--stream", &path_of(stream), &targets)?;
        }
        let standard_output = StandardOutput::of(request)?;
        let files = request.out.iter().map(|out| OutFile::create(out, request.xml_verdict));
        let files = files.collect::<Result<Vec<OutFile>, String>>()?;
        let stream = request.stream.as_ref().map(open_stream).transpose()?;
        Ok(Outputs { files, stream, standard_output })
    }
}

/// What goes to standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandardOutput {
    /// The report of `-R`, and what is said meanwhile as DISKSPD does.
    Report,
    /// The lines of the stream, and behind them the report of `-R`.
    StreamAndReport,
    /// A report of `--out` or the log of I/Os, and nothing else.
    Instead,
}

impl StandardOutput {
    /// # Errors
    /// A message: several want it, which no program could read; or the report has no place any more.
    fn of(request: &RunRequest) -> Result<StandardOutput, String> {
        let is_it = |path: &Path| Destination::of(&named(path)).is_standard_output();
        let stream = request.stream.as_ref().map(path_of).filter(|path| is_it(path));
        let log = request.io_log.as_ref().filter(|path| is_it(path));
        let outs = request.out.iter().filter(|out| is_it(&out.path));
        let names: Vec<String> = outs
            .map(|out| format!("--out {}", out.path.display()))
            .chain(stream.iter().map(|_| "--stream".to_owned()))
            .chain(log.iter().map(|path| format!("--io-log {}", path.display())))
            .collect();
        match names.as_slice() {
            [one, other, ..] => Err(format!(
                "standard output is named twice, by {one} and by {other}, and takes one of them; write the other to a \
                 file"
            )),
            [name] if log.is_some() && request.out.is_empty() => Err(format!(
                "{name}: standard output takes the log in place of the report, which then needs a place of its own, as \
                 in --out run.json or --out text:run.txt; or name a file for the log"
            )),
            [_] if stream.is_some() => Ok(StandardOutput::StreamAndReport),
            [_] => Ok(StandardOutput::Instead),
            [] => Ok(StandardOutput::Report),
        }
    }
}

/// Where a stream goes, as a path.
fn path_of(stream: &StreamRequest) -> PathBuf {
    match stream {
        StreamRequest::StandardOutput => named(Path::new("-")),
        StreamRequest::Descriptor(number) => destination::descriptor(*number),
        StreamRequest::File(path) => path.clone(),
    }
}

/// Opens the sink of `--stream`.
///
/// # Errors
/// A message.
fn open_stream(request: &StreamRequest) -> Result<Stream, String> {
    let (sink, name): (Box<dyn Write + Send>, String) = match request {
        StreamRequest::StandardOutput => (Box::new(io::stdout()), "-".into()),
        StreamRequest::Descriptor(number) => {
            (Box::new(inherited(*number, &format!("--stream fd:{number}"))?), format!("fd:{number}"))
        }
        StreamRequest::File(path) => {
            let name = format!("--stream {}", path.display());
            let file = match Destination::of(path) {
                Destination::Descriptor(number) => inherited(number, &name)?,
                _ => File::create(path).map_err(|e| format!("{name}: can't be created: {e}"))?,
            };
            (Box::new(file), path.display().to_string())
        }
    };
    Stream::new(sink, name).map_err(|e| format!("--stream: no thread can be started for it: {e}"))
}

/// A report that is written beside the one on standard output.
#[derive(Debug)]
pub struct OutFile {
    /// As the user named it.
    path: PathBuf,
    sink: Sink,
    format: &'static Format,
}

#[derive(Debug)]
enum Sink {
    /// A regular file: it appears under its name whole or not at all, and is replaced after every time span.
    File {
        path: PathBuf,
        /// Beside it.
        partial: PathBuf,
    },
    /// A pipe, a device, a descriptor: it takes a single report, at the end.
    Open(File),
}

impl OutFile {
    /// Opens what is no file; of a file one of a temporary name beside it. `verdict`: XML gets the verdict about the
    /// devices.
    ///
    /// # Errors
    /// A message: unknown extension, or the file can't be created.
    pub fn create(request: &OutRequest, verdict: bool) -> Result<OutFile, String> {
        let path = &request.path;
        let given = path.display();
        let format = request.format.and_then(report::format_named);
        let format = format.or_else(|| report::format_of(path)).ok_or_else(|| {
            let known: Vec<String> =
                report::FORMATS.iter().flat_map(|f| f.extensions).map(|e| format!(".{e}")).collect();
            format!(
                "--out {given}: the extension says which format is written, and this one is none of {}; or name it, as in --out json:FILE",
                known.join(", ")
            )
        })?;
        if path.is_dir() {
            return Err(format!("--out {given}: is a directory; name a file in it"));
        }
        let failed = |e: io::Error| format!("--out {given}: can't be created: {e}");
        let sink = match Destination::of(&named(path)) {
            Destination::Descriptor(number) => Sink::Open(inherited(number, &format!("--out {given}"))?),
            Destination::Special => Sink::Open(OpenOptions::new().write(true).open(path).map_err(failed)?),
            Destination::File(path) => {
                let mut name = OsString::from(path.file_name().unwrap_or_default());
                name.push(format!(".{}.partial", std::process::id()));
                let partial = path.with_file_name(name);
                File::create(&partial).map_err(failed)?;
                Sink::File { path, partial }
            }
        };
        Ok(OutFile { path: path.clone(), sink, format: format.with_verdict(verdict) })
    }

    /// Whether it can be written more than once, the last report replacing those before.
    pub fn is_replaceable(&self) -> bool {
        matches!(self.sink, Sink::File { .. })
    }

    /// Writes the report and gives the file its name; a report that was saved before is replaced.
    ///
    /// # Errors
    /// A message.
    pub fn save(&self, record: &Record) -> Result<(), String> {
        let saved = match &self.sink {
            Sink::File { path, partial } => self.replace(path, partial, record),
            Sink::Open(file) => {
                let mut file = io::BufWriter::new(file);
                match (self.format.write)(record, &mut file).and_then(|()| file.flush()) {
                    // As on standard output: a reader that has seen enough.
                    Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                    answer => answer,
                }
            }
        };
        saved.map_err(|e| format!("--out {}: can't be written: {e}", self.path.display()))
    }

    fn replace(&self, path: &Path, partial: &Path, record: &Record) -> io::Result<()> {
        let mut file = io::BufWriter::new(File::create(partial)?);
        (self.format.write)(record, &mut file)?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(partial, path)
    }
}

impl Drop for OutFile {
    fn drop(&mut self) {
        if let Sink::File { partial, .. } = &self.sink {
            // It has its own name by now, or it could not be written; a left-over would only confuse.
            let _ = fs::remove_file(partial);
        }
    }
}

/// Writes all these reports; every one is tried. Returns the exit code if one failed.
pub fn save_all<'a>(files: impl IntoIterator<Item = &'a OutFile>, record: &Record) -> Option<u8> {
    let mut failed = None;
    for file in files {
        if let Err(message) = file.save(record) {
            say(format_args!("ERROR: {message}"));
            failed = Some(EXIT_RUN_FAILED);
        }
    }
    failed
}
