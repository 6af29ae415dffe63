//! The completion mode of a target's I/Os in the kernel, which decides the useful engines.
//! `completion_probe` determines it.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Completion {
    /// Not checked or undetermined; the file does not exist yet, or is not readable.
    #[default]
    Unknown,
    /// The kernel accepts any number of I/Os without blocking.
    Queued,
    /// The kernel cannot accept I/Os without blocking. An I/O ends within the submitting call without
    /// sleeping, so it uses only memory.
    InCall,
    /// The kernel cannot accept I/Os without blocking. io_uring uses a worker for each I/O.
    Blocking,
    /// io_uring classifies the target as non-blocking, and sleeps in the submitting call until each I/O
    /// ends. Kernel workers complete several at a time faster than sequential ones.
    Inline,
    /// Same as `Inline`, but concurrent I/Os are not faster, so a batch takes the time of all its I/Os.
    OneByOne,
    Overlapped,
}

/// Reason why a thread's I/Os are sequential at any depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OneByOne {
    Memory,
    /// Writes to the page cache, which complete at submission.
    PageCache,
    Target,
    /// Only writes: the kernel permits one at a time per file.
    Writes,
}

/// Support of a target's device for polled completions (`--poll`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Polling {
    /// The target has no block device, has several, or was not checked.
    #[default]
    NoDevice,
    /// Kernel name of the device, which has no poll queues.
    Without(String),
    Possible,
}
