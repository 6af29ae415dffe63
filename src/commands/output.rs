//! Where reports go: standard output, and the files of `--out`.

use crate::cli::{EXIT_RUN_FAILED, OutRequest, StreamRequest};
use crate::report::{self, Format};
use crate::results::Record;
use crate::run::Stream;
use crate::sys::files;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;

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

/// Opens the sink of `--stream`.
///
/// # Errors
/// A message.
pub fn open_stream(request: &StreamRequest) -> Result<Stream, String> {
    let (sink, name): (Box<dyn Write + Send>, String) = match request {
        StreamRequest::StandardOutput => (Box::new(io::stdout()), "-".into()),
        StreamRequest::Descriptor(number) => (
            Box::new(File::from(files::inherited(*number).map_err(|e| {
                format!("--stream fd:{number}: {e}; start the program with this descriptor open, as in {number}>FILE")
            })?)),
            format!("fd:{number}"),
        ),
        StreamRequest::File(path) => (
            Box::new(
                File::create(path).map_err(|e| format!("--stream {}: can't be created: {e}", path.display()))?,
            ),
            path.display().to_string(),
        ),
    };
    Stream::new(sink, name).map_err(|e| format!("--stream: no thread can be started for it: {e}"))
}

/// A report file: made before the run, so that an unwritable path fails at once and not after an hour; it appears
/// under its name whole or not at all.
#[derive(Debug)]
pub struct OutFile {
    path: PathBuf,
    partial: PathBuf,
    format: &'static Format,
}

impl OutFile {
    /// Creates the file under a temporary name beside its own. `verdict`: XML gets the verdict about the devices.
    ///
    /// # Errors
    /// A message: unknown extension, or the file can't be created.
    pub fn create(request: &OutRequest, verdict: bool) -> Result<OutFile, String> {
        let path = &request.path;
        let named = request.format.and_then(report::format_named);
        let format = named.or_else(|| report::format_of(path)).ok_or_else(|| {
            let known: Vec<String> =
                report::FORMATS.iter().flat_map(|f| f.extensions).map(|e| format!(".{e}")).collect();
            format!(
                "--out {}: the extension says which format is written, and this one is none of {}; or name it, as in --out json:FILE",
                path.display(),
                known.join(", ")
            )
        })?;
        if path.is_dir() {
            return Err(format!("--out {}: is a directory; name a file in it", path.display()));
        }
        let mut name = OsString::from(path.file_name().unwrap_or_default());
        name.push(format!(".{}.partial", std::process::id()));
        let partial = path.with_file_name(name);
        File::create(&partial).map_err(|e| format!("--out {}: can't be created: {e}", path.display()))?;
        Ok(OutFile { path: path.to_path_buf(), partial, format: format.with_verdict(verdict) })
    }

    /// Writes the report and gives the file its name; a report that was saved before is replaced.
    ///
    /// # Errors
    /// A message.
    pub fn save(&self, record: &Record) -> Result<(), String> {
        let save = || {
            let mut file = io::BufWriter::new(File::create(&self.partial)?);
            (self.format.write)(record, &mut file)?;
            file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
            fs::rename(&self.partial, &self.path)
        };
        save().map_err(|e| format!("--out {}: can't be written: {e}", self.path.display()))
    }
}

impl Drop for OutFile {
    fn drop(&mut self) {
        // It has its own name by now, or it could not be written; a left-over would only confuse.
        let _ = fs::remove_file(&self.partial);
    }
}

/// Writes all report files; every one is tried. Returns the exit code if one failed.
pub fn save_all(files: &[OutFile], record: &Record) -> Option<u8> {
    let mut failed = None;
    for file in files {
        if let Err(message) = file.save(record) {
            eprintln!("ERROR: {message}");
            failed = Some(EXIT_RUN_FAILED);
        }
    }
    failed
}
