//! What a thread of this process has cost.

use serde::{Deserialize, Serialize};

/// Times of a thread, ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadTimes {
    /// On a CPU; exact to a few ms.
    pub busy: u64,
    /// Ready to run, but without a CPU, with what still went on at the end; `None` = the kernel doesn't
    /// count it.
    pub waiting: Option<u64>,
    /// Of `busy`, in the program. The kernel samples how it divides: only long stretches are meaningful.
    pub user: u64,
    /// Of `busy`, in the kernel.
    pub system: u64,
}

impl ThreadTimes {
    /// What passed since an earlier look.
    pub fn since(&self, earlier: &ThreadTimes) -> ThreadTimes {
        ThreadTimes {
            busy: self.busy.saturating_sub(earlier.busy),
            waiting: self.waiting.zip(earlier.waiting).map(|(now, then)| now.saturating_sub(then)),
            user: self.user.saturating_sub(earlier.user),
            system: self.system.saturating_sub(earlier.system),
        }
    }
}
