//! The program is one process, because the system ends it with all its threads.

pub fn divide() {}

#[derive(Debug)]
pub struct Parent;

impl Parent {
    /// Returns `None`.
    pub fn of_this_process() -> Option<Parent> {
        None
    }

    pub fn follow(&mut self) {}
}

/// Does nothing, because no other process waits for a report.
pub fn will_end(_code: u8, _patience_s: u16) {}
