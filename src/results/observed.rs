//! What was observed around the measured window beside the I/Os themselves: facts for `truth` to judge.

use crate::system::content::ContentFacts;
use serde::{Deserialize, Serialize};

/// Facts about one time span. What could not be observed is missing, never zero.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    /// What the targets that are read held before the run; empty = it could not be looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<ContentFacts>,
}
