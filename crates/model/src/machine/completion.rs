//! How the kernel completes the I/Os of a target: what decides which engine gains anything on it.
//! `completion_probe` finds it out.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Completion {
    /// Nobody has looked, or it can't be told: the file doesn't exist yet, or can't be read.
    #[default]
    Unknown,
    /// The kernel takes I/Os without blocking; as many as wanted are in flight.
    Queued,
    /// The kernel doesn't take I/Os without blocking, and an I/O has ended when the call that submits it
    /// returns, the thread having been at work all the time: memory and nothing else.
    InCall,
    /// The kernel doesn't take I/Os without blocking: for io_uring it gives each to a worker of its own.
    Blocking,
    /// io_uring takes it for a target that doesn't block, and then sleeps until each I/O has ended, in the
    /// call that hands it over. With workers of the kernel several at a time end sooner than one after the
    /// other.
    Inline,
    /// The same, and several at a time end no sooner: whoever submits several waits for all of them.
    OneByOne,
    /// Windows: it is told at a completion port, or calls a routine.
    Overlapped,
}

/// Why the I/Os of a thread are done one after the other, however many are to be outstanding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OneByOne {
    /// They go to memory and nothing else, and have ended when they have been submitted.
    Memory,
    /// They are writes to the page cache, and have ended when they have been submitted.
    PageCache,
    /// The targets, or the kernel for them, do one after the other.
    Target,
    /// Only writes are: the kernel lets one at a time change a file.
    Writes,
}

/// Whether the device of a target can be asked for completions instead of interrupting (`--poll`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Polling {
    /// Nobody has looked, or there is no single block device behind it.
    #[default]
    NoDevice,
    /// This device, by its kernel name, has no poll queues.
    Without(String),
    Possible,
}
