//! How far a preconditioning is: what is drawn where standard error is a terminal.

use super::super::console::live::LiveView;
use super::super::quiet;
use crate::finding::{Finding, Severity};
use crate::run::{Listener, Progress, Wants};
use crate::sys::mutex::LockAnyway;
use crate::sys::standard_error::say;
use std::sync::Mutex;

/// Who watches a preconditioning.
pub struct PreconditionWatcher {
    quiet: bool,
    state: Mutex<WatchedStep>,
}

#[derive(Default)]
struct WatchedStep {
    /// How the step that is done now goes; `None` = nothing is drawn.
    view: Option<LiveView>,
    /// What has been said already: it's said once for all steps.
    said: Vec<String>,
}

impl PreconditionWatcher {
    /// `quiet`: it says nothing but errors.
    pub fn new(quiet: bool) -> PreconditionWatcher {
        PreconditionWatcher { quiet, state: Mutex::default() }
    }

    /// A step begins.
    pub fn begin(&self, step: String) {
        if !self.quiet {
            self.state.lock_anyway().view = LiveView::for_terminal(step);
        }
    }
}

impl Listener for PreconditionWatcher {
    fn wants(&self) -> Wants {
        Wants { progress: self.state.lock_anyway().view.is_some(), ..Wants::default() }
    }

    fn notice(&self, notice: &Finding) {
        self.progress_ends();
        let mut state = self.state.lock_anyway();
        if !quiet::is_told(notice.severity, self.quiet) || state.said.contains(&notice.message) {
            return;
        }
        state.said.push(notice.message.clone());
        match notice.severity {
            Severity::Note => say(&notice.message),
            _ => say(notice),
        }
    }

    fn progress(&self, progress: &Progress) {
        self.state.lock_anyway().view.iter_mut().for_each(|view| view.draw(progress));
    }

    fn progress_ends(&self) {
        self.state.lock_anyway().view.iter_mut().for_each(LiveView::clear);
    }
}
