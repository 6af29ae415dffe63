//! Calls on storage in which threads are blocked: the system does not show them.

use std::fmt;

/// Call on storage that has not returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedCall {
    /// System number of the thread.
    pub thread: i32,
    pub name: &'static str,
    pub writes_back: bool,
    pub file: CallLocation,
    pub waits_for: WaitCause,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CallLocation;

impl fmt::Display for CallLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a file")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitCause {
    Storage,
    Lease,
    PipeReader,
    PipeWriter,
    PipeUse,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress;

pub fn blocked_calls(_left_out: impl Fn(i32) -> bool) -> Vec<BlockedCall> {
    Vec::new()
}

impl BlockedCall {
    pub fn is_the_same_as(&self, earlier: &BlockedCall, _seconds: u64) -> bool {
        self == earlier
    }

    pub fn awaited(&self) -> Option<String> {
        None
    }

    pub fn progress(&self) -> Option<Progress> {
        None
    }
}
