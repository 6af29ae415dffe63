//! Where reports go: standard output, and the files of `--out`.

use crate::cli::EXIT_RUN_FAILED;
use crate::report::{self, Format};
use crate::results::Record;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes bytes to standard output; returns the exit code.
pub fn to_stdout(bytes: &[u8]) -> u8 {
    let mut out = io::stdout().lock();
    super::code_of(out.write_all(bytes).and_then(|()| out.flush()))
}

/// A report file: made before the run, so that an unwritable path fails at once and not after an hour; it appears
/// under its name whole or not at all.
#[derive(Debug)]
pub struct OutFile {
    path: PathBuf,
    partial: PathBuf,
    file: File,
    format: &'static Format,
    kept: bool,
}

impl OutFile {
    /// Creates the file under a temporary name beside its own.
    ///
    /// # Errors
    /// A message: unknown extension, or the file can't be created.
    pub fn create(path: &Path) -> Result<OutFile, String> {
        let format = report::format_of(path).ok_or_else(|| {
            let known: Vec<String> =
                report::FORMATS.iter().flat_map(|f| f.extensions).map(|e| format!(".{e}")).collect();
            format!(
                "--out {}: the extension says which format is written, and this one is none of {}",
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
        let file =
            File::create(&partial).map_err(|e| format!("--out {}: can't be created: {e}", path.display()))?;
        Ok(OutFile { path: path.to_path_buf(), partial, file, format, kept: false })
    }

    /// Writes the report and gives the file its name.
    ///
    /// # Errors
    /// A message.
    pub fn write(mut self, record: &Record) -> Result<(), String> {
        let bytes = (self.format.write)(record);
        self.file
            .write_all(&bytes)
            .and_then(|()| self.file.sync_all())
            .and_then(|()| fs::rename(&self.partial, &self.path))
            .map_err(|e| format!("--out {}: can't be written: {e}", self.path.display()))?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for OutFile {
    fn drop(&mut self) {
        if !self.kept {
            // Nothing was measured or it couldn't be written; a left-over would only confuse.
            let _ = fs::remove_file(&self.partial);
        }
    }
}

/// Writes all report files; every one is tried. Returns the exit code.
pub fn write_all(files: Vec<OutFile>, record: &Record) -> Option<u8> {
    let mut failed = None;
    for file in files {
        if let Err(message) = file.write(record) {
            eprintln!("ERROR: {message}");
            failed = Some(EXIT_RUN_FAILED);
        }
    }
    failed
}
