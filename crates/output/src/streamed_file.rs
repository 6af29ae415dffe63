//! A file that is written during the run (`--stream`, `--io-log`). It replaces an earlier one only when it
//! has content.

use crate::outlet::{OpenOutput, Outlet};
use crate::output_error::OutputError;
use diskspd_base::finding::Finding;
use diskspd_sys::standard_error::print_line;
use std::io::{self, Write};

#[derive(Debug)]
pub struct StreamedFile {
    given: String,
    sink: OpenOutput,
}

impl StreamedFile {
    /// Starts the file. An existing file stays unchanged.
    pub fn open(outlet: Outlet) -> Result<StreamedFile, OutputError> {
        let given = outlet.by().to_owned();
        Ok(StreamedFile { given, sink: outlet.begin()? })
    }

    pub fn replaces(&self) -> bool {
        matches!(&self.sink, OpenOutput::New(file) if file.replaces())
    }

    /// Makes the written data visible under its name, replacing an existing file. Writing can continue.
    pub fn show(&mut self) {
        let OpenOutput::New(file) = &mut self.sink else { return };
        if !file.is_placed()
            && let Err(not) = file.put()
        {
            print_line(Finding::warning(format!(
                "{}: cannot be renamed to its final name: {not}",
                self.given
            )));
        }
    }

    /// Leaves an earlier file unchanged; written data that was never visible is kept under another name.
    pub fn keep_beside(&mut self) {
        let OpenOutput::New(file) = &mut self.sink else { return };
        if file.is_placed() {
            return;
        }
        let kept = file.keep_beside();
        let kept = kept.map_or_else(
            |error| format!("cannot be kept either: {error}"),
            |path| format!("is kept as {}", path.display()),
        );
        print_line(Finding::warning(format!(
            "{}: is not written, because the run has no figures; the partial output {kept}",
            self.given
        )));
    }
}

impl Write for StreamedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            OpenOutput::Open(file) => (&**file).write(bytes),
            OpenOutput::New(file) => file.file().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Debug)]
pub struct LateWriter(pub StreamedFile);

impl Write for LateWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes)?;
        self.0.show();
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
