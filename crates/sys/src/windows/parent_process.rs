//! The program is one process: the system ends it with all its threads.

/// Nothing is divided.
pub fn divide() {}

/// A parent, which this process does not have.
#[derive(Debug)]
pub struct Parent;

impl Parent {
    /// `None`: the process is not divided.
    pub fn of_this_process() -> Option<Parent> {
        None
    }

    /// Nothing is to be followed.
    pub fn follow(&mut self) {}
}
