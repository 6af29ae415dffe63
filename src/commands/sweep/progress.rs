//! How far a sweep is: a line that is drawn over where standard error is a terminal, and a line per run.

use super::super::console::fit;
use crate::finding::{Finding, Severity};
use crate::lab::repeat::headline;
use crate::lab::sweep::{Ran, time_in_words};
use crate::run::{Listener, Progress, Wants};
use crate::sys::mutex::LockAnyway;
use crate::sys::standard_error::{draw, say};
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard};

/// Who watches a sweep.
pub struct Watcher {
    quiet: bool,
    terminal: bool,
    state: Mutex<WatcherState>,
}

#[derive(Default)]
struct WatcherState {
    /// Which run, of how many.
    place: String,
    /// How much time is left, of all runs.
    left: String,
    /// What is run.
    label: String,
    drawn: bool,
    /// What has been said already: it's said once for all runs.
    said: Vec<String>,
}

impl Watcher {
    /// `quiet`: it says nothing but errors.
    pub fn new(quiet: bool) -> Watcher {
        Watcher { quiet, terminal: std::io::stderr().is_terminal(), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, WatcherState> {
        self.state.lock_anyway()
    }

    /// A run begins.
    pub fn begin(&self, number: usize, of: usize, left_s: f64, label: &str) {
        {
            let mut state = self.state();
            state.place = format!("run {number} of {of}");
            state.left =
                if left_s > 0.0 { format!(", {} left", time_in_words(left_s)) } else { String::new() };
            state.label = if label.is_empty() { String::new() } else { format!(": {label}") };
        }
        self.show("");
    }

    /// It has ended.
    pub fn ended(&self, ran: &Ran) {
        self.progress_ends();
        if !self.quiet {
            let outcome = match (&ran.line, &ran.failure) {
                (Some(line), _) => headline(line),
                (None, why) => format!("failed: {}", why.as_deref().unwrap_or_default()),
            };
            let state = self.state();
            say(format_args!("{}{}: {outcome}", state.place, state.label));
        }
    }

    /// Draws where it is.
    fn show(&self, more: &str) {
        if self.quiet || !self.terminal {
            return;
        }
        let mut state = self.state();
        let text = format!("{}{}{}{more}", state.place, state.left, state.label);
        state.drawn = true;
        draw(&fit::parts(&text, fit::columns()));
    }
}

impl Listener for Watcher {
    fn wants(&self) -> Wants {
        Wants { progress: self.terminal && !self.quiet, ..Wants::default() }
    }

    fn notice(&self, notice: &Finding) {
        self.progress_ends();
        let mut state = self.state();
        let is_error = notice.severity == Severity::Error;
        if (self.quiet && !is_error) || state.said.contains(&notice.message) {
            return;
        }
        state.said.push(notice.message.clone());
        match notice.severity {
            Severity::Note => say(&notice.message),
            _ => say(notice),
        }
    }

    fn progress(&self, progress: &Progress) {
        match progress {
            Progress::Preparing { done_bytes, total_bytes, .. } => {
                self.show(&format!(" | creating {} of {} MiB", done_bytes >> 20, total_bytes >> 20));
            }
            Progress::Running { phase, rates, .. } => {
                let rates = rates.map(|rates| format!(" | {:.0} IOPS", rates.iops)).unwrap_or_default();
                self.show(&format!(" | {phase}{rates}"));
            }
        }
    }

    fn progress_ends(&self) {
        if std::mem::take(&mut self.state().drawn) {
            draw("");
        }
    }
}
