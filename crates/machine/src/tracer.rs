//! Tracers of this program during the measurement.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tracer {
    pub pid: u32,
    pub name: String,
    pub traced_checks: u32,
    pub checks: u32,
    /// Number of state samples of traced threads; 0 = never, as in old records.
    #[serde(default)]
    pub samples: u32,
    /// Number of samples in which the tracer had stopped the thread.
    #[serde(default)]
    pub stopped: u32,
    /// Minimum time of an empty system call in a thread of this program, in ns; missing if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_ns: Option<u64>,
}
