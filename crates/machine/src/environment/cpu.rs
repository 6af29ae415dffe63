//! Settings of the processors: frequencies, idle states, threads per core.

use serde::{Deserialize, Serialize};

/// Processor settings; from the first online processor if they are per processor. They are nearly always
/// equal, and reading a sleeping processor's frequency can take 10 ms.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cpu {
    /// Frequency; `None` = not controlled by the kernel, as in most virtual machines.
    pub frequency: Option<Frequency>,
    pub boost: Option<bool>,
    /// Driver of idle states: `intel_idle`, `acpi_idle`, `haltpoll`.
    pub idle_driver: Option<String>,
    pub idle_states: Vec<IdleState>,
    /// Simultaneous multithreading: `on`, `off`, `notsupported`.
    pub smt: Option<String>,
    /// Thermal throttling events of all CPUs since the start of the machine.
    pub throttled: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Frequency {
    /// Driver, which determines the meaning of a governor: `intel_pstate`, `amd-pstate-epp`, `acpi-cpufreq`.
    pub driver: Option<String>,
    /// Preference of a driver with its own selection: `performance`, `balance_power`.
    pub preference: Option<String>,
    /// Minimum of the hardware.
    pub hardware_min: Option<u64>,
    /// Maximum of the hardware.
    pub hardware_max: Option<u64>,
    pub min: Option<u64>,
    pub max: Option<u64>,
    pub current: Option<u64>,
}

/// Idle state of a CPU.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdleState {
    /// Name: `POLL`, `C1E`, `C6`.
    pub name: String,
    pub latency: u64,
    /// Minimum worthwhile stay in µs; shorter pauses use a shallower state.
    pub residency: u64,
    pub enabled: bool,
}

impl Cpu {
    /// Returns the deepest permitted idle state for a pause of this length in µs.
    pub fn idle_state_for(&self, pause: f64) -> Option<&IdleState> {
        let reached = |state: &&IdleState| state.enabled && state.residency as f64 <= pause;
        self.idle_states.iter().filter(reached).max_by_key(|state| state.latency)
    }
}
