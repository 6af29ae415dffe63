//! Facts about the machine that could not be read: what follows from them is unknown.

use serde::{Deserialize, Serialize};

/// Facts that one file or folder of the kernel has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadFacts {
    /// The file or folder.
    pub path: String,
    /// What it has: `disks and who uses them`.
    pub facts: String,
    /// Why it could not be read.
    pub why: String,
    /// What to do.
    pub remedy: String,
}

/// Where the kernel describes the processors.
pub const PROCESSORS: &str = "/sys/devices/system/cpu";
