//! How the processors are driven: frequencies, idle states, threads per core.

use crate::system::root::{Root, cpu_list};
use serde::{Deserialize, Serialize};

/// The processors. Where each has settings of its own, those of the first online one: they are set for all
/// at once nearly always, and reading the frequency of a sleeping one can take 10 ms.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cpu {
    /// `None` = the kernel doesn't drive it, as in most virtual machines.
    pub frequency: Option<Frequency>,
    /// Whether frequencies above the nominal one are permitted.
    pub boost: Option<bool>,
    /// Driver of the idle states: `intel_idle`, `acpi_idle`, `haltpoll`.
    pub idle_driver: Option<String>,
    /// From the shallowest to the deepest.
    pub idle_states: Vec<IdleState>,
    /// Threads per core as the kernel permits them: `on`, `off`, `notsupported`.
    pub smt: Option<String>,
    /// How often processors slowed down for heat since the machine started, all of them together.
    pub throttled: Option<u64>,
}

/// Frequencies, kHz.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Frequency {
    /// `intel_pstate`, `amd-pstate-epp`, `acpi-cpufreq`. What a governor's name means depends on it.
    pub driver: Option<String>,
    /// What a driver that chooses by itself is told to prefer: `performance`, `balance_power`.
    pub preference: Option<String>,
    /// The lowest the processor can do.
    pub hardware_min: Option<u64>,
    /// The highest the processor can do.
    pub hardware_max: Option<u64>,
    /// The lowest that is permitted.
    pub min: Option<u64>,
    /// The highest that is permitted.
    pub max: Option<u64>,
    /// At the moment of looking.
    pub current: Option<u64>,
}

/// A state that a processor with nothing to do may go to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdleState {
    /// `POLL`, `C1E`, `C6`.
    pub name: String,
    /// What it takes to wake up, µs.
    pub latency: u64,
    /// How long it must last to be worth while, µs: shorter pauses are spent in a shallower one.
    pub residency: u64,
    /// Whether it's permitted.
    pub enabled: bool,
}

impl Cpu {
    /// The deepest permitted idle state that a pause of this length, µs, can lead to.
    pub fn idle_state_for(&self, pause: f64) -> Option<&IdleState> {
        let reached = |state: &&IdleState| state.enabled && state.residency as f64 <= pause;
        self.idle_states.iter().filter(reached).max_by_key(|state| state.latency)
    }
}

pub(super) fn read(root: &Root) -> Cpu {
    let cpus = "/sys/devices/system/cpu";
    let text = |file: &str| root.text(format!("{cpus}/{file}")).filter(|text| !text.is_empty());
    let online = cpu_list(&text("online").unwrap_or_default());
    let flag = |file: &str| text(file)?.parse::<u8>().ok().map(|flag| flag != 0);
    let first = format!("cpu{}", online.first().unwrap_or(&0));
    Cpu {
        frequency: frequency(root, &format!("{cpus}/{first}/cpufreq")),
        boost: flag("cpufreq/boost").or_else(|| flag("intel_pstate/no_turbo").map(|off| !off)),
        idle_driver: text("cpuidle/current_driver").filter(|name| name != "none"),
        idle_states: idle_states(root, &format!("{cpus}/{first}/cpuidle")),
        smt: text("smt/control"),
        throttled: throttled(root, &online),
    }
}

fn frequency(root: &Root, directory: &str) -> Option<Frequency> {
    let text = |file: &str| root.text(format!("{directory}/{file}"));
    let khz = |file: &str| text(file)?.parse().ok();
    let frequency = Frequency {
        driver: text("scaling_driver"),
        preference: text("energy_performance_preference"),
        hardware_min: khz("cpuinfo_min_freq"),
        hardware_max: khz("cpuinfo_max_freq"),
        min: khz("scaling_min_freq"),
        max: khz("scaling_max_freq"),
        current: khz("scaling_cur_freq"),
    };
    (frequency != Frequency::default()).then_some(frequency)
}

fn idle_states(root: &Root, directory: &str) -> Vec<IdleState> {
    let mut states = Vec::new();
    for name in root.names(directory).iter().filter(|name| name.starts_with("state")) {
        let text = |file: &str| root.text(format!("{directory}/{name}/{file}"));
        let number = |file: &str| text(file)?.parse::<u64>().ok();
        states.extend(number("latency").map(|latency| IdleState {
            name: text("name").unwrap_or_default(),
            latency,
            residency: number("residency").unwrap_or(0),
            enabled: number("disable").unwrap_or(0) == 0,
        }));
    }
    states.sort_by_key(|state| state.latency);
    states
}

fn throttled(root: &Root, online: &[u32]) -> Option<u64> {
    let count = |cpu: &u32| {
        let file = format!("/sys/devices/system/cpu/cpu{cpu}/thermal_throttle/core_throttle_count");
        root.text(file)?.parse::<u64>().ok()
    };
    online.iter().filter_map(count).reduce(u64::saturating_add)
}
