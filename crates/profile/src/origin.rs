//! The origin of a run. A file from another user gives no permissions.

use super::RawText;
use serde::{Deserialize, Serialize};

/// Limits of a run whose settings come from a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Origin {
    /// Targets of the user's command line. The run writes to a device only if it is one of them. `None` if
    /// the command line, or a profile named there, defines all targets.
    pub named: Option<Vec<RawText>>,
    /// Numbers of the users who own the files. Targets get only data that these users may read.
    pub owners: Vec<u32>,
}

impl Origin {
    /// Whether a file defines the run. It may name any other file, so messages do not quote that file.
    pub fn is_received(&self) -> bool {
        !self.owners.is_empty()
    }

    /// Adds the owner of another file.
    #[must_use]
    pub fn owned_by(mut self, owner: u32) -> Origin {
        self.owners.push(owner);
        self
    }
}
