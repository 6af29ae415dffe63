//! Facts about the machine that could not be read.

use serde::{Deserialize, Serialize};

/// Facts that one file or folder of the kernel has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadFacts {
    pub path: String,
    /// The facts in it: `disks and their users`.
    pub facts: String,
    pub reason: String,
    pub remedy: String,
    /// Whether the facts are about cores, nodes and sockets, which reports otherwise assume.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub processors: bool,
}
