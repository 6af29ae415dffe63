//! How far a preconditioning is: what is drawn where standard error is a terminal.

use super::super::console::live::LiveView;
use super::super::quiet::ToldOnce;
use crate::finding::Finding;
use crate::run::{Listener, Progress, Wants};
use crate::sys::mutex::LockAnyway;
use std::sync::Mutex;

pub struct PreconditionWatcher {
    quiet: bool,
    state: Mutex<WatchedStep>,
}

#[derive(Default)]
struct WatchedStep {
    /// How the step that is done now goes; `None` = nothing is drawn.
    view: Option<LiveView>,
    said: ToldOnce,
}

impl PreconditionWatcher {
    pub fn new(quiet: bool) -> PreconditionWatcher {
        PreconditionWatcher { quiet, state: Mutex::default() }
    }

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
        self.state.lock_anyway().said.tell(notice, self.quiet);
    }

    fn progress(&self, progress: &Progress) {
        self.state.lock_anyway().view.iter_mut().for_each(|view| view.draw(progress));
    }

    fn progress_ends(&self) {
        self.state.lock_anyway().view.iter_mut().for_each(LiveView::clear);
    }
}
