//! What else used the CPUs: threads of the kernel, and programs beside this one.

use serde::{Deserialize, Serialize};

/// What used the CPUs between two looks beside this program's own process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Others {
    /// Time between the looks, ns: a little more than the measured window.
    pub elapsed: u64,
    /// CPU time of the kernel's threads, ns; `None` = they can't be seen from here (a container, `hidepid`).
    pub kernel: Option<u64>,
    /// How long the kernel's threads were ready to run without a CPU, all together, ns; `None` = as above,
    /// or the kernel doesn't count it.
    pub kernel_run_delay: Option<u64>,
    /// CPU time of the other programs that can be seen, ns. What ended meanwhile is not in it.
    pub programs: u64,
    pub busiest: Vec<Task>,
}

/// A thread of the kernel, or another program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub name: String,
    pub pid: u32,
    /// A thread of the kernel.
    pub kernel: bool,
    /// CPU time, ns.
    pub busy: u64,
}
