//! Where a run comes from: a file that users have received from others gives no permissions.

use super::RawText;
use serde::{Deserialize, Serialize};

/// What limits a run that comes from a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Origin {
    /// The targets of the user's command line, the only devices that the run may write to; `None` = the
    /// command line, or a profile that it names, decides.
    pub named: Option<Vec<RawText>>,
    /// Numbers of the users who own the files: only what they may read is written to targets.
    pub owners: Vec<u32>,
}

impl Origin {
    /// Whether a file has the command line: it may name any file, so messages don't quote what is in it.
    pub fn is_received(&self) -> bool {
        !self.owners.is_empty()
    }

    /// The same, with the owner of another file.
    #[must_use]
    pub fn owned_by(mut self, owner: u32) -> Origin {
        self.owners.push(owner);
        self
    }
}
