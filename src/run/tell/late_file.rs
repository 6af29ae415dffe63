//! A file that is written while the run goes on (`--stream`, `--io-log`), and replaces an earlier one only
//! when there is something in it.

use crate::finding::Finding;
use crate::run::tell::destination::{Destination, inherited, named, open_special};
use crate::sys::place::{NewFile, Place};
use crate::sys::standard_error::say;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Where lines go.
#[derive(Debug)]
pub struct LateFile {
    /// As in `--stream run.jsonl`.
    given: String,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    /// A pipe, a terminal, a descriptor: nothing is replaced there.
    Open(File),
    /// A regular file.
    New(NewFile),
}

impl LateFile {
    /// Looks at a place, and tries it out; `-` is standard output. What is there stays as it is.
    ///
    /// # Errors
    /// A message: it can't be written, or belongs to somebody else. That it overwrites nothing of the run
    /// is for [`crate::run::tell::destination`] to say, before.
    pub fn open(path: &Path, given: &str) -> Result<LateFile, String> {
        let path = named(path);
        let sink = match Destination::trusted(&path, given)? {
            Destination::Descriptor(number) => Sink::Open(inherited(number, given)?),
            Destination::Special => Sink::Open(open_special(&path, given)?),
            Destination::File(path) => {
                let place = Place::open(&path).map_err(|error| format!("{given}: {error}"))?;
                Sink::New(place.begin().map_err(|error| format!("{given}: can't be created: {error}"))?)
            }
        };
        Ok(LateFile { given: given.to_owned(), sink })
    }

    /// Whether an earlier file would be replaced.
    pub fn replaces(&self) -> bool {
        matches!(&self.sink, Sink::New(file) if file.replaces())
    }

    /// Lets others see what is written, by its name; what was there before is replaced. Can be written
    /// further.
    pub fn show(&mut self) {
        let Sink::New(file) = &mut self.sink else { return };
        if !file.is_placed()
            && let Err(not) = file.put()
        {
            say(Finding::warning(format!("{}: can't be put in place: {not}", self.given)));
        }
    }

    /// Leaves an earlier file as it is: what was written, if it was shown to nobody, is kept beside it.
    pub fn keep_beside(&mut self) {
        let Sink::New(file) = &mut self.sink else { return };
        if file.is_placed() {
            return;
        }
        let kept = file.keep_beside();
        let kept = kept.map_or_else(
            |error| format!("can't be kept either: {error}"),
            |path| format!("is kept as {}", path.display()),
        );
        say(Finding::warning(format!(
            "{}: is not written, as the run has no figures; what there is {kept}",
            self.given
        )));
    }
}

impl Write for LateFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Open(file) => file.write(bytes),
            Sink::New(file) => file.file().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A [`LateFile`] that is shown from its first line on.
#[derive(Debug)]
pub struct FromTheFirstLine(pub LateFile);

impl Write for FromTheFirstLine {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes)?;
        self.0.show();
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
