//! What a run says while it goes on: verbose lines and dots on standard output, warnings on standard error.

use super::live::LiveLine;
use crate::clock::Nanos;
use crate::run::live::Counters;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// The voices of a run. Whether somebody listens is no concern of the measurement: errors of writing are ignored,
/// those of the report itself are not written here.
#[derive(Debug, Default)]
pub struct Console {
    verbose: bool,
    line: Mutex<Option<LiveLine>>,
}

impl Console {
    /// `-v` or not; with a live line when standard error is a terminal.
    pub fn new(verbose: bool) -> Console {
        Console { verbose, line: Mutex::new(LiveLine::for_terminal()) }
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
            let _ = writeln!(std::io::stdout(), "{now}: {}", text());
        }
    }

    /// A warning.
    pub fn warn(&self, text: &str) {
        self.clear_line();
        let _ = writeln!(std::io::stderr(), "WARNING: {text}");
    }

    /// Something worth knowing that is no reason to worry.
    pub fn note(&self, text: &str) {
        self.clear_line();
        let _ = writeln!(std::io::stderr(), "{text}");
    }

    /// Progress dots (`-P`).
    pub fn dots(&self, count: u32) {
        if count > 0 {
            let mut out = std::io::stdout();
            let _ = out.write_all(&vec![b'.'; count as usize]);
            let _ = out.flush();
        }
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
