//! How the processors are driven: frequencies, idle states, threads per core.

use serde::{Deserialize, Serialize};

/// Processor settings; from the first online processor if they are per processor. They are nearly always
/// equal, and reading a sleeping processor's frequency can take 10 ms.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cpu {
    /// `None` = the kernel doesn't drive it, as in most virtual machines.
    pub frequency: Option<Frequency>,
    pub boost: Option<bool>,
    /// Driver of the idle states: `intel_idle`, `acpi_idle`, `haltpoll`.
    pub idle_driver: Option<String>,
    pub idle_states: Vec<IdleState>,
    /// Threads per core as the kernel permits them: `on`, `off`, `notsupported`.
    pub smt: Option<String>,
    /// Number of thermal throttling events of all processors since the machine's start.
    pub throttled: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Frequency {
    /// `intel_pstate`, `amd-pstate-epp`, `acpi-cpufreq`. It determines the meaning of a governor's name.
    pub driver: Option<String>,
    /// Preference of a driver with its own selection: `performance`, `balance_power`.
    pub preference: Option<String>,
    /// The lowest the processor can do.
    pub hardware_min: Option<u64>,
    /// The highest the processor can do.
    pub hardware_max: Option<u64>,
    /// The lowest that is permitted.
    pub min: Option<u64>,
    pub max: Option<u64>,
    pub current: Option<u64>,
}

/// A state that a processor with nothing to do may go to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdleState {
    /// `POLL`, `C1E`, `C6`.
    pub name: String,
    pub latency: u64,
    /// Minimum worthwhile stay in µs; shorter pauses use a shallower state.
    pub residency: u64,
    pub enabled: bool,
}

impl Cpu {
    /// The deepest permitted idle state that a pause of this length, µs, can lead to.
    pub fn idle_state_for(&self, pause: f64) -> Option<&IdleState> {
        let reached = |state: &&IdleState| state.enabled && state.residency as f64 <= pause;
        self.idle_states.iter().filter(reached).max_by_key(|state| state.latency)
    }
}
