//! Where reports go: standard output, and the files of `--out`.

use super::not_done::NotDone;
use super::shown;
use super::stream::Stream;
use crate::cli::{Exit, OutRequest, RunRequest, StreamRequest};
use crate::finding::Finding;
use crate::profile::{Profile, RawText};
use crate::report::{self, Format};
use crate::run::destination::{self, Destination, Named, inherited, named, open_special, refuse_doubles};
use crate::run::{FromTheFirstLine, LateFile};
use crate::sys::place::{Place, elsewhere};
use crate::sys::standard_error::say;
use crate::sys::standard_output;
use crate::truth::Judged;
use crate::units::visible::Guard;
use serde::Serialize;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Writes bytes to standard output.
///
/// # Errors
/// It takes them not all.
pub fn to_stdout(bytes: &[u8]) -> Result<Exit, NotDone> {
    let mut out = standard_output::writer();
    written(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Writes a value as JSON to standard output; `what` it is, for errors.
///
/// # Errors
/// It has no form as JSON, or standard output takes it not all.
pub fn json_to_stdout(what: &str, value: &impl Serialize) -> Result<Exit, NotDone> {
    let text = serde_json::to_string_pretty(value);
    let text = text.map_err(|error| format!("{what} can't be written as JSON: {error}"))?;
    to_stdout(format!("{text}\n").as_bytes())
}

/// A reader of standard output that went away (`| head`) is not an error worth a message.
fn written(result: io::Result<()>) -> Result<Exit, NotDone> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("writing to standard output: {error}").into())
        }
        _ => Ok(Exit::Success),
    }
}

/// Writes a report to standard output.
///
/// # Errors
/// It takes it not all.
pub fn report_to_stdout(format: &Format, judged: &Judged) -> Result<Exit, NotDone> {
    let mut out = io::BufWriter::new(standard_output::writer());
    let report = match shown::on_standard_output(judged.record) {
        Cow::Borrowed(_) => (format.write)(judged, &mut out),
        Cow::Owned(harmless) => (format.write)(&Judged::new(&harmless), &mut out),
    };
    written(report.and_then(|()| out.flush()))
}

/// That a CSV of `--out` will hold no line, which only a run with intervals has.
pub fn empty_csv(outs: &[OutRequest], profile: &Profile) -> Option<Finding> {
    let is_csv = |out: &&OutRequest| {
        out.format.or(report::format_of(&out.path).map(|format| format.name)) == Some("csv")
    };
    let out = outs.iter().find(is_csv)?;
    let without = profile.time_spans.iter().all(|span| !span.calculate_iops_std_dev);
    without.then(|| {
        Finding::warning(format!(
            "--out {}: the file will hold its first line alone: a CSV shows the course by intervals, which only -D \
             measures; add -D, or -D<ms> for intervals of another length than a second",
            out.path.display()
        ))
    })
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
    /// Opens them all: before the run, so that what can't be written fails at once and not after an hour.
    /// What would overwrite a target of the run, or a file that it reads or writes besides, is found before
    /// anything is touched.
    ///
    /// # Errors
    /// One of them can't be written, or should not.
    pub fn open(request: &RunRequest, profile: &Profile) -> Result<Outputs, NotDone> {
        let targets = destination::targets(profile);
        for out in &request.out {
            destination::refuse_target("--out", &named(&out.path), &targets)?;
        }
        if let Some(stream) = &request.stream {
            destination::refuse_target("--stream", &path_of(stream), &targets)?;
        }
        let standard_output = StandardOutput::of(request)?;
        refuse_doubles(&all_written(request), &read(request, profile))?;
        let files = request.out.iter().map(|out| OutFile::create(out, request.xml_verdict));
        let files = files.collect::<Result<Vec<OutFile>, NotDone>>()?;
        let stream = request.stream.as_ref().map(open_stream).transpose()?;
        Ok(Outputs { files, stream, standard_output })
    }
}

/// What the command line has written.
fn all_written(request: &RunRequest) -> Vec<Named> {
    let outs = request
        .out
        .iter()
        .map(|out| Named { by: format!("--out {}", out.path.display()), path: named(&out.path) });
    let stream = request.stream.as_ref().map(|stream| Named { by: "--stream".into(), path: path_of(stream) });
    let log = request
        .io_log
        .as_ref()
        .map(|path| Named { by: format!("--io-log {}", path.display()), path: named(path) });
    let journal = request
        .journal
        .as_ref()
        .map(|path| Named { by: format!("--journal {}", path.display()), path: path.clone() });
    outs.chain(stream).chain(log).chain(journal).collect()
}

/// What the run reads besides its targets.
fn read(request: &RunRequest, profile: &Profile) -> Vec<Named> {
    let of = |by: &str, path: &RawText| Named { by: format!("{by}{path}"), path: path.as_path().to_owned() };
    let profile_of = request.xml_profile.as_ref().map(|from| of("-X", &from.path));
    let record = request.record.as_ref().map(|path| Named { by: "rerun".into(), path: path.clone() });
    let targets = profile.time_spans.iter().flat_map(|span| &span.targets);
    let sources = targets.filter_map(|target| target.random_data_source.as_ref()?.path.as_ref());
    profile_of.into_iter().chain(record).chain(sources.map(|path| of("-Z<size>,", path))).collect()
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
    /// Several want it, which no program could read; or the report has no place any more.
    fn of(request: &RunRequest) -> Result<StandardOutput, NotDone> {
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
            )
            .into()),
            [name] if log.is_some() && request.out.is_empty() => Err(format!(
                "{name}: standard output takes the log in place of the report, which then needs a place of its own, as \
                 in --out run.json or --out text:run.txt; or name a file for the log"
            )
            .into()),
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
/// It can't be opened.
fn open_stream(request: &StreamRequest) -> Result<Stream, NotDone> {
    let (sink, name): (Box<dyn Write + Send>, String) = match request {
        StreamRequest::StandardOutput => (Box::new(io::stdout()), "-".into()),
        StreamRequest::Descriptor(number) => {
            (Box::new(inherited(*number, &format!("--stream fd:{number}"))?), format!("fd:{number}"))
        }
        StreamRequest::File(path) => {
            let file = LateFile::open(path, &format!("--stream {}", path.display()))?;
            (Box::new(FromTheFirstLine(file)), path.display().to_string())
        }
    };
    Ok(Stream::new(sink, name).map_err(|e| format!("--stream: no thread can be started for it: {e}"))?)
}

/// Reports of the runs before this one, by the files that hold them (`--repeat`).
#[derive(Debug, Default)]
pub struct EarlierReports(Vec<(PathBuf, Vec<u8>)>);

impl EarlierReports {
    /// The report of a run that has ended belongs to the earlier ones from now on.
    pub fn add(&mut self, file: &OutFile, judged: &Judged) {
        if !file.is_replaceable() {
            return;
        }
        let mut report = Vec::new();
        // Memory takes everything.
        let _ = (file.format.write)(judged, &mut report);
        if report.last() != Some(&b'\n') {
            report.push(b'\n');
        }
        match self.0.iter_mut().find(|(path, _)| *path == file.path) {
            Some((_, reports)) => reports.extend(report),
            None => self.0.push((file.path.clone(), report)),
        }
    }
}

/// A report that is written beside the one on standard output.
#[derive(Debug)]
pub struct OutFile {
    /// As the user named it.
    path: PathBuf,
    /// The option and what it names.
    by: String,
    sink: Sink,
    format: &'static Format,
    /// What stands before this run's report.
    before: Vec<u8>,
}

#[derive(Debug)]
enum Sink {
    /// A regular file: it appears under its name whole or not at all, and is replaced after every time span.
    File(Arc<Place>),
    /// A pipe, a device, a descriptor: it takes a single report, at the end.
    Open(File),
}

impl OutFile {
    /// Opens what is no file; of a file the place is tried out, and what is there stays as it is.
    /// `verdict`: XML gets the verdict about the devices.
    ///
    /// # Errors
    /// Unknown extension, or the file can't be created or replaced.
    pub fn create(request: &OutRequest, verdict: bool) -> Result<OutFile, NotDone> {
        let given = request.path.display();
        let format = request.format.and_then(report::format_named);
        let format = format.or_else(|| report::format_of(&request.path)).ok_or_else(|| {
            let known: Vec<String> =
                report::FORMATS.iter().flat_map(|f| f.extensions).map(|e| format!(".{e}")).collect();
            format!(
                "--out {given}: the extension says which format is written, and this one is none of {}; or name it, as in --out json:FILE",
                known.join(", ")
            )
        })?;
        OutFile::open("--out", &request.path, format.with_verdict(verdict))
    }

    /// The same for a form that the option itself says.
    ///
    /// # Errors
    /// A message: the file can't be created or replaced.
    pub fn open(option: &str, path: &Path, format: &'static Format) -> Result<OutFile, NotDone> {
        let by = format!("{option} {}", path.display());
        if path.is_dir() {
            return Err(format!("{by}: is a directory; name a file in it").into());
        }
        let sink = match Destination::trusted(&named(path), &by)? {
            Destination::Descriptor(number) => Sink::Open(inherited(number, &by)?),
            Destination::Special => Sink::Open(open_special(path, &by)?),
            Destination::File(path) => {
                Sink::File(Place::open(&path).map_err(|error| format!("{by}: {error}"))?)
            }
        };
        Ok(OutFile { path: path.to_owned(), by, sink, format, before: Vec::new() })
    }

    /// Has it begin with the reports that it held before.
    pub fn stand_behind(&mut self, earlier: &EarlierReports) {
        let found = earlier.0.iter().find(|(path, _)| *path == self.path);
        self.before = found.map(|(_, reports)| reports.clone()).unwrap_or_default();
    }

    /// Whether it can be written more than once, the last report replacing those before.
    pub fn is_replaceable(&self) -> bool {
        matches!(self.sink, Sink::File(_))
    }

    /// Writes the report and gives the file its name; a report that was saved before is replaced. Where it
    /// can't be put in its place it's kept under another name.
    ///
    /// # Errors
    /// It can't; the message has the place of a report that is kept elsewhere.
    pub fn save(&self, judged: &Judged) -> Result<(), NotDone> {
        let write = |sink: &mut dyn Write| {
            sink.write_all(&self.before)?;
            (self.format.write)(judged, sink)
        };
        self.put(&write, &|file| self.print(judged, file))
    }

    /// The same for a page that is more than a run's.
    ///
    /// # Errors
    /// As above.
    pub fn save_page(&self, write: &Written) -> Result<(), NotDone> {
        self.put(write, &|file| {
            let mut out = io::BufWriter::new(Guard::new(file, file.is_terminal()));
            write(&mut out).and_then(|()| out.flush())
        })
    }

    /// `print` is how it goes to what is open.
    fn put(&self, write: &Written, print: &dyn Fn(&File) -> io::Result<()>) -> Result<(), NotDone> {
        let failed =
            |why: &dyn std::fmt::Display| NotDone::from(format!("{}: can't be written: {why}", self.by));
        match &self.sink {
            Sink::File(place) => self.replace(place, write).map_err(|why| failed(&why)),
            Sink::Open(file) => match print(file) {
                // As on standard output: a reader that has seen enough.
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                answer => answer.map_err(|error| failed(&error)),
            },
        }
    }

    /// To what may be a terminal. JSON keeps texts within their lines by itself.
    fn print(&self, judged: &Judged, file: &File) -> io::Result<()> {
        if !file.is_terminal() {
            return into(file, &|sink| (self.format.write)(judged, sink));
        }
        let mut out = io::BufWriter::new(Guard::new(file, true));
        let written = match self.format.name {
            "json" => (self.format.write)(judged, &mut out),
            _ => (self.format.write)(&Judged::new(&shown::shown(judged.record)), &mut out),
        };
        written.and_then(|()| out.flush())
    }

    fn replace(&self, place: &Arc<Place>, write: &Written) -> Result<(), String> {
        let written = place.begin().and_then(|mut new| {
            into(new.file(), write)?;
            new.file().sync_all()?;
            Ok(new)
        });
        match written {
            Ok(mut new) => new.put().map_err(|not| not.to_string()),
            // The disk may be full: what was measured isn't lost for that.
            Err(error) => Err(match self.write_elsewhere(write) {
                Ok(path) => format!("{error}; the report is kept as {}", path.display()),
                Err(other) => format!("{error}; nor can it be kept elsewhere: {other}"),
            }),
        }
    }

    fn write_elsewhere(&self, write: &Written) -> io::Result<PathBuf> {
        let (file, path) = elsewhere(self.path.file_name().unwrap_or_default())?;
        let written = into(&file, write);
        // There is no better place for it; whether a power cut would take it is another matter.
        let _ = file.sync_all();
        if written.is_err() {
            let _ = std::fs::remove_file(&path);
        }
        written.map(|()| path)
    }
}

/// Writes a whole report.
pub type Written<'a> = dyn Fn(&mut dyn Write) -> io::Result<()> + 'a;

/// Into a file, in large parts.
fn into(file: &File, write: &Written) -> io::Result<()> {
    let mut file = io::BufWriter::new(file);
    write(&mut file).and_then(|()| file.flush())
}

/// Writes all these reports; every one is tried, and what fails is told. A record without figures replaces
/// no file.
pub fn save_all<'a>(files: impl IntoIterator<Item = &'a OutFile>, judged: &Judged) -> Exit {
    let mut exit = Exit::Success;
    for file in files {
        if file.is_replaceable() && !judged.record.host().results.have_figures() {
            say(Finding::warning(format!(
                "--out {}: is not written, and an earlier file is left as it is: nothing was measured",
                file.path.display()
            )));
            continue;
        }
        if let Err(not) = file.save(judged) {
            exit = not.tell();
        }
    }
    exit
}
