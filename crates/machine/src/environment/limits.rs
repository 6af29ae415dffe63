//! The tightest limits of this process's control groups.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Tightest limits of each kind for this process, from its own group and all visible ancestors.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Processor time, thousandths of a processor; `None` = no limit.
    pub cpu: Option<u64>,
    /// The processors it may use, as the kernel lists them: `0-3,8`.
    pub cpus: Option<String>,
    /// Memory with the page cache, bytes; `None` = no limit.
    pub memory: Option<u64>,
    /// Limits of I/O by number of the disk, as the kernel names them: `"8:0": "rbps=1048576 wiops=100"`.
    pub io: BTreeMap<String, String>,
}
