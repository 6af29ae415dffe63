//! Who traced this program while it measured.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tracer {
    pub pid: u32,
    pub name: String,
    pub traced_checks: u32,
    pub checks: u32,
    /// How often the state of a thread was looked at while somebody traced it; 0 = never, as in old records.
    #[serde(default)]
    pub samples: u32,
    /// In so many of these samples the tracer had stopped the thread.
    #[serde(default)]
    pub stopped: u32,
    /// What a system call that does nothing took at least, in a thread of this program, ns; missing = not
    /// measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_ns: Option<u64>,
}
