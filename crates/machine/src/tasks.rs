//! Other users of the CPUs: kernel threads and other programs.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherTasks {
    /// Time between the readings in ns: slightly longer than the measurement.
    pub elapsed: u64,
    /// CPU time of kernel threads in ns; `None` = invisible (a container, `hidepid`).
    pub kernel: Option<u64>,
    /// Total time that kernel threads were ready to run without a CPU, ns; `None` = as above, or not counted
    /// by the kernel.
    pub kernel_run_delay: Option<u64>,
    /// CPU time in ns of other visible programs, without programs that ended in between.
    pub programs: u64,
    /// Number of started processes and threads of the machine; `None` = unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<u64>,
    pub busiest: Vec<Task>,
}

/// Minimum started processes per second that indicate short-lived programs; services start fewer.
const STARTS_PER_S: f64 = 10.0;

impl OtherTasks {
    /// Returns the number of started processes, if it indicates short-lived programs.
    pub fn short_lived(&self) -> Option<u64> {
        let least = STARTS_PER_S * self.elapsed as f64 / 1e9;
        self.started.filter(|started| *started > 0 && *started as f64 >= least)
    }
}

/// Kernel thread or another program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub name: String,
    pub pid: u32,
    pub kernel: bool,
    pub busy: u64,
}
