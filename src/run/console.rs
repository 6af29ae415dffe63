//! What a run says while it goes on: verbose lines and dots on standard output as DISKSPD does, unless that is for
//! another program to read; warnings on standard error.

use super::live::LiveLine;
use super::stream::{Stream, Unfinished};
use crate::clock::Nanos;
use crate::results::IntervalFigures;
use crate::run::live::Counters;
use crate::sys::standard_error::{self, say};
use crate::sys::standard_output;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// The voices of a run. Whether somebody listens is no concern of the measurement: errors of writing are ignored,
/// those of the report itself are not written here.
#[derive(Debug, Default)]
pub struct Console {
    verbose: bool,
    /// Standard output carries a document: nothing else may get into it.
    document: bool,
    line: Mutex<Option<LiveLine>>,
    stream: Mutex<Option<Stream>>,
    /// What [`Console::warn_once`] has said in this time span.
    said: Mutex<HashSet<String>>,
}

impl Console {
    /// `-v` or not; with a live line when standard error is a terminal.
    pub fn new(verbose: bool) -> Console {
        Console { verbose, line: Mutex::new(LiveLine::for_terminal()), ..Console::default() }
    }

    /// The same, with standard output left to a document.
    pub fn beside_document(self, document: bool) -> Console {
        Console { document, ..self }
    }

    /// The same with a stream (`--stream`).
    pub fn with_stream(self, stream: Option<Stream>) -> Console {
        Console { stream: Mutex::new(stream), ..self }
    }

    /// Whether there is a stream to count for.
    pub fn is_streaming(&self) -> bool {
        self.with_the_stream(|_| ()).is_some()
    }

    /// A time span begins, numbered from 1.
    pub fn begin_span(&self, number: usize) {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.with_the_stream(|stream| stream.begin_span(number));
    }

    /// Hands the figures of an interval to the stream.
    pub fn stream(&self, figures: &IntervalFigures) {
        self.with_the_stream(|stream| stream.send(figures));
    }

    /// The run is over: ends the stream, and warns if not all of it was read. Returned is that it could not be written.
    pub fn end_stream(&self) -> Option<String> {
        let stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner).take();
        match stream?.finish()? {
            Unfinished::Unread(message) => {
                self.warn(&message);
                None
            }
            Unfinished::Unwritten(message) => Some(message),
        }
    }

    fn with_the_stream<T>(&self, act: impl FnOnce(&mut Stream) -> T) -> Option<T> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(act)
    }

    /// Says nothing at all but warnings; for tests and simulated runs.
    pub fn quiet() -> Console {
        Console::default()
    }

    /// Whether there is a live line to count for.
    pub fn is_live(&self) -> bool {
        self.with_line(|_| ()).is_some()
    }

    /// A time-stamped line, with `-v`.
    pub fn verbose(&self, text: impl FnOnce() -> String) {
        if self.verbose {
            self.clear_line();
            let now = jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S");
            self.put(&format!("{now}: {}\n", text()));
        }
    }

    /// A warning.
    pub fn warn(&self, text: &str) {
        self.clear_line();
        say(format_args!("WARNING: {text}"));
    }

    /// A warning of what many threads meet; it is said once in a time span.
    pub fn warn_once(&self, text: String) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if !said.contains(&text) {
            self.warn(&text);
            said.insert(text);
        }
    }

    /// Something worth knowing that is no reason to worry.
    pub fn note(&self, text: &str) {
        self.clear_line();
        say(text);
    }

    /// Progress dots (`-P`).
    pub fn dots(&self, count: u32) {
        if count > 0 {
            self.put(&".".repeat(count as usize));
        }
    }

    /// Writes where it disturbs no document.
    fn put(&self, text: &str) {
        if self.document {
            return standard_error::write(text);
        }
        standard_output::write(text);
    }

    /// The workers begin: the live line counts from here.
    pub fn begin(&self, workers: &[Counters]) {
        self.with_line(|line| line.begin(workers));
    }

    /// Draws the live line.
    pub fn draw(&self, phase: &str, left: Nanos, workers: &[Counters]) {
        self.with_line(|line| line.draw(phase, left, workers));
    }

    /// Shows how far the preparation of a file is.
    pub fn draw_preparation(&self, path: &str, done: u64, total: u64) {
        self.with_line(|line| line.draw_preparation(path, done, total));
    }

    /// Removes the live line.
    pub fn clear_line(&self) {
        self.with_line(LiveLine::clear);
    }

    fn with_line<T>(&self, act: impl FnOnce(&mut LiveLine) -> T) -> Option<T> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(act)
    }
}
