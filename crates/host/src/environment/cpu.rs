//! Settings of the processors: frequencies, idle states, threads per core.

use crate::root::Root;
use diskspd_machine::cpu_list;
use diskspd_machine::environment::{Cpu, Frequency, IdleState};

pub(super) fn read(root: &Root) -> Cpu {
    let cpus = "/sys/devices/system/cpu";
    let text = |file: &str| root.text(format!("{cpus}/{file}")).filter(|text| !text.is_empty());
    let online = cpu_list(&text("online").unwrap_or_default());
    let flag = |file: &str| text(file)?.parse::<u8>().ok().map(|flag| flag != 0);
    let first = format!("cpu{}", online.first().unwrap_or(&0));
    Cpu {
        frequency: read_frequency(root, &format!("{cpus}/{first}/cpufreq")),
        boost: flag("cpufreq/boost").or_else(|| flag("intel_pstate/no_turbo").map(|off| !off)),
        idle_driver: text("cpuidle/current_driver").filter(|name| name != "none"),
        idle_states: idle_states(root, &format!("{cpus}/{first}/cpuidle")),
        smt: text("smt/control"),
        throttled: count_throttled(root, &online),
    }
}

fn read_frequency(root: &Root, directory: &str) -> Option<Frequency> {
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

fn count_throttled(root: &Root, online: &[u32]) -> Option<u64> {
    let count = |cpu: &u32| {
        let file = format!("/sys/devices/system/cpu/cpu{cpu}/thermal_throttle/core_throttle_count");
        root.text(file)?.parse::<u64>().ok()
    };
    online.iter().filter_map(count).reduce(u64::saturating_add)
}
