//! Facts about the machine that could not be read.

use serde::{Deserialize, Serialize};

/// Facts in an unreadable file or folder of the kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadFacts {
    pub path: String,
    /// Description of the facts: `disks and their users`.
    pub facts: String,
    pub reason: String,
    pub remedy: String,
    /// Whether the facts are about cores, nodes and sockets, for which reports print assumptions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub processors: bool,
}
