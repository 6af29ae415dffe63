//! The tightest limits of this process's control groups.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Tightest limits of each kind for this process, from its group and all visible ancestors.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// CPU time in thousandths of a CPU; `None` = no limit.
    pub cpu: Option<u64>,
    /// Allowed CPUs in the kernel's form: `0-3,8`.
    pub cpus: Option<String>,
    /// Memory including page cache in bytes; `None` = no limit.
    pub memory: Option<u64>,
    /// I/O limits by number of the disk, in the kernel's form: `"8:0": "rbps=1048576 wiops=100"`.
    pub io: BTreeMap<String, String>,
}
